#include "tracedeck/render/time_text.hpp"

#include <chrono>

namespace tracedeck::render {
namespace {

constexpr std::uint64_t kPerSecond = 1'000'000'000;
// 0000-01-01T00:00:00Z and 10000-01-01T00:00:00Z in seconds from the Unix epoch.
constexpr std::int64_t kYearZero = -62'167'219'200;
constexpr std::int64_t kYearTenThousand = 253'402'300'800;

// Seconds rounded down, and the nanoseconds on top. `time` must fit.
struct Split {
  std::int64_t seconds;
  std::uint64_t nanoseconds;
};
Split split(Nanoseconds time) {
  const auto seconds = static_cast<std::int64_t>(time.magnitude() / kPerSecond);
  const auto rest = static_cast<std::uint64_t>(time.magnitude() % kPerSecond);
  if (!time.negative()) return {seconds, rest};
  return rest == 0 ? Split{-seconds, 0} : Split{-seconds - 1, kPerSecond - rest};
}

bool has_date(Nanoseconds time) {
  return time >= Nanoseconds::from_unsigned(
                     Uint128{static_cast<std::uint64_t>(-kYearZero)} * kPerSecond, true) &&
         time < Nanoseconds::from_unsigned(Uint128{static_cast<std::uint64_t>(kYearTenThousand)} *
                                           kPerSecond);
}

std::size_t append_date_time(TextBuffer& out, Nanoseconds time) {
  constexpr std::size_t kSize = std::string_view("2020-11-11T16:24:59.000000123Z").size();
  const Split parts = split(time);
  const std::chrono::sys_seconds seconds{std::chrono::seconds(parts.seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  char* at = out.reserve(kSize);
  at = write_padded(at, static_cast<std::uint64_t>(int{date.year()}), 4);
  *at++ = '-';
  at = write_padded(at, unsigned{date.month()}, 2);
  *at++ = '-';
  at = write_padded(at, unsigned{date.day()}, 2);
  *at++ = 'T';
  at = write_padded(at, static_cast<std::uint64_t>(clock.hours().count()), 2);
  *at++ = ':';
  at = write_padded(at, static_cast<std::uint64_t>(clock.minutes().count()), 2);
  *at++ = ':';
  at = write_padded(at, static_cast<std::uint64_t>(clock.seconds().count()), 2);
  *at++ = '.';
  at = write_padded(at, parts.nanoseconds, 9);
  *at++ = 'Z';
  out.commit(at);
  return kSize;
}

std::size_t append_magnitude(TextBuffer& out, Uint128 nanoseconds) {
  // 2^128 ns are 30 digits of seconds.
  constexpr std::size_t kSize = 40;
  char* const begin = out.reserve(kSize);
  char* at = begin;
  const auto narrow = static_cast<std::uint64_t>(nanoseconds);
  if (narrow == nanoseconds) [[likely]] {
    at = write_seconds(at, narrow);
  } else {
    at = write_decimal(at, nanoseconds / kPerSecond);
    *at++ = '.';
    at = write_nanoseconds(at, static_cast<std::uint32_t>(nanoseconds % kPerSecond));
  }
  out.commit(at);
  return static_cast<std::size_t>(at - begin);
}

}  // namespace

NarrowClock::NarrowClock(const ClockClass& clock) {
  const Nanoseconds base = clock.to_nanoseconds(0);
  if (clock.tick != Tick{} || base.magnitude() > kMost) return;
  const auto magnitude = static_cast<std::int64_t>(base.magnitude());
  base_ = base.negative() ? -magnitude : magnitude;
  counts_ = true;
}

std::size_t append_time(TextBuffer& out, Nanoseconds time, ClockOrigin origin) {
  if (origin == ClockOrigin::kUnixEpoch && has_date(time)) return append_date_time(out, time);
  return append_seconds(out, time);
}

std::size_t append_delta(TextBuffer& out, Nanoseconds delta) {
  out.append(delta.negative() ? '-' : '+');
  return append_magnitude(out, delta.magnitude()) + 1;
}

std::size_t append_seconds(TextBuffer& out, Nanoseconds interval) {
  if (interval.negative()) out.append('-');
  return append_magnitude(out, interval.magnitude()) + (interval.negative() ? 1 : 0);
}

std::string time_text(Nanoseconds time, ClockOrigin origin) {
  TextBuffer out(nullptr, 512);
  append_time(out, time, origin);
  return std::string(out.view());
}

std::string seconds_text(Nanoseconds interval) {
  TextBuffer out(nullptr, 512);
  append_seconds(out, interval);
  return std::string(out.view());
}

}  // namespace tracedeck::render
