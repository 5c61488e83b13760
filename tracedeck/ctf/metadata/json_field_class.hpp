// Field classes of JSON metadata (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Field classes").
#pragma once

#include "tracedeck/ctf/metadata/json_scope.hpp"

namespace tracedeck::ctf {

// Makes a field class of a value: an object or, in CTF2-SPEC-2.0, the name of an alias. Reports all
// that is wrong with it, but for where its locations lead and for where its roles stand. Notes the
// place of each class in `scope.places`, but for scalars that are shared (`scope.scalars`).
[[nodiscard]] BuiltClass read_field_class(JsonRef value, JsonScope& scope);

}  // namespace tracedeck::ctf
