// Rows of the stage `samples`: stacks that were sampled, and what their thread was inside of. The
// language knows what they have, and `timeline/sample_rows.hpp` makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// The columns that each has, in order.
enum class SampleColumn : std::uint8_t {
  kTime,
  kName,   // "on cpu"
  kTrack,  // of the worker that its thread was then; else of the thread
  kTid,
  kThread,  // its name; unknown where nothing says it
  kInside,  // the slices that are open there, the outermost first; empty: none
  kSymbol,
  kStack,
  kTrace,    // as it is named where several are read; else empty
  kHost,     // empty: nothing says it
  kProcess,  // empty: nothing says it
};
inline constexpr std::size_t kSampleColumns = 11;

// In the order of `SampleColumn`.
[[nodiscard]] const std::vector<Column>& sample_columns();

struct SampleCounts {
  std::uint64_t samples = 0;
  std::uint64_t doubtful = 0;  // of these, behind a loss, so that it is unknown what is open
  // Of these, before the end of what had begun before the trace, which they may be inside of.
  std::uint64_t perhaps_inside = 0;
};

}  // namespace tracedeck::query
