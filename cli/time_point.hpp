// The times that --begin and --end take.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::cli {

// A time as the user wrote it. A time of day means nothing by itself: it waits for the trace.
struct TimePoint {
  Nanoseconds value;         // ns since the clock's origin, or since midnight
  bool time_of_day = false;  // written as hh:mm:ss

  // The time in ns since the clock's origin. A time of day is one of the UTC day of `first`, the
  // trace's first event, when the clock counts from the Unix epoch, and counts from the clock's own
  // origin otherwise.
  [[nodiscard]] Nanoseconds resolve(ClockOrigin origin, Nanoseconds first) const;
};

// Parses an integer of ns, `hh:mm:ss` with up to nine decimals (hours may pass 23), or RFC 3339
// ("2026-11-21T03:19:00.5+01:00"). The error is a sentence about what is wrong.
[[nodiscard]] std::expected<TimePoint, std::string> parse_time_point(std::string_view text);

}  // namespace tracedeck::cli
