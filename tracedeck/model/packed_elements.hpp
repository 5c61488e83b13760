// Arrays whose elements can stay as they lie.
#pragma once

#include <optional>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// The packed form of an array's elements, if they lie one behind the other without gaps.
[[nodiscard]] std::optional<PackedElement> packed_element_of(const FieldClass& element);

}  // namespace tracedeck
