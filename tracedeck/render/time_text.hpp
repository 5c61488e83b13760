// Times, intervals and sizes for people; every digit is there.
#pragma once

#include <cstdint>
#include <string>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/render/text_buffer.hpp"

namespace tracedeck::render {

// A time in ns from a clock's origin. From the Unix epoch, RFC 3339 in UTC
// ("2020-11-11T16:24:59.000000123Z"), for the years 0000 to 9999; else seconds with nine decimals
// ("-0.000000001"). Each returns how many characters that took.
std::size_t append_time(TextBuffer& out, Nanoseconds time, ClockOrigin origin);
// Seconds with nine decimals and a sign: "+0.000001234".
std::size_t append_delta(TextBuffer& out, Nanoseconds delta);
// Seconds with nine decimals, and a sign only when negative.
std::size_t append_seconds(TextBuffer& out, Nanoseconds interval);

[[nodiscard]] std::string time_text(Nanoseconds time, ClockOrigin origin);
[[nodiscard]] std::string seconds_text(Nanoseconds interval);

}  // namespace tracedeck::render
