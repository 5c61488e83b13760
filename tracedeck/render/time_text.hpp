// Times, intervals and sizes for people; every digit is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// A time in ns from a clock's origin. From the Unix epoch, RFC 3339 in UTC
// ("2020-11-11T16:24:59.000000123Z"), for the years 0000 to 9999; else seconds with nine decimals
// ("-0.000000001"). Each returns how many characters that took.
std::size_t append_time(TextBuffer& out, Nanoseconds time, ClockOrigin origin);
// Seconds with nine decimals and a sign: "+0.000001234".
std::size_t append_delta(TextBuffer& out, Nanoseconds delta);
// Seconds with nine decimals, and a sign only when negative.
std::size_t append_seconds(TextBuffer& out, Nanoseconds interval);
// The same of an interval of 64 bits, which is not negative. Writes to room of `kSecondsSize` and
// returns the end.
inline constexpr std::size_t kSecondsSize = 32;
inline char* write_seconds(char* to, std::uint64_t interval) {
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  to = write_decimal(to, interval / kPerSecond);
  *to++ = '.';
  return write_nanoseconds(to, static_cast<std::uint32_t>(interval % kPerSecond));
}

// The times of a clock's events where 63 bits hold them, as they nearly always do.
class NarrowClock {
 public:
  NarrowClock() = default;
  explicit NarrowClock(const ClockClass& clock);

  // In ns from the origin, of a value of `clock`, which it was made of; absent: before the origin,
  // or more than 63 bits.
  [[nodiscard]] std::optional<std::uint64_t> time_of(const ClockClass& clock,
                                                     std::uint64_t value) const {
    if (!counts_) [[unlikely]]
      return narrowed(clock.to_nanoseconds(value));
    std::int64_t time = 0;
    if (value > kMost || __builtin_add_overflow(base_, static_cast<std::int64_t>(value), &time) ||
        time < 0) [[unlikely]]
      return {};
    return static_cast<std::uint64_t>(time);
  }
  // Likewise the ns from one value to another; absent: it ends before it begins, too.
  [[nodiscard]] std::optional<std::uint64_t> interval(const ClockClass& clock, std::uint64_t begin,
                                                      std::uint64_t end) const {
    if (!counts_ || end < begin || end - begin > kMost) [[unlikely]]
      return narrowed(clock.interval(begin, end));
    return end - begin;
  }
  [[nodiscard]] static std::optional<std::uint64_t> narrowed(const Nanoseconds& time) {
    if (time.negative() || time.magnitude() > kMost) return {};
    return static_cast<std::uint64_t>(time.magnitude());
  }

 private:
  static constexpr std::uint64_t kMost = ~std::uint64_t{0} >> 1;

  bool counts_ = false;    // a tick is a nanosecond
  std::int64_t base_ = 0;  // ns at value 0
};

// What stands before the nanoseconds of a time, kept for the second in which it holds.
class SecondPrefix {
 public:
  static constexpr std::size_t kSize = 32;  // which is written at once

  [[nodiscard]] bool holds(std::uint64_t time) const { return time - second_ < kPerSecond; }
  // For all times of the second of `time`, which 63 bits hold.
  void set(std::uint64_t time, std::string_view prefix) {
    second_ = time - time % kPerSecond;
    length_ = prefix.copy(prefix_.data(), kSize);
  }
  [[nodiscard]] std::size_t length() const { return length_; }
  // Writes a time that it holds for to room of `kSize` more than that takes, and returns its end.
  char* write(char* to, std::uint64_t time) const {
    std::memcpy(to, prefix_.data(), kSize);
    return write_nanoseconds(to + length_, static_cast<std::uint32_t>(time - second_));
  }

 private:
  static constexpr std::uint64_t kPerSecond = 1'000'000'000;

  std::uint64_t second_ = std::uint64_t{1} << 63;  // ns; no time of 63 bits lies in this second
  std::array<char, kSize> prefix_ = {};
  std::size_t length_ = 0;
};

// Times as decimal integers of ns, one after another.
class DecimalTimes {
 public:
  static constexpr std::size_t kRoom = 2 * SecondPrefix::kSize;

  // Writes a time of 63 bits to room of `kRoom`, and returns the end.
  char* write(char* to, std::uint64_t time) {
    constexpr std::uint64_t kPerSecond = 1'000'000'000;
    if (time < kPerSecond) return write_decimal(to, time);
    if (!second_.holds(time)) [[unlikely]] {
      std::array<char, kIntegerSize> digits;
      const char* const end = write_decimal(digits.data(), time / kPerSecond);
      second_.set(time, {digits.data(), end});
    }
    return second_.write(to, time);
  }

 private:
  SecondPrefix second_;
};

[[nodiscard]] std::string time_text(Nanoseconds time, ClockOrigin origin);
[[nodiscard]] std::string seconds_text(Nanoseconds interval);

}  // namespace tracedeck::render
