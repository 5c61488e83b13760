// Which recording a Tonbandgerät file is of.
#pragma once

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/format/file_origin.hpp"

namespace tracedeck::tband {

// From the first bytes of a file: the resolution of its clock, if it says one, and the first time.
[[nodiscard]] FileOrigin stream_origin(ByteSpan head);

}  // namespace tracedeck::tband
