#include "tracedeck/flow/time_frame.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace tracedeck::flow {
namespace {

constexpr std::int64_t kNsPerDay = 86'400'000'000'000;

Nanoseconds midnight_before(Nanoseconds time) {
  const Uint128 part = time.magnitude() % static_cast<Uint128>(kNsPerDay);
  Nanoseconds since = Nanoseconds::from_unsigned(part, time.negative());
  if (since.negative()) since = since + Nanoseconds(kNsPerDay);
  return time - since;
}

// What the clocks on the wall show `of_day` after midnight, on the local day of `day`.
Nanoseconds local_time_of_day(Nanoseconds day, Nanoseconds of_day) {
  constexpr Uint128 kPerSecond = 1'000'000'000;
  const Nanoseconds second = day.negative() ? day - Nanoseconds(999'999'999) : day;
  const auto seconds = static_cast<std::time_t>(second.magnitude() / kPerSecond);
  const std::time_t since = second.negative() ? -seconds : seconds;
  std::tm parts{};
  if (::localtime_r(&since, &parts) == nullptr) return midnight_before(day) + of_day;
  const auto whole = static_cast<int>(of_day.magnitude() / kPerSecond);
  parts.tm_hour = whole / 3600;
  parts.tm_min = whole / 60 % 60;
  parts.tm_sec = whole % 60;
  parts.tm_isdst = -1;
  const std::time_t found = std::mktime(&parts);
  return Nanoseconds(std::int64_t{found} * 1'000'000'000) +
         Nanoseconds(static_cast<std::int64_t>(of_day.magnitude() % kPerSecond));
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

bool may_mean_seconds(const TimePoint& time) {
  constexpr Uint128 kMost = ~std::uint64_t{0} / 1'000'000'000;
  return time.is_bare && time.value.magnitude() != 0 && time.value.magnitude() <= kMost;
}

bool may_mean_seconds(const TimePoint& time, const TimeRange& range) {
  if (!may_mean_seconds(time) || time.value >= range.first) return false;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const Nanoseconds seconds =
      Nanoseconds::from_unsigned(time.value.magnitude() * static_cast<Uint128>(kSecond));
  const Nanoseconds length = range.last - range.first;
  return seconds >= range.first - length && seconds <= range.last + length;
}

Nanoseconds to_utc(Nanoseconds time, const TimeFrame& frame) {
  if (frame.wall == nullptr || frame.is_utc) return time;
  return frame.wall->utc(time - frame.moved) + frame.corrected;
}

Nanoseconds resolve(const TimePoint& time, const TimeFrame& frame, Side side) {
  const TimeRange range = frame.range.value_or(TimeRange{});
  switch (time.from) {
    case TimePoint::From::kBegin:
      return range.first + time.value;
    case TimePoint::From::kEnd:
      return range.last + time.value;
    case TimePoint::From::kMidnight:
      if (frame.origin != ClockOrigin::kUnixEpoch) break;
      return midnight_before(range.first) + time.value;
    case TimePoint::From::kLocalMidnight:
      if (frame.origin != ClockOrigin::kUnixEpoch) break;
      return local_time_of_day(range.first, time.value);
    case TimePoint::From::kUnixEpoch: {
      if (frame.wall == nullptr || frame.is_utc) break;
      const Nanoseconds utc = time.value - frame.corrected;
      return frame.moved +
             (side == Side::kFirst ? frame.wall->first_at(utc) : frame.wall->last_at(utc));
    }
    case TimePoint::From::kOrigin:
      break;
  }
  return time.value;
}

}  // namespace tracedeck::flow
