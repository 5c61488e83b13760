// Field classes within field classes.
#pragma once

#include <concepts>
#include <optional>
#include <variant>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// Whether `field_class` holds others.
[[nodiscard]] inline bool is_compound(const FieldClass& field_class) {
  return field_class.as<ArrayClass>() != nullptr || field_class.as<StructureClass>() != nullptr ||
         field_class.as<OptionalClass>() != nullptr || field_class.as<VariantClass>() != nullptr ||
         field_class.as<MapClass>() != nullptr;
}

// Calls `visit(const FieldClassPtr&)` for the classes directly inside.
template <std::invocable<const FieldClassPtr&> Visit>
void for_each_child(const FieldClass& field_class, Visit visit) {
  if (const auto* const array = field_class.as<ArrayClass>()) visit(array->element);
  if (const auto* const optional = field_class.as<OptionalClass>()) visit(optional->value);
  if (const auto* const map = field_class.as<MapClass>()) {
    visit(map->key);
    visit(map->value);
  }
  if (const auto* const structure = field_class.as<StructureClass>()) {
    for (const Member& member : structure->members) visit(member.field_class);
  }
  if (const auto* const variant = field_class.as<VariantClass>()) {
    for (const VariantOption& option : variant->options) visit(option.field_class);
  }
}

// Whether it or a class inside has a role.
[[nodiscard]] bool has_role_inside(const FieldClass& field_class);

// Calls `visit(const FieldLocation&)` for where the length or the selector of `field_class` itself
// is.
template <std::invocable<const FieldLocation&> Visit>
void for_each_location(const FieldClass& field_class, Visit visit) {
  const auto visit_extent = [&](const Extent& extent) {
    if (const auto* const field = std::get_if<LengthField>(&extent)) visit(field->location);
  };
  const auto visit_selector = [&](const std::optional<FieldLocation>& selector) {
    if (selector) visit(*selector);
  };
  if (const auto* const string = field_class.as<StringClass>()) visit_extent(string->extent);
  if (const auto* const blob = field_class.as<BlobClass>()) visit_extent(blob->extent);
  if (const auto* const array = field_class.as<ArrayClass>()) visit_extent(array->extent);
  if (const auto* const optional = field_class.as<OptionalClass>())
    visit_selector(optional->presence.selector);
  if (const auto* const variant = field_class.as<VariantClass>()) visit_selector(variant->selector);
}

// The class of the elements of an array; null where the trace has none. `field_class` may be null.
[[nodiscard]] inline const FieldClass* element_class(const FieldClass* field_class) {
  const auto* const array = field_class == nullptr ? nullptr : field_class->as<ArrayClass>();
  return array == nullptr ? nullptr : array->element.get();
}

// The class of what an optional or a variant holds, whose head the slot is; null where the trace
// has none. `field_class` may be null.
[[nodiscard]] inline const FieldClass* held_class(const Slot& head, const FieldClass* field_class) {
  if (field_class == nullptr) return nullptr;
  if (const auto* const optional = field_class->as<OptionalClass>()) return optional->value.get();
  const auto* const variant = field_class->as<VariantClass>();
  if (variant == nullptr || head.bits >= variant->options.size()) return nullptr;
  return variant->options[head.bits].field_class.get();
}

}  // namespace tracedeck
