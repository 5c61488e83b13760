// Scalars and how they are written.
#pragma once

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

struct ScalarTarget {
  FieldClass field_class{.kind = BooleanClass{}};
  EncodeNode node = {};
  bool is_fixed = true;  // it has a byte order
};
// Of a boolean, integer or real that the dialect has. CTF 1.8 has booleans, which programs record,
// as enumerations.
[[nodiscard]] ScalarTarget scalar_target(const FieldClass& source, Dialect dialect);

// Gives a fixed-length integer that says how long a packet is, by the roles of its node, 64 bits.
void widen_size(ScalarTarget& target);

// An unsigned integer of 8 bits.
[[nodiscard]] FieldClassPtr byte_class();

// Whether it does not fit 64 bits.
[[nodiscard]] bool is_wide(const IntegerClass& integer);

}  // namespace tracedeck::ctf
