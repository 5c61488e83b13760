#include "tracedeck/ctf/write/target_plan.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tracedeck/ctf/write/target_scalars.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

bool is_in_header(const FieldLocation& location) {
  return location.root == Root::kPacketHeader || location.root == Root::kEventHeader;
}

}  // namespace

Plan Planner::plan(const FieldClass& source, Dialect dialect) {
  if (const auto* const string = source.as<StringClass>()) {
    const bool other_encoding = string->encoding != TextEncoding::kUtf8;
    if (other_encoding && dialect != Dialect::kFinal) return {};
    Plan planned = plan_length(string->extent, dialect);
    if (other_encoding && options_.keeping) planned.added = false;
    return planned;
  }
  if (const auto* const blob = source.as<BlobClass>()) return plan_length(blob->extent, dialect);
  if (const auto* const array = source.as<ArrayClass>()) return plan_length(array->extent, dialect);
  if (source.as<MapClass>() != nullptr || source.as<DynamicClass>() != nullptr)
    return {.added = true};
  if (is_leb128(source)) return {.added = dialect == Dialect::kCtf1};
  if (const auto* const optional = source.as<OptionalClass>())
    return plan_optional(*optional, dialect);
  if (const auto* const variant = source.as<VariantClass>()) return plan_variant(*variant, dialect);
  return {};
}

bool Planner::comes_with_added(const FieldClass& source) {
  if (!options_.restoring) return false;
  of_what_comes_ = true;
  const bool added = plan(source, Dialect::kCtf1).added;
  of_what_comes_ = false;
  return added;
}

Plan Planner::plan_length(const Extent& extent, Dialect dialect) {
  if (std::holds_alternative<NullTerminated>(extent) ||
      std::holds_alternative<StaticLength>(extent))
    return {};
  const auto* const field = std::get_if<LengthField>(&extent);
  if (field == nullptr) return {.added = true};
  // Earlier versions kept lengths of headers in the headers they wrote, and added no member.
  if (of_what_comes_ && is_in_header(field->location)) return {};
  return plan_located(field->location, dialect, [](const FieldClass& leaf) {
    const auto* const integer = leaf.as<IntegerClass>();
    return integer != nullptr && !integer->is_signed && !is_wide(*integer);
  });
}

template <class Serves>
Plan Planner::plan_located(const FieldLocation& location, Dialect dialect, Serves serves) {
  std::optional<Located> located = fields_.find(location);
  if (of_what_comes_ && located && located->was_added) return {.located = std::move(located)};
  const bool good = located && std::ranges::all_of(located->leaves, [&](const FieldClass* leaf) {
                      return serves(*leaf);
                    });
  if (!good || (dialect == Dialect::kCtf1 && !fields_.spelt_in_ctf1(*located)))
    return {.added = true};
  return {.located = std::move(located)};
}

Plan Planner::plan_optional(const OptionalClass& optional, Dialect dialect) {
  if (!optional.presence.selector) return {.added = true};
  const bool by_boolean = optional.presence.ranges.empty();
  if (dialect == Dialect::kCtf1 && !by_boolean) return {.added = true};
  return plan_located(*optional.presence.selector, dialect, [&](const FieldClass& leaf) {
    if (by_boolean) return leaf.as<BooleanClass>() != nullptr;
    const auto* const integer = leaf.as<IntegerClass>();
    return integer != nullptr && !is_wide(*integer);
  });
}

Plan Planner::plan_variant(const VariantClass& variant, Dialect dialect) {
  const bool all_selectable = std::ranges::none_of(
      variant.options, [](const VariantOption& option) { return option.ranges.empty(); });
  if (!variant.selector || !all_selectable) return {.added = true};
  return plan_located(*variant.selector, dialect, [&](const FieldClass& leaf) {
    const auto* const integer = leaf.as<IntegerClass>();
    if (integer == nullptr || is_wide(*integer)) return false;
    return dialect != Dialect::kCtf1 || selects_by_label(*integer, variant);
  });
}

}  // namespace tracedeck::ctf
