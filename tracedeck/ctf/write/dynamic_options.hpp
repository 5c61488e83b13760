// Values that carry their own type, as an array of tagged nodes: a list or map says how many values
// or pairs follow, and they do, one node each.
#pragma once

#include <array>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

// The class of a node: a variant without a selector.
[[nodiscard]] FieldClassPtr dynamic_node_class();

// A slot as a value of that class: what belongs to a compound slot is left to the next nodes.
[[nodiscard]] std::array<Slot, 2> dynamic_slots(const Slot& slot);

}  // namespace tracedeck::ctf
