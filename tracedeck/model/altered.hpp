// Traces of which something was left out or replaced on the way: their classes need not be such as
// their formats have.
#pragma once

#include <string>
#include <string_view>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {

// Takes the place of what the trace is stored as.
inline constexpr std::string_view kAltered = "altered";

inline void set_altered(TraceDescription& description) {
  description.set_stored_as(std::string(kAltered), description.version());
}
[[nodiscard]] inline bool is_altered(const TraceDescription& description) {
  return description.stored_as() == kAltered;
}

}  // namespace tracedeck
