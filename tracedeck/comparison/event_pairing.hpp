// Which events of two data streams stand for one another, where some may be on one side only.
#pragma once

#include <cstddef>
#include <optional>

#include "tracedeck/comparison/stream_pairs.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::comparison {

// Whether equal values of two clocks, which may be null, are equal times.
[[nodiscard]] bool counts_alike(const ClockClass* left, const ClockClass* right);

// How many events before two that match are on one side only.
struct Skipped {
  std::size_t left = 0;
  std::size_t right = 0;
};

// Looks at the first events of two data streams. They stand for one another if they are of the same
// class, by name and id, and have the same time or the same payload: nothing is skipped then.
// Otherwise what is skipped on one of the sides is as little as makes events meet that have all
// three in common, but no more than `kLookAhead`. Nothing: there are none such among those.
[[nodiscard]] std::optional<Skipped> next_match(const WaitingQueue<WaitingEvent>& left,
                                                const WaitingQueue<WaitingEvent>& right);

// So many events behind the first ones `next_match` looks at.
inline constexpr std::size_t kLookAhead = 32;

}  // namespace tracedeck::comparison
