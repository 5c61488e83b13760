// How templates change texts: {x|FILTER}.
#pragma once

#include <string>
#include <string_view>

namespace tracedeck::timeline {

struct TextFilter {
  std::string (*apply)(std::string_view);
  // What it makes is a place, shown by its shortest ending.
  bool is_place = false;
  // A name that the trace gives to a number: the number is shown where another has that name.
  bool is_numbered = false;
  bool is_unknown_if_empty = false;
};

// The one that knows the trace: `LinuxStates`.
inline constexpr std::string_view kLinuxStateFilter = "linux_state";

// The filter of that name, or null.
[[nodiscard]] const TextFilter* find_text_filter(std::string_view name);
// Of a name that none has, as a sentence with the one that may be meant, or all that are.
[[nodiscard]] std::string unknown_filter_text(std::string_view name);

}  // namespace tracedeck::timeline
