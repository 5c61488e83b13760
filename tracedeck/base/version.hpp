#pragma once

#include <string_view>

namespace tracedeck {

// The version of the library linked, "MAJOR.MINOR.PATCH". Valid for the life of the program.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace tracedeck
