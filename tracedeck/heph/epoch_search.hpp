// Finding the epoch of a trace before its events are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::heph {

// The bytes of a live input that are held back for the epoch at most.
inline constexpr std::size_t kMostHeldBack = std::size_t{64} << 10;

struct EpochSearch {
  std::unique_ptr<io::Input> input = {};    // that delivers everything from its first byte on
  std::optional<std::uint64_t> epoch = {};  // the first in the trace, or in what was looked at
};

// Looks through an input that can be read twice; a live one is held back up to `kMostHeldBack`, its
// first pause, or the time limit of `io::hold_back`, which is notified. Errors: those of rewinding.
[[nodiscard]] Result<EpochSearch> find_epoch(std::unique_ptr<io::Input> input,
                                             const ReadOptions& options);

}  // namespace tracedeck::heph
