#include "tracedeck/base/time_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace tracedeck {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Consumes text from the front; any step that fails leaves `ok` false.
struct Scanner {
  std::string_view rest;
  bool ok = true;

  void expect(char c) {
    if (ok && !rest.empty() && rest.front() == c) {
      rest.remove_prefix(1);
    } else {
      ok = false;
    }
  }
  // A number of `least` to `most` digits.
  std::int64_t number(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    std::int64_t value = 0;
    while (count < most && count < rest.size() && is_digit(rest[count])) {
      value = value * 10 + (rest[count] - '0');
      ++count;
    }
    ok = ok && count >= least;
    rest.remove_prefix(count);
    return value;
  }
  // Decimals after a point, as nanoseconds; 0 when there is no point.
  std::int64_t fraction() {
    if (!ok || rest.empty() || rest.front() != '.') return 0;
    rest.remove_prefix(1);
    const std::size_t before = rest.size();
    std::int64_t value = number(1, 9);
    for (std::size_t digits = before - rest.size(); digits < 9; ++digits) value *= 10;
    return value;
  }
};

// A unit that a number may have, or "" for seconds of a number with a point.
struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", kNsPerSecond},
    Unit{"m", 60 * kNsPerSecond},
    Unit{"min", 60 * kNsPerSecond},
    Unit{"h", 3'600 * kNsPerSecond},
};

