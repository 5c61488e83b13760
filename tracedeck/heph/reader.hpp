// Reads a Heph trace as records of the model.
//
// Every stream id is a data stream; substream and counter are the common context of its events,
// which belongs to their identity. Events lie on the tape of their batch and point into the input's
// window. Without `ReadOptions::values` they are checked and examined for findings all the same,
// but not stored.
//
// The epoch holds for the whole trace: an input that can be read twice is looked through for it
// first, a live one is held back for a moment. Missing events are known from the counters (see
// stream_counter.hpp).
#pragma once

#include <algorithm>
#include <memory>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/heph/wire.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::heph {

// How large a window may grow: a packet, and what shows that another follows it.
[[nodiscard]] inline std::uint64_t window_limit(std::uint64_t max_state) {
  return std::min(max_state, kMaxPacketSize) + kPrefixSize;
}

// Errors: those of rewinding the input.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                                          const ReadOptions& options);

}  // namespace tracedeck::heph
