#include "tracedeck/flow/time_frame.hpp"

#include <algorithm>
#include <cstdint>

namespace tracedeck::flow {
namespace {

constexpr std::int64_t kNsPerDay = 86'400'000'000'000;

Nanoseconds midnight_before(Nanoseconds time) {
  const Uint128 part = time.magnitude() % static_cast<Uint128>(kNsPerDay);
  Nanoseconds since = Nanoseconds::from_unsigned(part, time.negative());
  if (since.negative()) since = since + Nanoseconds(kNsPerDay);
  return time - since;
}

}  // namespace

void widen(std::optional<TimeRange>& range, const std::optional<TimeRange>& by) {
  if (!by) return;
  if (!range) {
    range = by;
    return;
  }
  range->first = std::min(range->first, by->first);
  range->last = std::max(range->last, by->last);
}

Nanoseconds resolve(const TimePoint& time, const TimeFrame& frame) {
  const TimeRange range = frame.range.value_or(TimeRange{});
  switch (time.from) {
    case TimePoint::From::kBegin:
      return range.first + time.value;
    case TimePoint::From::kEnd:
      return range.last + time.value;
    case TimePoint::From::kMidnight:
      if (frame.origin != ClockOrigin::kUnixEpoch) break;
      return midnight_before(range.first) + time.value;
    case TimePoint::From::kUnixEpoch:
      return time.value - frame.utc_offset;
    case TimePoint::From::kOrigin:
      break;
  }
  return time.value;
}

}  // namespace tracedeck::flow
