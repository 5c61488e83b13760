#include "tracedeck/model/units.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tracedeck {

std::string_view unit_of(const Attributes& attributes) {
  for (const std::string_view key : {"unit", "metrique.unit"}) {
    const auto found = std::ranges::find(attributes, key, &Attribute::key);
    if (found != attributes.end()) return found->value;
  }
  return {};
}

std::optional<std::int64_t> nanoseconds_of_unit(std::string_view unit) {
  static constexpr auto kUnits = std::to_array<std::pair<std::string_view, std::int64_t>>(
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}});
  const auto* const found = std::ranges::find(kUnits, unit, &decltype(kUnits)::value_type::first);
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tracedeck
