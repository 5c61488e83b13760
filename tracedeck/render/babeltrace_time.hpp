// Times as babeltrace2 computes and prints them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::render {

// A clock's values in ns from its origin. At 1 GHz they are exact; at other frequencies babeltrace2
// multiplies and divides doubles, which differs from the exact time in the last digits.
class BabeltraceClock {
 public:
  // Without a clock (null) it gives exact times.
  explicit BabeltraceClock(const ClockClass* clock);

  // `event_time` gives the exact time, for clocks with no whole number of Hz. Absent: more than 63
  // bits and a sign hold, which babeltrace2 refuses.
  template <std::invocable ExactTime>
    requires std::same_as<std::invoke_result_t<const ExactTime&>, Nanoseconds>
  [[nodiscard]] std::optional<std::int64_t> time_of(std::uint64_t value,
                                                    const ExactTime& exact_time) const {
    std::int64_t time = 0;
    if (nanosecond_ && value <= kMost &&
        !__builtin_add_overflow(base_, static_cast<std::int64_t>(value), &time)) [[likely]]
      return time;
    return frequency_ == 0 ? narrowed(exact_time()) : scaled(value);
  }

  // The time that babeltrace2 would print for one that was computed exactly.
  [[nodiscard]] std::optional<std::int64_t> time_of(Nanoseconds exact) const;

 private:
  static constexpr std::uint64_t kMost = ~std::uint64_t{0} >> 1;

  static std::optional<std::int64_t> narrowed(Nanoseconds time);
  [[nodiscard]] std::optional<std::int64_t> scaled(std::uint64_t value) const;

  std::uint64_t frequency_ = 0;  // Hz; 0: the clock has none, or an offset beyond 64 bits
  bool nanosecond_ = false;      // 1 GHz
  std::int64_t base_ = 0;        // ns at value 0
};

// The time of a clock's value as babeltrace2 has it, the exact one where it would refuse it.
[[nodiscard]] Nanoseconds babeltrace_time_of(const ClockClass& clock, std::uint64_t value);

// Prints times: `17:48:17.586558519`, with `clock_date` `2020-11-21 17:48:17.586558519`, with
// `clock_seconds` `1605980897.586558519`.
class BabeltraceTime {
 public:
  struct Form {
    bool gmt = false;
    bool seconds = false;
    bool date = false;
  };
  // Characters that a time takes at most.
  static constexpr std::size_t kSize = 64;

  explicit BabeltraceTime(Form form);

  // Whether `write` will print a negative time in seconds though it should not: it does so with the
  // first one. The others look like times of day after the origin.
  [[nodiscard]] bool falls_back(std::int64_t time) const {
    return time < 0 && !form_.seconds && !fell_back_;
  }

  // Writes a time to room of `kSize` and returns its end.
  char* write(char* to, std::int64_t time) {
    const std::uint64_t since = static_cast<std::uint64_t>(time) - second_;
    if (time < 0 || since >= kPerSecond) [[unlikely]]
      return write_new_second(to, time);
    std::memcpy(to, prefix_.data(), prefix_.size());
    return write_fraction(to + prefix_length_, since);
  }
  // The same for a time that 64 bits do not hold, always in seconds.
  static char* write_far(char* to, Nanoseconds time);

 private:
  static constexpr std::uint64_t kPerSecond = 1'000'000'000;
  // No time of 63 bits lies in the second that begins here.
  static constexpr std::uint64_t kNoSecond = std::uint64_t{1} << 63;

  static char* write_fraction(char* to, std::uint64_t nanoseconds);
  char* write_new_second(char* to, std::int64_t time);
  char* write_negative(char* to, std::int64_t time);
  // What stands before the fraction.
  char* write_seconds(char* to, std::uint64_t seconds) const;

  Form form_;
  bool fell_back_ = false;
  // What stands before the fraction in the second of the last time, which is most often also that
  // of the next.
  std::uint64_t second_ = kNoSecond;  // ns
  std::array<char, 24> prefix_{};
  std::size_t prefix_length_ = 0;
};

// The time between a line and the one before: `+0.000001234`. As babeltrace2 does, it is a
// difference in 64 bits without sign, and -1 stands for an unknown time and an unknown difference.
class BabeltraceDelta {
 public:
  static constexpr std::size_t kSize = 32;

  void advance(std::uint64_t now) {
    if (last_ != kUnknown) delta_ = now - last_;
    last_ = now;
  }
  // Both write to room of `kSize`.
  char* write_nanoseconds(char* to) const;
  char* write_cycles(char* to) const;

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::uint64_t last_ = kUnknown;
  std::uint64_t delta_ = kUnknown;
};

// A clock value as `--clock-cycles` shows it: 20 digits.
char* write_babeltrace_cycles(char* to, std::uint64_t value);

}  // namespace tracedeck::render
