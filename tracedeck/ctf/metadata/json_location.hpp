// Field locations in JSON metadata (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Field location").
#pragma once

#include <optional>

#include "tracedeck/ctf/metadata/json_scope.hpp"

namespace tracedeck::ctf {

// `value` is of the JSON type that the dialect demands. Reports what is wrong with it; where it
// leads is not looked at.
[[nodiscard]] std::optional<FieldLocation> read_location(JsonRef value, JsonScope& scope);

}  // namespace tracedeck::ctf
