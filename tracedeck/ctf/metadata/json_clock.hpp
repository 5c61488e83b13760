// Clock classes of JSON metadata (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Clock class fragment").
#pragma once

#include <optional>

#include "tracedeck/ctf/metadata/json_properties.hpp"
#include "tracedeck/ctf/metadata/json_scope.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

struct JsonClock {
  ClockClass clock = {};
  std::optional<Uuid> uuid = {};  // of CTF2-SPECRC-3.0
  bool usable = false;            // it has an id and a frequency
};

// Reads the properties of a clock class fragment and reports what is wrong with it by itself.
[[nodiscard]] JsonClock read_json_clock(const FoundProperties& found, JsonScope& scope);

}  // namespace tracedeck::ctf
