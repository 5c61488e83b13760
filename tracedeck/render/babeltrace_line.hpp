// What every line of an event class has in common.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"
#include "tracedeck/render/babeltrace_packet.hpp"
#include "tracedeck/render/babeltrace_time.hpp"

namespace tracedeck::render {

// An entry of a trace's environment that is a string; null when there is none.
[[nodiscard]] const std::string* environment_text(const TraceDescription* trace,
                                                  std::string_view key);

class BabeltraceLine {
 public:
  enum class Kind : std::uint8_t {
    kHidden,
    kDecimal,
    kInteger,  // in another base
    kString,
    kEnumeration,
    kOther,
  };
  struct Field {
    const FieldClass* field_class;
    BabeltraceEnumeration* enumeration = nullptr;
    BabeltraceInteger integer = {};
    Kind kind = Kind::kOther;
    std::uint32_t key = 0;  // where its key begins among the keys
    std::uint32_t key_length = 0;
  };
  // The structures whose members a line shows, in their order on the tape.
  static constexpr std::size_t kStructures = 3;  // common context, specific context, payload
  // Keys are copied in pieces of this size, so so many bytes past a key may be read and written.
  static constexpr std::size_t kPiece = 16;

  // What a line is made with.
  struct Form {
    BabeltracePalette palette;
    BabeltraceNames names;
    BabeltraceFields fields;
    std::string trace;  // the trace's name
  };

  // `packets` are those of its data stream class.
  BabeltraceLine(const EventClass& event_class, std::shared_ptr<BabeltracePackets> packets,
                 const Form& form);
  BabeltraceLine(const BabeltraceLine&) = delete;
  BabeltraceLine& operator=(const BabeltraceLine&) = delete;

  [[nodiscard]] const BabeltraceClock& clock() const { return clock_; }
  [[nodiscard]] BabeltracePackets& packets() { return *packets_; }
  [[nodiscard]] BabeltraceNotes& notes() { return notes_; }

  [[nodiscard]] std::string_view head() const { return head_; }  // `host:proc:(7) name: `
  [[nodiscard]] bool has_structures() const { return has_structures_; }
  [[nodiscard]] const std::vector<Field>& fields(std::size_t structure) const {
    return fields_[structure];
  }
  [[nodiscard]] std::string_view tail() const { return tail_; }  // ` }`, and the line's end

  // Copies what stands before a field's value to room of `key_length + kPiece` and returns its end.
  char* write_key(char* to, const Field& field) const {
    const char* const from = keys_.data() + field.key;
    std::memcpy(to, from, kPiece);
    for (std::size_t i = kPiece; i < field.key_length; i += kPiece)
      std::memcpy(to + i, from + i, kPiece);
    return to + field.key_length;
  }

 private:
  void make_head(const EventClass& event_class, const Form& form);
  void make_fields(const Form& form);
  [[nodiscard]] Field field_of(const FieldClass* field_class, BabeltracePalette palette);

  // Which the fields point into.
  FieldClassPtr common_context_;
  FieldClassPtr specific_context_;
  FieldClassPtr payload_;
  BabeltraceClock clock_;
  std::shared_ptr<BabeltracePackets> packets_;
  BabeltraceNotes notes_;
  std::string head_;
  std::string keys_;
  std::array<std::vector<Field>, kStructures> fields_;
  bool has_structures_ = false;
  std::string tail_;
};

}  // namespace tracedeck::render
