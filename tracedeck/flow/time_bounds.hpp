// The bounds of a selection as times of one trace's clocks.
#pragma once

#include "tracedeck/flow/selection.hpp"
#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/flow/trim.hpp"

namespace tracedeck::flow {

class TimeBounds {
 public:
  explicit TimeBounds(const Selection& selection) : begin_(selection.begin), end_(selection.end) {}

  // Whether a bound is measured from the trace's first or last event.
  [[nodiscard]] bool needs_range() const { return has(TimePoint::From::kBegin) || needs_last(); }
  [[nodiscard]] bool needs_last() const { return has(TimePoint::From::kEnd); }
  // Whether a bound is a time of a day that the first event decides.
  [[nodiscard]] bool needs_day() const { return has(TimePoint::From::kMidnight); }

  // Whether a bound is in UTC.
  [[nodiscard]] bool needs_utc() const { return has(TimePoint::From::kUnixEpoch); }

  // The bounds for which `frame` needs no range; the others do not limit.
  [[nodiscard]] TrimRange known(const TimeFrame& frame) const {
    return {.begin = known(begin_, frame), .end = known(end_, frame)};
  }
  [[nodiscard]] TrimRange in(const TimeFrame& frame) const {
    return {.begin = in(begin_, frame), .end = in(end_, frame)};
  }

 private:
  using Point = std::optional<TimePoint>;

  [[nodiscard]] bool has(TimePoint::From from) const {
    return (begin_ && begin_->from == from) || (end_ && end_->from == from);
  }
  static std::optional<Nanoseconds> known(const Point& point, const TimeFrame& frame) {
    if (!point ||
        (point->from != TimePoint::From::kOrigin && point->from != TimePoint::From::kUnixEpoch))
      return std::nullopt;
    return resolve(*point, frame);
  }
  static std::optional<Nanoseconds> in(const Point& point, const TimeFrame& frame) {
    if (!point) return std::nullopt;
    return resolve(*point, frame);
  }

  Point begin_;
  Point end_;
};

// Reads `source` to its end and returns the landmarks of its trace. An error ends the reading.
[[nodiscard]] TimeFrame survey_times(RecordSource& source,
                                     std::shared_ptr<const TraceDescription> description);

// The same of the first event among sources of a trace, which are read ahead to their first events
// with a time and yield all the same what was read. Such a source that has none near its start
// ends with an error after what was read ahead.
[[nodiscard]] TimeFrame first_event(std::vector<std::unique_ptr<RecordSource>>& sources);

}  // namespace tracedeck::flow
