// What the numbers of a field count, as its attributes say: `unit`, or as older recorders write
// `metrique.unit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck {

// Empty: nothing says it.
[[nodiscard]] std::string_view unit_of(const Attributes& attributes);

// The nanoseconds of a unit of time; nothing of other units.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of_unit(std::string_view unit);

}  // namespace tracedeck
