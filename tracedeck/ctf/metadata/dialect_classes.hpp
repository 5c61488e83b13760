// Which field classes a dialect has.
#pragma once

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Whether every class in it is one that the dialect has.
[[nodiscard]] bool is_expressible(const FieldClassPtr& field_class, Dialect dialect);

}  // namespace tracedeck::ctf
