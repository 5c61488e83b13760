#include "tracedeck/render/babeltrace_time.hpp"

#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

constexpr std::uint64_t kGigahertz = 1'000'000'000;

// The frequency of a clock whose tick has one in whole Hz, else 0.
std::uint64_t frequency_of(Tick tick) {
  const Uint128 scaled = Uint128{kGigahertz} * tick.denominator;
  if (tick.numerator == 0 || scaled % tick.numerator != 0) return 0;
  const Uint128 frequency = scaled / tick.numerator;
  return frequency > std::numeric_limits<std::uint64_t>::max()
             ? 0
             : static_cast<std::uint64_t>(frequency);
}

// Ticks in ns, by way of doubles. Absent: more than 64 bits hold.
std::optional<std::uint64_t> ticks_to_nanoseconds(std::uint64_t ticks, std::uint64_t frequency) {
  constexpr double kEnd = 18446744073709551616.0;  // 2^64
  if (frequency == kGigahertz) return ticks;
  const double time = 1e9 * static_cast<double>(ticks) / static_cast<double>(frequency);
  if (time >= kEnd) return {};
  return static_cast<std::uint64_t>(time);
}

std::optional<std::int64_t> fitting(Int128 value) {
  const auto narrow = static_cast<std::int64_t>(value);
  if (narrow != value) return {};
  return narrow;
}

char* write_text(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

struct CivilTime {
  std::int64_t year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
};

CivilTime universal(std::uint64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(static_cast<std::int64_t>(seconds))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const auto rest = static_cast<unsigned>((time - day).count());
  return {.year = int{date.year()},
          .month = unsigned{date.month()},
          .day = unsigned{date.day()},
          .hour = rest / 3600,
          .minute = rest / 60 % 60,
          .second = rest % 60};
}

CivilTime local(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return universal(seconds);
  return {.year = std::int64_t{parts.tm_year} + 1900,
          .month = static_cast<unsigned>(parts.tm_mon) + 1,
          .day = static_cast<unsigned>(parts.tm_mday),
          .hour = static_cast<unsigned>(parts.tm_hour),
          .minute = static_cast<unsigned>(parts.tm_min),
          .second = static_cast<unsigned>(parts.tm_sec)};
}

}  // namespace

BabeltraceClock::BabeltraceClock(const ClockClass* clock) {
  if (clock == nullptr) return;
  const std::uint64_t frequency = frequency_of(clock->tick);
  if (frequency == 0) return;
  const Int128 seconds = Int128{clock->offset_seconds} + clock->offset_ticks / frequency;
  const auto ticks = ticks_to_nanoseconds(clock->offset_ticks % frequency, frequency);
  if (!ticks) return;
  const auto base = fitting(seconds * kGigahertz + *ticks + clock->shift);
  if (!base) return;
  base_ = *base;
  frequency_ = frequency;
  nanosecond_ = frequency == kGigahertz;
}

std::optional<std::int64_t> BabeltraceClock::narrowed(Nanoseconds time) {
  constexpr Uint128 kLimit = Uint128{1} << 63;
  if (time.magnitude() > kLimit) return {};
  const auto magnitude = static_cast<Int128>(time.magnitude());
  return fitting(time.negative() ? -magnitude : magnitude);
}

std::optional<std::int64_t> BabeltraceClock::scaled(std::uint64_t value) const {
  const auto time = ticks_to_nanoseconds(value, frequency_);
  if (!time || *time > kMost) return {};
  return fitting(Int128{base_} + *time);
}

std::optional<std::int64_t> BabeltraceClock::time_of(Nanoseconds exact) const {
  const auto time = narrowed(exact);
  if (!time || frequency_ == 0 || nanosecond_) return time;
  // The clock value that has this time: the first one not before it. Above 1 GHz several values
  // share a nanosecond; any of them is as good.
  const Int128 since = Int128{*time} - base_;
  if (since < 0) return time;
  const Uint128 product = static_cast<Uint128>(since) * frequency_;
  const Uint128 value = (product + kGigahertz - 1) / kGigahertz;
  return value > std::numeric_limits<std::uint64_t>::max()
             ? time
             : scaled(static_cast<std::uint64_t>(value));
}

Nanoseconds babeltrace_time_of(const ClockClass& clock, std::uint64_t value) {
  const auto exact = [&] { return clock.to_nanoseconds(value); };
  const auto time = BabeltraceClock(&clock).time_of(value, exact);
  return time ? Nanoseconds(*time) : exact();
}

BabeltraceTime::BabeltraceTime(Form form) : form_(form) {
  if (!form_.gmt) ::tzset();
}

char* BabeltraceTime::write_fraction(char* to, std::uint64_t nanoseconds) {
  return write_nanoseconds(to, static_cast<std::uint32_t>(nanoseconds));
}

char* BabeltraceTime::write_new_second(char* to, std::int64_t time) {
  if (time < 0) return write_negative(to, time);
  const std::uint64_t seconds = static_cast<std::uint64_t>(time) / kPerSecond;
  second_ = seconds * kPerSecond;
  prefix_length_ =
      static_cast<std::size_t>(write_seconds(prefix_.data(), seconds) - prefix_.data());
  return write(to, time);
}

char* BabeltraceTime::write_negative(char* to, std::int64_t time) {
  const std::uint64_t magnitude = 0 - static_cast<std::uint64_t>(time);
  const std::uint64_t seconds = magnitude / kPerSecond;
  const std::uint64_t rest = magnitude % kPerSecond;
  if (form_.seconds || !std::exchange(fell_back_, true)) {
    *to++ = '-';
    to = write_decimal(to, seconds);
    *to++ = '.';
    return write_fraction(to, rest);
  }
  return write_fraction(write_seconds(to, seconds), rest);
}

char* BabeltraceTime::write_seconds(char* to, std::uint64_t seconds) const {
  if (form_.seconds) {
    to = write_decimal(to, seconds);
  } else {
    const CivilTime time = form_.gmt ? universal(seconds) : local(seconds);
    if (form_.date) {
      to = write_padded(to, static_cast<std::uint64_t>(time.year), 4);
      *to++ = '-';
      to = write_padded(to, time.month, 2);
      *to++ = '-';
      to = write_padded(to, time.day, 2);
      *to++ = ' ';
    }
    to = write_padded(to, time.hour, 2);
    *to++ = ':';
    to = write_padded(to, time.minute, 2);
    *to++ = ':';
    to = write_padded(to, time.second, 2);
  }
  *to++ = '.';
  return to;
}

char* BabeltraceTime::write_far(char* to, Nanoseconds time) {
  if (time.negative()) *to++ = '-';
  to = write_decimal(to, time.magnitude() / kPerSecond);
  *to++ = '.';
  return write_fraction(to, static_cast<std::uint64_t>(time.magnitude() % kPerSecond));
}

char* BabeltraceDelta::write_nanoseconds(char* to) const {
  if (delta_ == kUnknown) return write_text(to, "+?.?????????");
  *to++ = '+';
  return write_seconds(to, delta_);
}

char* BabeltraceDelta::write_cycles(char* to) const {
  constexpr int kDigits = 12;
  constexpr std::uint64_t kMore = 1'000'000'000'000;
  if (delta_ == kUnknown) return write_text(to, "+????????????");
  *to++ = '+';
  return delta_ < kMore ? write_padded(to, delta_, kDigits) : write_decimal(to, delta_);
}

char* write_babeltrace_cycles(char* to, std::uint64_t value) {
  constexpr int kDigits = 20;
  return write_padded(to, value, kDigits);
}

}  // namespace tracedeck::render