// Where the digits at the front of `text` end.
std::size_t digits_of(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// ns in one of what a number counts: its unit, or seconds where it has a point, or ns. 0: no unit
// is called so.
std::int64_t scale_of(std::string_view unit, bool has_point) {
  if (unit.empty()) return has_point ? kNsPerSecond : 1;
  const auto* const found =
      std::ranges::find_if(kUnits, [&](const Unit& each) { return each.name == unit; });
  return found == kUnits.end() ? 0 : found->nanoseconds;
}

std::unexpected<std::string> no_time(std::string_view text) {
  return std::unexpected(fmt::format("'{}' is no time: {} are", text, kTimeForms));
}

// An unsigned number with or without a point and a unit, in ns; `whole` is what a message names.
std::expected<Nanoseconds, std::string> parse_number(std::string_view text,
                                                     std::string_view whole) {
  const std::string_view integer = text.substr(0, digits_of(text));
  std::string_view rest = text.substr(integer.size());
  const bool has_point = rest.starts_with('.');
  if (has_point) rest.remove_prefix(1);
  const std::string_view decimals = rest.substr(0, has_point ? digits_of(rest) : 0);
  const std::int64_t scale = scale_of(rest.substr(decimals.size()), has_point);
  if (integer.empty() || (has_point && decimals.empty()) || scale == 0) return no_time(whole);

  std::uint64_t count = 0;
  const auto [stopped, error] =
      std::from_chars(integer.data(), integer.data() + integer.size(), count);
  if (error == std::errc::result_out_of_range)
    return std::unexpected(fmt::format("'{}' is more than 64 bits hold", whole));
  std::int64_t left = scale;
  std::int64_t fraction = 0;
  for (const char digit : decimals) {
    if (digit != '0' && left % 10 != 0)
      return std::unexpected(fmt::format("'{}' is finer than a nanosecond", whole));
    left /= 10;
    fraction += (digit - '0') * left;
  }
  return Nanoseconds::from_unsigned(static_cast<Uint128>(count) * static_cast<Uint128>(scale)) +
         Nanoseconds(fraction);
}

// "5", "-0.5", "+5s", "end-2s".
std::expected<TimePoint, std::string> parse_count(std::string_view text) {
  constexpr std::string_view kBeforeEnd = "end-";
  const bool from_end = text.starts_with(kBeforeEnd);
  const bool negative = from_end || text.starts_with('-');
  const bool from_begin = text.starts_with('+');
  const std::size_t sign = from_end ? kBeforeEnd.size() : negative || from_begin ? 1 : 0;
  const auto number = parse_number(text.substr(sign), text);
  if (!number) return std::unexpected(number.error());
  return TimePoint{.value = negative ? -*number : *number,
                   .from = from_end     ? TimePoint::From::kEnd
                           : from_begin ? TimePoint::From::kBegin
                                        : TimePoint::From::kOrigin,
                   .is_bare = sign == 0 && digits_of(text) == text.size()};
}

std::expected<TimePoint, std::string> parse_time_of_day(std::string_view text) {
  Scanner scan{text};
  const std::int64_t hours = scan.number(1, 7);
  scan.expect(':');
  const std::int64_t minutes = scan.number(2, 2);
  scan.expect(':');
  const std::int64_t seconds = scan.number(2, 2);
  const std::int64_t fraction = scan.fraction();
  if (!scan.ok || !scan.rest.empty() || minutes > 59 || seconds > 59) {
    return std::unexpected(fmt::format("'{}' is no time of the form hh:mm:ss.nnnnnnnnn", text));
  }
  const Nanoseconds whole =
      Nanoseconds::from_unsigned(static_cast<Uint128>((hours * 60 + minutes) * 60 + seconds) *
                                 static_cast<Uint128>(kNsPerSecond));
  return TimePoint{.value = whole + Nanoseconds(fraction), .from = TimePoint::From::kMidnight};
}

// Seconds east of UTC: "Z", "+hh:mm" or "-hh:mm", or nothing, which is UTC.
std::int64_t parse_zone(Scanner& scan) {
  if (scan.rest.empty()) return 0;
  if (scan.rest == "Z" || scan.rest == "z") {
    scan.rest = {};
    return 0;
  }
  const bool west = scan.rest.starts_with('-');
  scan.expect(west ? '-' : '+');
  const std::int64_t hours = scan.number(2, 2);
  scan.expect(':');
  const std::int64_t minutes = scan.number(2, 2);
  scan.ok = scan.ok && hours < 24 && minutes < 60;
  const std::int64_t seconds = (hours * 60 + minutes) * 60;
  return west ? -seconds : seconds;
}

std::expected<TimePoint, std::string> parse_rfc3339(std::string_view text) {
  Scanner scan{text};
  const std::int64_t year = scan.number(4, 4);
  scan.expect('-');
  const std::int64_t month = scan.number(2, 2);
  scan.expect('-');
  const std::int64_t day = scan.number(2, 2);
  scan.ok = scan.ok && !scan.rest.empty() && std::string_view("Tt ").contains(scan.rest.front());
  if (scan.ok) scan.rest.remove_prefix(1);
  const std::int64_t hours = scan.number(2, 2);
  scan.expect(':');
  const std::int64_t minutes = scan.number(2, 2);
  scan.expect(':');
  const std::int64_t seconds = scan.number(2, 2);
  const std::int64_t fraction = scan.fraction();
  const std::int64_t zone = parse_zone(scan);
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  // Second 60 is a leap second, which falls on the first of the next minute.
  if (!scan.ok || !scan.rest.empty() || !date.ok() || hours > 23 || minutes > 59 || seconds > 60) {
    return std::unexpected(fmt::format(
        "'{}' is no date and time such as 2026-11-21T03:19:00.5Z or 2026-11-21 03:19:00", text));
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t since_epoch =
      days * kSecondsPerDay + (hours * 60 + minutes) * 60 + seconds - zone;
  const bool negative = since_epoch < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -since_epoch : since_epoch);
  const Nanoseconds whole =
      Nanoseconds::from_unsigned(magnitude * static_cast<Uint128>(kNsPerSecond), negative);
  return TimePoint{.value = whole + Nanoseconds(fraction), .from = TimePoint::From::kUnixEpoch};
}

}  // namespace

std::expected<TimePoint, std::string> parse_time_point(std::string_view text) {
  if (text.size() > 4 && text[4] == '-' && digits_of(text) == 4) return parse_rfc3339(text);
  if (text.contains(':')) return parse_time_of_day(text);
  return parse_count(text);
}

}  // namespace tracedeck
