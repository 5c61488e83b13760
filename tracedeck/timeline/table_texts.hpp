// The files of the built-in tables, made when the library is built.
#pragma once

#include <string_view>
#include <vector>

namespace tracedeck::timeline {

[[nodiscard]] std::vector<std::string_view> table_texts();

}  // namespace tracedeck::timeline
