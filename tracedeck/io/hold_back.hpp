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

// Reads `input` until `enough` says so of the bytes read so far, there are `limit` of them, the
// input pauses, ends or fails. Returns an input that delivers the same bytes from the first on, and
// then the rest. `enough(bytes, whole)` is asked after every read, with all bytes so far, and once
// more when the input has ended with them: it should remember how far it looked.
[[nodiscard]] std::unique_ptr<Input> hold_back(std::unique_ptr<Input> input, std::size_t limit,
                                               const std::function<bool(ByteSpan, bool)>& enough);

}  // namespace tracedeck::io
