// Labels of enumerations and flags of bit maps.
#pragma once

#include <optional>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// The integer class that gives values labels, or null when `field_class` (which may be null) is
// none.
[[nodiscard]] inline const IntegerClass* as_enumeration(const FieldClass* field_class) {
  if (field_class == nullptr) return nullptr;
  const auto* const integer = field_class->as<IntegerClass>();
  return integer != nullptr && integer->form == IntegerClass::Form::kEnumeration ? integer
                                                                                 : nullptr;
}

// Whether its values have labels, or could: an enumeration may have none.
[[nodiscard]] inline bool gives_labels(const IntegerClass& integer) {
  return !integer.mappings.empty() || integer.form == IntegerClass::Form::kEnumeration ||
         integer.form == IntegerClass::Form::kBitMap;
}

// The value of an integer slot, unless 127 bits and a sign cannot hold it.
[[nodiscard]] std::optional<Int128> integer_value(const Slot& slot);
// The same of all that ranges can be bounded by.
[[nodiscard]] std::optional<Integer> wide_integer_value(const Slot& slot);

// Whether a label's ranges hold the value of a slot. `value`: its `integer_value`, which is looked
// for once for all labels.
[[nodiscard]] inline bool has_label(const Mapping& mapping, const Slot& slot,
                                    const std::optional<Int128>& value) {
  if (value) [[likely]]
    return mapping.ranges.contains(*value);
  const std::optional<Integer> wide = wide_integer_value(slot);
  return wide && mapping.ranges.contains(*wide);
}

// Whether the slot of a bit map has one of the bits set that a flag's ranges name. Bits above 63
// are not looked at.
[[nodiscard]] bool has_flag(const Mapping& mapping, const Slot& slot);

// Whether a label, or flag, of `integer_class` stands for the value of a slot.
[[nodiscard]] bool stands_for(const Mapping& mapping, const IntegerClass& integer_class,
                              const Slot& slot);

}  // namespace tracedeck
