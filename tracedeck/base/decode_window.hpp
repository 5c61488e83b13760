// How a decoder that works window by window is fed and says how far it came. Every format whose
// frames lie back to back has such a decoder.
#pragma once

#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// The part of an input that is at hand.
struct DecodeWindow {
  PaddedView bytes;
  std::uint64_t offset = 0;  // of the window's first byte in the input
  bool last = false;         // the input ends with it
};

enum class DecodeOutcome : std::uint8_t {
  kConsumed,  // the window is decoded up to its end
  kNeedMore,  // the frame at the position is incomplete: give a window that begins there
  kPaused,    // the handler asked to stop after a whole event, or had no room for the next
  kRejected,  // the specification demands that the input is rejected: see the decoder's `rejection`
};

struct DecodeProgress {
  DecodeOutcome outcome = DecodeOutcome::kConsumed;
  // kNeedMore: bytes from the position on; kPaused: slots for the next event, or 0.
  std::uint64_t needed = 0;
};

}  // namespace tracedeck
