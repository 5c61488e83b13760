// What the numbers of a field count, as its attributes say: `unit`, or as older recorders write
// `metrique.unit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck {

// Empty: nothing says it.
[[nodiscard]] std::string_view unit_of(const Attributes& attributes);

// What can be measured in several units.
enum class Quantity : std::uint8_t { kTime, kBytes };

// A unit as so many of the least one: ns, or bytes.
struct UnitScale {
  Quantity quantity = Quantity::kTime;
  std::uint64_t factor = 1;
};
// Nothing of other units, as of `percent`.
[[nodiscard]] std::optional<UnitScale> scale_of_unit(std::string_view unit);

// What stands behind a number that counts it: `ms`, ` bytes`; nothing behind one without a unit.
[[nodiscard]] std::string behind_number(std::string_view unit);

}  // namespace tracedeck
