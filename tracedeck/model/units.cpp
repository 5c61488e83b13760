#include "tracedeck/model/units.hpp"

#include <algorithm>
#include <array>

namespace tracedeck {
namespace {

struct UnitWord {
  std::string_view name;
  UnitScale scale;
};
constexpr std::array kUnits = {
    UnitWord{"ns", {Quantity::kTime, 1}},
    UnitWord{"us", {Quantity::kTime, 1'000}},
    UnitWord{"ms", {Quantity::kTime, 1'000'000}},
    UnitWord{"s", {Quantity::kTime, 1'000'000'000}},
    UnitWord{"min", {Quantity::kTime, 60'000'000'000}},
    UnitWord{"h", {Quantity::kTime, 3'600'000'000'000}},
    UnitWord{"bytes", {Quantity::kBytes, 1}},
    UnitWord{"B", {Quantity::kBytes, 1}},
    UnitWord{"kB", {Quantity::kBytes, 1'000}},
    UnitWord{"MB", {Quantity::kBytes, 1'000'000}},
    UnitWord{"GB", {Quantity::kBytes, 1'000'000'000}},
    UnitWord{"KiB", {Quantity::kBytes, std::uint64_t{1} << 10}},
    UnitWord{"MiB", {Quantity::kBytes, std::uint64_t{1} << 20}},
    UnitWord{"GiB", {Quantity::kBytes, std::uint64_t{1} << 30}},
};

}  // namespace

std::string_view unit_of(const Attributes& attributes) {
  for (const std::string_view key : {"unit", "metrique.unit"}) {
    const auto found = std::ranges::find(attributes, key, &Attribute::key);
    if (found != attributes.end()) return found->value;
  }
  return {};
}

std::optional<UnitScale> scale_of_unit(std::string_view unit) {
  const auto* const found = std::ranges::find(kUnits, unit, &UnitWord::name);
  return found == kUnits.end() ? std::nullopt : std::optional(found->scale);
}

std::string behind_number(std::string_view unit) {
  const auto scale = scale_of_unit(unit);
  const bool is_time = scale && scale->quantity == Quantity::kTime;
  return std::string(unit.empty() || is_time ? "" : " ").append(unit);
}

}  // namespace tracedeck
