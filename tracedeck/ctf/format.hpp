// The Common Trace Format as one of the formats.
#pragma once

#include "tracedeck/format/format.hpp"

namespace tracedeck::ctf {

// Static storage.
[[nodiscard]] const Format& format();

}  // namespace tracedeck::ctf
