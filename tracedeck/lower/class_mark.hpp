// Marks of targets with nested classes: an attribute `tracedeck` of each data stream class and
// event class of the result, a JSON object. Its members:
//
//   "trace"    the number of the source trace, from 0
//   "marks"    texts of description_text.hpp, as far as they have not come before
//   "class"    of an event class: which it was, and the shape of its events
//   "streams"  of a data stream class: which it was, and the keys that its packet contexts have
//   "stream"   the same of a class for one data stream alone: its ordinal
//   "loss"     of the class of losses: true
//
// A format that has no attributes keeps the object elsewhere, and hands it up as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/model/attribute.hpp"

namespace tracedeck::lower {

inline constexpr std::string_view kMarkAttribute = "tracedeck";

// Whether an attribute may be a mark, by its name.
[[nodiscard]] inline bool is_mark(const Attribute& attribute) {
  return attribute.is_json && attribute.key == kMarkAttribute;
}

struct AttributeMark {
  struct OfEvents {
    std::uint64_t event_class = 0;  // its ordinal in the source trace
    NestedShape shape = {};
  };
  struct OfStreams {
    std::uint64_t stream_class = 0;  // its ordinal
    std::vector<std::string> keys = {};
  };

  std::uint64_t trace = 0;
  std::vector<std::string> texts = {};
  std::optional<OfEvents> events = {};
  std::optional<OfStreams> streams = {};
  std::optional<std::uint64_t> stream = {};
  bool is_loss = false;

  // Nothing: there is none, or it is no mark.
  [[nodiscard]] static std::optional<AttributeMark> find(const Attributes& attributes);
  // Whether the attribute of marks has a value that is no mark.
  [[nodiscard]] static bool is_unreadable(const Attributes& attributes);
};

// A mark that is being made. Its texts may be long, so they are made where they are to stand.
class MarkText {
 public:
  // `trace`: the number of the source trace.
  explicit MarkText(std::uint64_t trace) : trace_(trace) {}

  // What the next text is to be appended to.
  [[nodiscard]] std::string& next();
  [[nodiscard]] bool empty() const { return json_.empty(); }
  // Bytes of the texts.
  [[nodiscard]] std::size_t size() const { return json_.size(); }

  // The attributes of a class with a mark in place of any of its name: one with the texts that were
  // made since the last call, and what `mark` says besides its texts and its trace.
  [[nodiscard]] Attributes take(const AttributeMark& mark, Attributes attributes);

 private:
  std::uint64_t trace_;
  std::string json_ = {};
};

}  // namespace tracedeck::lower
