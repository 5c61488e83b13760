// What an event holds as one JSON object, for markers that stand for events of other formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::lower {

// Of the events of one class. Members of the payload; of contexts those of `@common`, `@specific`,
// `@packet_header` and `@packet`; and `@duration` in ns. Values as value_text.hpp has them.
class MarkerMessage {
 public:
  // `event_class` must outlive it.
  explicit MarkerMessage(const EventClass& event_class) : event_class_(event_class) {}

  void append(TextBuffer& out, const Event& event);

 private:
  // What has values of its own, in the order of the message.
  enum Part : std::uint8_t { kCommon, kSpecific, kPacketHeader, kPacket, kPayload, kParts };

  struct Value {
    std::uint32_t literal = 0;  // the size of what comes before it
    bool is_plain = true;       // the kind of its slot says how it is written
    FieldClassPtr field_class = nullptr;
  };
  // Values whose slots lie one behind the other, those of `first` at the beginning.
  struct Run {
    Part first = kCommon;
    std::uint32_t count = 0;  // of values
  };
  // The messages of events that have values in the same parts: a literal before each value, and one
  // behind the last.
  struct Plan {
    std::string literals = {};  // one after the other
    std::vector<Value> values = {};
    std::vector<Run> runs = {};
    std::uint32_t last_literal = 0;  // its size
    bool has_duration = false;       // which is the first number
    std::size_t room = 0;            // that literals and numbers take at most
  };

  [[nodiscard]] Plan make_plan(unsigned parts) const;
  [[nodiscard]] const FieldClassPtr& class_of(Part part) const;
  [[nodiscard]] static const Slot* slots_of(Part part, const Event& event);
  // Any value. Returns what is behind it.
  const Slot* put_other(TextBuffer& out, const Slot* slot, const Value& value);

  const EventClass& event_class_;
  std::array<std::unique_ptr<Plan>, std::size_t{1} << kParts> plans_ = {};
  std::string other_;  // a value that is not plain
};

}  // namespace tracedeck::lower
