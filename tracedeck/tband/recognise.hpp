// Distinguishing Tonbandgerät traces from other bytes, without a magic number (notes, "Reading
// policy").
#pragma once

#include <cstddef>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::tband {

// How many first bytes are looked at.
inline constexpr std::size_t kRecognitionSize = std::size_t{64} << 10;

// Whether an input that begins with `head` is such a trace. `whole`: it ends there.
//
// Of the frames, but for empty ones and an incomplete first and last, there must be at least 8 of
// which 9 in 10 decode, or 3 to 7 that all decode and are all there are. A first frame that does
// not decode counts as incomplete: a ring buffer begins anywhere. Of random frames one in 5,000
// decodes.
[[nodiscard]] bool recognises(ByteSpan head, bool whole);

}  // namespace tracedeck::tband
