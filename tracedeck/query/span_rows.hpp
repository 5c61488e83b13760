// Rows of the stage `spans`: slices and waits that have ended, as `timeline` finds them by tables
// of what events mean. The language knows what they have, and `timeline/span_rows.hpp` makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// The columns that each has, in order; arguments that a query names follow.
enum class SpanColumn : std::uint8_t {
  kName,
  kCategory,
  kLabel,
  kTrack,
  kTrace,    // as it is named where several are read; else empty
  kHost,     // empty: nothing says it
  kProcess,  // empty: nothing says it
  kKind,     // "slice" or "wait"
  kTime,     // of the begin
  kEnd,
  kDuration,  // unknown unless it is whole
  kWhole,     // its duration is known
  kBeganBefore,
  kOpenAtEnd,
  kAcrossLoss,
  kInferredEnd,
  kNegative,
  kClockStep,
  kOverlapLane,
};
inline constexpr std::size_t kSpanColumns = 19;
inline constexpr std::size_t kMostSpanArguments = 1'000;

// In the order of `SpanColumn`.
[[nodiscard]] const std::vector<Column>& span_columns();

// What a query asks of them.
struct SpanPlan {
  bool all = false;  // also of those whose duration is not known
  // Arguments, a column each, by the names that tables give them.
  std::vector<std::string> arguments = {};
};

// What became of all that ended.
struct SpanCounts {
  std::uint64_t whole = 0;           // of known duration
  std::uint64_t left_out = 0;        // without, and in no row unless the query asks for all
  std::uint64_t open = 0;            // of these, those that had not ended when the trace did
  std::uint64_t began_before = 0;    // of these, those that had begun before the trace did
  std::uint64_t across_loss = 0;     // of these, those within which events were lost
  std::uint64_t unmatched_ends = 0;  // ends without a begin
  std::uint64_t not_held = 0;        // begins for which there was no room in memory
  std::uint64_t ended_early = 0;     // data streams that ended long before their traces
};

}  // namespace tracedeck::query
