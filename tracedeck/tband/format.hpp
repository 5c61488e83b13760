// Tonbandgerät in the table of formats.
#pragma once

#include "tracedeck/format/format.hpp"

namespace tracedeck::tband {

[[nodiscard]] const Format& format();

}  // namespace tracedeck::tband
