// Which process wrote a dial9 file, and what else its recorder says of itself.
#pragma once

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/format/file_origin.hpp"

namespace tracedeck::dial9 {

// From the first bytes of a file: the first event `SegmentMetadataEvent` (before 2026
// `SegmentMetadata`), and the first time. What is not among them stays unknown.
[[nodiscard]] FileOrigin segment_origin(ByteSpan head);

}  // namespace tracedeck::dial9
