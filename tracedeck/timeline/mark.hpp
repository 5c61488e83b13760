// Marks: what events mean. A slice began or ended on a track, a state changed, a counter was set,
// something happened at one moment, one thing led to another, or nothing is known for a while.
//
// Marks come in the order of `time` but for those that are `kLate`. Slices nest on each track: an
// end closes the slice that began last and is open.
#pragma once

#include <cstdint>
#include <limits>

#include "tracedeck/model/record.hpp"

namespace tracedeck::timeline {

class Arguments;

// Numbers from 1 on, of `Timeline::track` and `Timeline::name`.
using TrackId = std::uint32_t;
using NameId = std::uint32_t;
inline constexpr TrackId kNoTrack = 0;
inline constexpr NameId kNoName = 0;

enum class MarkKind : std::uint8_t {
  kSliceBegin,  // `name`
  kSliceEnd,    // `name` of what began at `begin`
  kInstant,     // `name`
  kState,       // from now on `name`, or kNoName: nothing is known; `value`: what was spent in the
                // state before (of a table's `spent`); `cpu` where a task runs, or ran last
  kCounter,     // `value`, or `real` with `kReal`
  kFlowOut,     // `flow` leaves the track here, and
  kFlowIn,      // arrives here
  kWait,        // `name` was waited for from `begin` to `time`, when it was served on `track`, or
                // was not yet (kOpenAtEnd): then `track` is of all such
  kGap,         // `name` says what is missing between `begin` and `time`
  kOtherState,  // one of what shares the track of all others was in state `name` from `begin` to
                // `time`, or is so still (kOpenAtEnd)
};

// What is to be known about a mark beside what it says.
enum MarkFlag : std::uint16_t {
  kBeganBefore = 1 << 0,  // the slice, or state, began before the trace did
  // The trace ends within the slice, with kInferredEnd within it or another one of its key that was
  // open when it began; of kState, the trace of the track ends before others do.
  kOpenAtEnd = 1 << 1,
  kAcrossLoss = 1 << 2,    // events were lost within the slice: it may be several
  kInferredEnd = 1 << 3,   // nothing says that it ended: something else began
  kOverlap = 1 << 4,       // on a lane, because it overlaps another slice without being inside
  kClockStep = 1 << 5,     // the clock stepped back meanwhile: its times are clamped
  kUnmatchedEnd = 1 << 6,  // an instant that is an end without a begin
  kNegative = 1 << 7,      // ended before it began: its duration is 0
  kMoved = 1 << 8,      // not an end or begin of the slice: it goes on on another lane from here on
  kLate = 1 << 9,       // comes behind marks with later times
  kReal = 1 << 10,      // a counter's value is `real`
  kMarked = 1 << 11,    // by the table: its arguments are always kept
  kUnplaced = 1 << 12,  // an end of a slice that no lane had room for: it has no begin on its track
  kGone = 1 << 13,      // it ended because its task did
};
// Slices with one of these have no known duration, and count in no quantile.
inline constexpr std::uint16_t kNoDuration = kBeganBefore | kOpenAtEnd | kAcrossLoss |
                                             kInferredEnd | kNegative | kMoved | kClockStep | kGone;

// What has none of these is where its track is, and lasted as long as it says.
inline constexpr std::uint16_t kOdd = kNoDuration | kOverlap | kUnmatchedEnd | kUnplaced;

inline constexpr std::int32_t kNoCpu = -1;

// Times are nanoseconds from `Timeline::base`, saturated to 64 bits.
struct Mark {
  MarkKind kind = MarkKind::kInstant;
  std::uint16_t flags = 0;
  TrackId track = kNoTrack;
  NameId name = kNoName;
  std::int32_t cpu = kNoCpu;
  std::int64_t time = 0;
  union {
    std::int64_t begin = 0;
    std::int64_t value;
    double real;
    std::uint64_t flow;
  };
  // What it came of and which fields of that are worth a look; null where it has none. They live as
  // long as the batch that was interpreted.
  const Event* event = nullptr;
  const Arguments* arguments = nullptr;

  [[nodiscard]] bool has(MarkFlag flag) const { return (flags & flag) != 0; }
  // Of a slice's end.
  [[nodiscard]] bool has_duration() const { return (flags & kNoDuration) == 0; }
  [[nodiscard]] std::int64_t duration() const { return time - begin; }
};

}  // namespace tracedeck::timeline
