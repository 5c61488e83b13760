// Auxiliary streams (CTF2-SPECRC-3.0, aux-stream): JSON text sequences that say more about a trace.
#pragma once

#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"

namespace tracedeck::ctf {

// Reads a whole auxiliary stream. The variables under `environment` of namespace `std` (env) are
// added to the description's environment; other namespaces are read over. Offsets of findings are
// those of the stream.
[[nodiscard]] std::vector<Finding> read_auxiliary_stream(ByteSpan bytes, Metadata& metadata);

}  // namespace tracedeck::ctf
