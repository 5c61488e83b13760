#include "tracedeck/ctf/alignment.hpp"

#include <algorithm>
#include <variant>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

std::uint32_t Alignments::of(const FieldClass& field_class) {
  std::uint32_t alignment = field_class.alignment;
  if (const auto* const structure = field_class.as<StructureClass>()) {
    alignment = structure->minimum_alignment;
    for (const Member& member : structure->members)
      alignment = std::max(alignment, inside(*member.field_class));
  } else if (const auto* const array = field_class.as<ArrayClass>()) {
    alignment = std::max(array->minimum_alignment, inside(*array->element));
  } else if (field_class.as<OptionalClass>() != nullptr ||
             field_class.as<VariantClass>() != nullptr) {
    alignment = 1;
  } else if (const auto* const integer = field_class.as<IntegerClass>()) {
    if (std::holds_alternative<Leb128Layout>(integer->layout)) alignment = 8;
  } else if (field_class.as<StringClass>() != nullptr || field_class.as<BlobClass>() != nullptr) {
    alignment = 8;
  }
  return alignment;
}

std::uint32_t Alignments::inside(const FieldClass& field_class) {
  if (!is_compound(field_class)) return of(field_class);
  if (const auto found = known_.find(&field_class); found != known_.end()) return found->second;
  const std::uint32_t alignment = of(field_class);
  known_.emplace(&field_class, alignment);
  return alignment;
}

}  // namespace tracedeck::ctf
