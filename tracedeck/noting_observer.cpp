#include "tracedeck/noting_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/render/time_text.hpp"

namespace tracedeck {
namespace {

// A date says when it was in UTC.
bool is_date(const std::optional<TimePoint>& point) {
  return point && point->from == TimePoint::From::kUnixEpoch;
}

bool relates_to_utc(const TraceDescription& description) {
  const Format* const format = find_format(description.format());
  const auto from_epoch = [](const ClockClass& clock) {
    return clock.origin == ClockOrigin::kUnixEpoch;
  };
  return format == nullptr || !format->info().clock_sync_event.empty() ||
         description.clocks().empty() || std::ranges::any_of(description.clocks(), from_epoch);
}

}  // namespace

void NotingObserver::expect(const flow::Selection& selection, std::string condition) {
  condition_ = std::move(condition);
  selects_dates_ = is_date(selection.begin) || is_date(selection.end);
}

void NotingObserver::opened(const TraceDescription& description) {
  if (const std::string twice = sessions_.see(description); !twice.empty()) note(twice);
  if (!selects_dates_ || relates_to_utc(description)) return;
  note(fmt::format(
      "{}: nothing relates its clock to UTC, so a date is compared with times since its own "
      "origin; give --begin and --end as its times are printed",
      description.input()));
}

void NotingObserver::common_time(const std::string& trace, const TraceDescription& description,
                                 const flow::TimeRange& range) {
  const ClockOrigin origin = render::common_origin(description.clocks());
  note(range.last < range.first
           ? render::say<"notice/no-common-time">(trace)
           : render::say<"notice/common-time">(trace, render::time_text(range.first, origin),
                                               render::time_text(range.last, origin)));
}

void NotingObserver::wall_clock(const std::string& trace, const flow::WallClock& wall,
                                bool by_one_offset) {
  const auto utc_text = [&](Nanoseconds time) {
    return render::time_text(wall.utc(time), ClockOrigin::kUnixEpoch);
  };
  constexpr std::size_t kMost = 3;
  const std::vector<flow::WallClock::Step> steps = wall.steps();
  for (const auto& step : std::span(steps).first(std::min(steps.size(), kMost))) {
    note(render::say<"notice/clock-step">(
        trace, utc_text(step.after), utc_text(step.at),
        render::seconds_text(step.by.negative() ? -step.by : step.by),
        step.by.negative() ? "less" : "more"));
  }
  if (steps.size() > kMost)
    note(render::say<"notice/more-clock-steps">(trace, render::Plain(steps.size() - kMost)));
  const Nanoseconds most =
      std::max(wall.greatest_offset() - wall.offset(), wall.offset() - wall.least_offset());
  if (by_one_offset && most != Nanoseconds()) {
    note(render::say<"notice/clock-drift">(trace, render::seconds_text(most)));
  }
}

void NotingObserver::one_part(const std::string& trace, std::optional<Nanoseconds> first,
                              std::optional<Nanoseconds> last) {
  const auto text = [](Nanoseconds time) {
    return render::time_text(time, ClockOrigin::kUnixEpoch);
  };
  if (first) note(render::say<"notice/utc-before">(trace, text(*first)));
  if (last) note(render::say<"notice/utc-again">(trace, text(*last)));
}

void NotingObserver::selected_nothing(const flow::NothingSelected& what) {
  const std::string_view whose = what.traces == 1 ? "the trace has" : "the traces have";
  if (what.by_condition && !what.by_time) {
    note("nothing selected: no event meets " + condition_);
    return;
  }
  if (!what.range) {
    note(fmt::format("nothing selected: {} no event with a time", whose));
    return;
  }
  note(fmt::format("nothing selected: {} events from {} to {}", whose,
                   render::time_text(what.range->first, what.origin),
                   render::time_text(what.range->last, what.origin)));
}

}  // namespace tracedeck
