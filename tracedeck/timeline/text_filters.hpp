// How templates shorten texts: {x|FILTER}.
#pragma once

#include <string>
#include <string_view>

namespace tracedeck::timeline {

using TextFilter = std::string (*)(std::string_view);

// The one that knows the trace: `LinuxStates`.
inline constexpr std::string_view kLinuxStateFilter = "linux_state";

// The filter of that name, or null.
[[nodiscard]] TextFilter find_text_filter(std::string_view name);
// Of a name that none has, as a sentence with the one that may be meant, or all that are.
[[nodiscard]] std::string unknown_filter_text(std::string_view name);

}  // namespace tracedeck::timeline
