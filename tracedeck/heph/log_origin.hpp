// Which recording a Heph trace log is of.
#pragma once

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/format/file_origin.hpp"

namespace tracedeck::heph {

// From the first bytes of a file: its epoch, which is that of the process's start and so shared by
// the files of one process alone, and the end of the first event.
[[nodiscard]] FileOrigin log_origin(ByteSpan head);

}  // namespace tracedeck::heph
