// Rows of the stage `allocations`: sampled allocations and what became of them. The language knows
// what they have, and `timeline/allocation_rows.hpp` makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// The columns that each has, in order.
enum class AllocationColumn : std::uint8_t {
  kTime,
  kSize,
  kWeight,       // allocations that it stands for
  kWeightBytes,  // bytes that these took
  kLive,         // unknown where frees are not tracked
  kFreedAt,      // unknown of what is live, or was freed at an unknown time
  kLifetime,     // between both
  kSymbol,
  kStack,
  kTid,
  kAddress,
  kTrace,  // as it is named where several are read; else empty
};
inline constexpr std::size_t kAllocationColumns = 12;

// In the order of `AllocationColumn`.
[[nodiscard]] const std::vector<Column>& allocation_columns();

// What became of all that were sampled.
struct AllocationCounts {
  std::uint64_t allocations = 0;      // in rows
  std::uint64_t live = 0;             // of these, not freed by the end
  std::uint64_t untracked = 0;        // without an address, so that frees are not recorded
  std::uint64_t not_held = 0;         // beyond those that are followed at once
  std::uint64_t unscaled = 0;         // at a rate that is not recorded
  std::uint64_t unmatched_frees = 0;  // frees of what was not sampled in the trace
};

}  // namespace tracedeck::query
