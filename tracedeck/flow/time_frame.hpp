// What the times that a user wrote are measured from in one trace.
#pragma once

#include <optional>

#include "tracedeck/base/time_point.hpp"
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
  Nanoseconds utc_offset = {};                 // to be added to its times to get UTC
};

// `time` in ns from the origin of the trace's clock. A time of day is one of the UTC day of the
// first event where the clock counts from the Unix epoch, and counts from the clock's own origin
// otherwise. A time in UTC is mapped by `utc_offset`. A trace without timed events begins and ends
// at 0.
[[nodiscard]] Nanoseconds resolve(const TimePoint& time, const TimeFrame& frame);

}  // namespace tracedeck::flow
