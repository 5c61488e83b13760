// What the times that a user wrote are measured from in one trace.
#pragma once

#include <memory>
#include <optional>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/flow/wall_clock.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::flow {

// The earliest and the latest time of some events, ns from the origin of their clock.
struct TimeRange {
  Nanoseconds first;
  Nanoseconds last;
};

// Widens `range` so that it holds `by` too.
void widen(std::optional<TimeRange>& range, const std::optional<TimeRange>& by);

// The times of events that somebody came across.
struct TimesSeen {
  std::optional<TimeRange> range = {};
  ClockOrigin origin = ClockOrigin::kUnknown;

  void add(Nanoseconds time, ClockOrigin of) {
    origin = of;
    widen(range, TimeRange{time, time});
  }
};

// The landmarks of a trace, as far as they are known.
struct TimeFrame {
  ClockOrigin origin = ClockOrigin::kUnknown;  // of the clock that its events have
  std::optional<TimeRange> range = {};         // of its events
  // How times as recorded relate to UTC; null: as they come they count as UTC.
  std::shared_ptr<const WallClock> wall = {};
  Nanoseconds moved = {};  // what was added to times since they were recorded
  // Of that, what corrects the clock, and so UTC too.
  Nanoseconds corrected = {};
  bool is_utc = false;  // they come in UTC already
};

// A time of the trace, as it comes, in UTC.
[[nodiscard]] Nanoseconds to_utc(Nanoseconds time, const TimeFrame& frame);

// Which of the times that have the same UTC a bound is: a wall clock that was set back shows some
// twice.
enum class Side : std::uint8_t { kFirst, kLast };

// Whether `time` is an integer of ns that may have been meant as seconds: it lies before all
// events, and so many seconds lie among them or as near to them as they are to each other.
[[nodiscard]] bool may_mean_seconds(const TimePoint& time, const TimeRange& range);
// Whether it could be so in any trace.
[[nodiscard]] bool may_mean_seconds(const TimePoint& time);

// `time` in ns from the origin of the trace's clock. A time of day is one of the UTC day of the
// first event where the clock counts from the Unix epoch, and counts from the clock's own origin
// otherwise. A time in UTC is mapped by `wall`. A trace without timed events begins and ends at 0.
[[nodiscard]] Nanoseconds resolve(const TimePoint& time, const TimeFrame& frame,
                                  Side side = Side::kFirst);

}  // namespace tracedeck::flow
