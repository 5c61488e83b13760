#include "tracedeck/flow/time_bounds.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "tracedeck/flow/summary.hpp"

namespace tracedeck::flow {
namespace {

// So many batches without a single time are no start of a trace but all of it, or a flood.
constexpr std::size_t kFarthestAhead = 256;

// Reads ahead to the first event with a time, and hands out what it read in turn.
class ReadAhead final : public RecordSource {
 public:
  explicit ReadAhead(std::unique_ptr<RecordSource> source) : source_(std::move(source)) {}

  // The first event with a time; null when there is none. Valid until the next `next`. When it is
  // too far away, the source ends with an error after what was read.
  const Event* first_timed_event() {
    while (!error_) {
      if (queue_.size() == kFarthestAhead) {
        error_ = Error{.code = ErrorCode::kLimitExceeded,
                       .message =
                           "no event near the start has a time that the bounds could be "
                           "measured from; give them with a date or in ns"};
        break;
      }
      auto batch = source_->next();
      if (!batch) {
        error_ = std::move(batch.error());
        break;
      }
      if (*batch == nullptr) break;
      queue_.push_back(std::move(*batch));
      for (const Record& record : queue_.back()->records()) {
        if (record.kind == RecordKind::kEvent && record.event.event_class->has_real_time())
          return &record.event;
      }
    }
    return nullptr;
  }

  Result<BatchPtr> next() override {
    if (!queue_.empty()) {
      BatchPtr batch = std::move(queue_.front());
      queue_.pop_front();
      return batch;
    }
    if (error_) return std::unexpected(*std::exchange(error_, std::nullopt));
    return source_->next();
  }

