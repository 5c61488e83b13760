// The Heph trace format as the rest of the house sees it.
#pragma once

#include "tracedeck/format/format.hpp"

namespace tracedeck::heph {

[[nodiscard]] const Format& format();

}  // namespace tracedeck::heph
