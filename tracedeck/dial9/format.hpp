// dial9-trace-format in the table of formats.
#pragma once

#include "tracedeck/format/format.hpp"

namespace tracedeck::dial9 {

[[nodiscard]] const Format& format();

}  // namespace tracedeck::dial9
