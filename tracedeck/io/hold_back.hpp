// Looking ahead in an input that cannot be read twice.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// When a live input counts as paused: so long without a byte.
inline constexpr std::chrono::milliseconds kPause{200};

// How much of an input is held back at most.
struct HoldLimits {
  std::size_t bytes;
  // An input that never pauses shall not be silent for longer, from its first byte on.
  std::chrono::milliseconds time{2000};
};

struct HeldBack {
  std::unique_ptr<Input> input;  // delivers the same bytes from the first on, and then the rest
  bool took_too_long = false;    // it was given up because `HoldLimits::time` was over
};

// Reads `input` until `enough` says so of the bytes read so far, a limit is reached, or the input
// pauses, ends or fails. Its first byte is waited for. `enough(bytes, whole)` is asked after every
// read, with all bytes so far, and once more when the input has ended with them: it should remember
// how far it looked.
[[nodiscard]] HeldBack hold_back(std::unique_ptr<Input> input, HoldLimits limits,
                                 const std::function<bool(ByteSpan, bool)>& enough);

}  // namespace tracedeck::io
