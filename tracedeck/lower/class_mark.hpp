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

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/model/attribute.hpp"

namespace tracedeck::lower {

inline constexpr std::string_view kMarkAttribute = "tracedeck";

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

  // The attributes of a class with this one in place of any of its name.
  [[nodiscard]] Attributes added_to(Attributes attributes) const;
  // Nothing: there is none, or it is no mark.
  [[nodiscard]] static std::optional<AttributeMark> find(const Attributes& attributes);
};

}  // namespace tracedeck::lower
