// Times as people write them: the bounds of a selection.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "tracedeck/base/time.hpp"

namespace tracedeck {

// A time as it was written. What it is measured from, only a trace knows.
struct TimePoint {
  enum class From : std::uint8_t {
    kOrigin,         // the origin of the trace's clock
    kUnixEpoch,      // in UTC
    kMidnight,       // of a day that the trace decides
    kBegin,          // the trace's first event
    kEnd,            // the trace's last event
    kLocalMidnight,  // of that day in the local time zone, by what clocks show there
  };

  Nanoseconds value = {};  // ns
  From from = From::kOrigin;
  bool is_bare =
      false;  // an integer without a unit: of ns, where the writer may have meant seconds

  friend bool operator==(const TimePoint&, const TimePoint&) = default;
};

// The forms that `parse_time_point` takes, for help and messages.
inline constexpr std::string_view kTimeForms =
    "an integer of ns, 503226.5 (seconds), 12.5s, 10ms, +5s, end-2s, hh:mm:ss.n, "
    "2023-11-14 22:13:20 or RFC 3339";

// Reads a time of one of these forms:
//   1700000000   an integer of ns from the origin of the clock; may be negative
//   503226.5     seconds from there
//   12.5s, 10ms  a number with a unit (ns, us, ms, s, min or m, h) from there
//   +5s, +7      after the trace's first event; a number without point or unit is of ns
//   end-2s       before its last event
//   22:13:20.5   a time of day, up to nine decimals; hours may pass 23
//   2023-11-14T22:13:20.5+01:00, 2023-11-14 22:13:20
//                RFC 3339; without a zone in UTC
// The error is a sentence about what is wrong.
[[nodiscard]] std::expected<TimePoint, std::string> parse_time_point(std::string_view text);

}  // namespace tracedeck