 private:
  std::unique_ptr<RecordSource> source_;
  std::deque<BatchPtr> queue_;
  std::optional<Error> error_;
};

using Point = std::optional<TimePoint>;

std::optional<Nanoseconds> time_in(const Point& point, const TimeFrame& frame, Side side) {
  return point ? std::optional(resolve(*point, frame, side)) : std::nullopt;
}

std::vector<Nanoseconds> times_in(const Condition& condition, const TimeFrame& frame) {
  std::vector<Nanoseconds> times;
  for (const TimePoint& point : condition.times()) times.push_back(resolve(point, frame));
  return times;
}

bool is_known_before(const TimePoint& point) {
  return point.from == TimePoint::From::kOrigin || point.from == TimePoint::From::kUnixEpoch;
}

Point if_known(const Point& point) { return point && is_known_before(*point) ? point : Point(); }

}  // namespace

TrimRange ResolvedTimes::both() const {
  TrimRange both = range;
  if (where_range.begin)
    both.begin = std::max(both.begin.value_or(*where_range.begin), *where_range.begin);
  if (where_range.end) both.end = std::min(both.end.value_or(*where_range.end), *where_range.end);
  return both;
}

bool TimeBounds::has(TimePoint::From from) const {
  const auto is = [&](const TimePoint& point) { return point.from == from; };
  return (selection_.begin && is(*selection_.begin)) || (selection_.end && is(*selection_.end)) ||
         (selection_.where != nullptr && std::ranges::any_of(selection_.where->times(), is));
}

std::optional<Nanoseconds> TimeBounds::begin(const std::optional<Nanoseconds>& given) const {
  return given && selection_.tail_begin ? std::max(given, selection_.tail_begin)
         : given                        ? given
                                        : selection_.tail_begin;
}

std::optional<UtcRange> TimeBounds::in_utc(const TimeFrame& frame) const {
  if (frame.wall == nullptr || frame.is_utc || !frame.wall->goes_back()) return std::nullopt;
  const auto utc_of = [](const Point& point) {
    return point && point->from == TimePoint::From::kUnixEpoch ? std::optional(point->value)
                                                               : std::nullopt;
  };
  const auto begin = utc_of(selection_.begin);
  const auto end = utc_of(selection_.end);
  if (!begin && !end) return std::nullopt;
  return UtcRange{.range = {.begin = begin, .end = end}, .frame = frame};
}

void TimeBounds::keep_one_part(ResolvedTimes& times) const {
  if (!selection_.one_offset || !times.utc) return;
  const TimeFrame& frame = times.utc->frame;
  const auto recorded = [&](const std::optional<Nanoseconds>& utc) {
    return utc ? std::optional(*utc - frame.corrected) : std::nullopt;
  };
  const auto part =
      frame.wall->first_within(recorded(times.utc->range.begin), recorded(times.utc->range.end));
  // Without one nothing is in the bounds.
  if (!part) return;
  const auto as_it_comes = [&](const std::optional<Nanoseconds>& time) {
    return time ? std::optional(*time + frame.moved) : std::nullopt;
  };
  const auto narrow = [](std::optional<Nanoseconds>& bound, const auto& by, const auto& choose) {
    if (by) bound = bound ? choose(*bound, *by) : *by;
  };
  narrow(times.range.begin, as_it_comes(part->begin),
         [](Nanoseconds a, Nanoseconds b) { return std::max(a, b); });
  narrow(times.range.end, as_it_comes(part->end),
         [](Nanoseconds a, Nanoseconds b) { return std::min(a, b); });
  if (part->came_before || part->comes_again) {
    const auto if_any = [](bool any, const std::optional<Nanoseconds>& time) {
      return any ? time : std::nullopt;
    };
    times.left_out = std::make_shared<const LeftOutTimes>(
        LeftOutTimes{.before = if_any(part->came_before, times.range.begin),
                     .behind = if_any(part->comes_again, times.range.end)});
  }
  times.utc.reset();
}

void TimeBounds::warm_up(TrimRange& range) const {
  if (selection_.warm_up == nullptr || !range.begin) return;
  std::optional<Nanoseconds>& begin = *selection_.warm_up;
  begin = begin ? std::min(*begin, *range.begin) : range.begin;
  range.begin.reset();
}

ResolvedTimes TimeBounds::known(const TimeFrame& frame) const {
  ResolvedTimes times{
      .range = {.begin = begin(time_in(if_known(selection_.begin), frame, Side::kFirst)),
                .end = time_in(if_known(selection_.end), frame, Side::kLast)},
      .utc = in_utc(frame)};
  keep_one_part(times);
  warm_up(times.range);
  if (selection_.where == nullptr) return times;
  if (std::ranges::all_of(selection_.where->times(), is_known_before))
    times.where_times = times_in(*selection_.where, frame);
  times.where_range = selection_.where->range(times.where_times);
  return times;
}

ResolvedTimes TimeBounds::in(const TimeFrame& frame) const {
  ResolvedTimes times{.range = {.begin = begin(time_in(selection_.begin, frame, Side::kFirst)),
                                .end = time_in(selection_.end, frame, Side::kLast)},
                      .utc = in_utc(frame)};
  keep_one_part(times);
  warm_up(times.range);
  if (selection_.where == nullptr) return times;
  times.where_times = times_in(*selection_.where, frame);
  times.where_range = selection_.where->range(times.where_times);
  return times;
}

std::optional<TimeRange> survey_times(RecordSource& source,
                                      std::shared_ptr<const TraceDescription> description) {
  Summarizer summarizer(std::move(description));
  for (;;) {
    const auto batch = source.next();
    if (!batch || *batch == nullptr) break;
    summarizer.add(**batch);
  }
  return summarizer.finish().time;
}

ClockOrigin origin_of(const StableList<ClockClass>& clocks) {
  const auto from_epoch = [](const ClockClass& clock) {
    return clock.origin == ClockOrigin::kUnixEpoch;
  };
  return std::ranges::any_of(clocks, from_epoch) ? ClockOrigin::kUnixEpoch : ClockOrigin::kUnknown;
}

TimeFrame first_event(std::vector<std::unique_ptr<RecordSource>>& sources) {
  TimeFrame frame;
  std::optional<Nanoseconds> recorded;
  for (std::unique_ptr<RecordSource>& source : sources) {
    auto ahead = std::make_unique<ReadAhead>(std::move(source));
    const Event* event = ahead->first_timed_event();
    if (event != nullptr && (!recorded || event->recorded_at() < *recorded)) {
      recorded = event->recorded_at();
      frame = {.origin = event->event_class->clock->origin,
               .range = TimeRange{event->began_at(), event->began_at()}};
    }
    source = std::move(ahead);
  }
  return frame;
}

}  // namespace tracedeck::flow
