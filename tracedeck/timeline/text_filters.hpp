// How templates shorten texts: {x|FILTER}.
#pragma once

#include <string>
#include <string_view>

namespace tracedeck::timeline {

using TextFilter = std::string (*)(std::string_view);

// The filter of that name, or null.
[[nodiscard]] TextFilter find_text_filter(std::string_view name);

}  // namespace tracedeck::timeline
