// The bounds of a selection as times of one trace's clocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tracedeck/flow/selection.hpp"
#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/flow/trim.hpp"

namespace tracedeck::flow {

// A wall clock that was set back brings times between bounds in UTC more than once, and one part of
// them is read. What lies before `before` and behind `behind` is left out; absent: nothing is.
struct LeftOutTimes {
  std::optional<Nanoseconds> before = {};
  std::optional<Nanoseconds> behind = {};
};

// What the times that a selection names are in one trace.
struct ResolvedTimes {
  TrimRange range = {};                       // of `begin` and `end`
  TrimRange where_range = {};                 // that events lie in which meet the condition
  std::vector<Nanoseconds> where_times = {};  // of the condition; see `FilterContext`
  std::optional<UtcRange> utc = {};           // of `begin` and `end`, where `range` holds more
  std::shared_ptr<const LeftOutTimes> left_out = {};  // null: nothing

  // What has to be read.
  [[nodiscard]] TrimRange both() const;
};

// The times that a selection names, to be resolved.
class TimeBounds {
 public:
  explicit TimeBounds(const Selection& selection) : selection_(selection) {}

  // Whether one is measured from the trace's first or last event.
  [[nodiscard]] bool needs_range() const { return has(TimePoint::From::kBegin) || needs_last(); }
  [[nodiscard]] bool needs_last() const { return has(TimePoint::From::kEnd); }
  // Whether one is a time of a day that the first event decides.
  [[nodiscard]] bool needs_day() const {
    return has(TimePoint::From::kMidnight) || has(TimePoint::From::kLocalMidnight);
  }
  // Whether one is in UTC.
  [[nodiscard]] bool needs_utc() const { return has(TimePoint::From::kUnixEpoch); }

  // Those for which `frame` needs no range; the others do not limit.
  [[nodiscard]] ResolvedTimes known(const TimeFrame& frame) const;
  [[nodiscard]] ResolvedTimes in(const TimeFrame& frame) const;

 private:
  [[nodiscard]] bool has(TimePoint::From from) const;
  // The later of `given` and the begin of a tail.
  [[nodiscard]] std::optional<Nanoseconds> begin(const std::optional<Nanoseconds>& given) const;
  // What of the bounds is in UTC, where the wall clock goes back.
  [[nodiscard]] std::optional<UtcRange> in_utc(const TimeFrame& frame) const;
  // Durations are measured of times one behind the other: up to where UTC first leaves the bounds.
  void keep_one_part(ResolvedTimes& times) const;
  // What is to come all the same is not limited by `begin`.
  void warm_up(TrimRange& range) const;

  const Selection& selection_;
};

// Reads `source` to its end and returns the range of its events. An error ends the reading.
[[nodiscard]] std::optional<TimeRange> survey_times(
    RecordSource& source, std::shared_ptr<const TraceDescription> description);

// What the events of a trace with these clocks count from.
[[nodiscard]] ClockOrigin origin_of(const StableList<ClockClass>& clocks);

// The landmarks of a trace as far as its first event tells. Its sources are read ahead to their
// first events with a time and yield all the same what was read. Such a source that has none near
// its start ends with an error after what was read ahead.
[[nodiscard]] TimeFrame first_event(std::vector<std::unique_ptr<RecordSource>>& sources);

}  // namespace tracedeck::flow
