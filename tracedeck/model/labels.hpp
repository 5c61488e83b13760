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

// The value of an integer slot, unless 127 bits and a sign cannot hold it.
[[nodiscard]] std::optional<Int128> integer_value(const Slot& slot);

// Whether a label's ranges hold the value of a slot. A value too wide for `integer_value` is in
// none.
[[nodiscard]] bool has_label(const Mapping& mapping, std::optional<Int128> value);

// Whether the slot of a bit map has one of the bits set that a flag's ranges name. Bits above 63
// are not looked at.
[[nodiscard]] bool has_flag(const Mapping& mapping, const Slot& slot);

// Whether a label, or flag, of `integer_class` stands for the value of a slot.
[[nodiscard]] bool stands_for(const Mapping& mapping, const IntegerClass& integer_class,
                              const Slot& slot);

}  // namespace tracedeck
