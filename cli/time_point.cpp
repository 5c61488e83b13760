#include "cli/time_point.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>

namespace tracedeck::cli {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kNsPerDay = kSecondsPerDay * kNsPerSecond;

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

std::expected<TimePoint, std::string> parse_nanoseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || text.starts_with('+')) digits.remove_prefix(1);
  std::uint64_t magnitude = 0;
  const auto [stopped, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (error == std::errc::result_out_of_range) {
    return std::unexpected(fmt::format("'{}' is more nanoseconds than 64 bits hold", text));
  }
  return TimePoint{.value = Nanoseconds::from_unsigned(magnitude, negative)};
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
  return TimePoint{.value = whole + Nanoseconds(fraction), .time_of_day = true};
}

// Seconds east of UTC: "Z", "+hh:mm" or "-hh:mm".
std::int64_t parse_zone(Scanner& scan) {
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
    return std::unexpected(
        fmt::format("'{}' is no RFC 3339 time such as 2026-11-21T03:19:00.5Z", text));
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t since_epoch =
      days * kSecondsPerDay + (hours * 60 + minutes) * 60 + seconds - zone;
  const bool negative = since_epoch < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -since_epoch : since_epoch);
  const Nanoseconds whole =
      Nanoseconds::from_unsigned(magnitude * static_cast<Uint128>(kNsPerSecond), negative);
  return TimePoint{.value = whole + Nanoseconds(fraction)};
}

}  // namespace

Nanoseconds TimePoint::resolve(ClockOrigin origin, Nanoseconds first) const {
  if (!time_of_day || origin != ClockOrigin::kUnixEpoch) return value;
  const Uint128 part = first.magnitude() % static_cast<Uint128>(kNsPerDay);
  Nanoseconds since_midnight = Nanoseconds::from_unsigned(part, first.negative());
  if (since_midnight.negative()) since_midnight = since_midnight + Nanoseconds(kNsPerDay);
  return first - since_midnight + value;
}

std::expected<TimePoint, std::string> parse_time_point(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    return parse_nanoseconds(text);
  }
  if (text.size() > 4 && text[4] == '-') return parse_rfc3339(text);
  if (text.contains(':')) return parse_time_of_day(text);
  return std::unexpected(
      fmt::format("'{}' is no time: nanoseconds, hh:mm:ss.n or RFC 3339 are", text));
}

}  // namespace tracedeck::cli
