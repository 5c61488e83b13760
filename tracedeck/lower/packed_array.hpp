// Arrays in the form in which readers give them.
#pragma once

#include <cstddef>
#include <vector>

#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::lower {

// Makes the kArray whose head is slot `head`, the last value there, a kPackedArray, where elements
// of that class have such a form.
void pack_array(std::vector<Slot>& slots, std::size_t head, const FieldClass& element,
                ByteArena& arena);

}  // namespace tracedeck::lower
