// Times as the standard library has them, and printed: apart from `base/time.hpp`, because <chrono>
// takes long to compile.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>

#include "tracedeck/base/time.hpp"

namespace tracedeck {

// A time or an interval as a duration. Absent if that cannot hold it, which is beyond 292 years.
[[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> to_chrono(Nanoseconds value) {
  constexpr auto kMost = static_cast<Uint128>(std::numeric_limits<std::int64_t>::max());
  if (value.magnitude() > kMost + (value.negative() ? 1 : 0)) return {};
  const auto magnitude = static_cast<std::uint64_t>(value.magnitude());
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(value.negative() ? std::uint64_t{0} - magnitude : magnitude));
}

// The time of an event whose clock counts from the Unix epoch.
[[nodiscard]] constexpr std::optional<std::chrono::sys_time<std::chrono::nanoseconds>> to_sys_time(
    Nanoseconds since_epoch) {
  const auto duration = to_chrono(since_epoch);
  if (!duration) return {};
  return std::chrono::sys_time<std::chrono::nanoseconds>(*duration);
}

// Any duration or system time of whole nanoseconds. Durations of more than 292 years overflow.
template <class Rep, class Period>
[[nodiscard]] constexpr Nanoseconds from_chrono(std::chrono::duration<Rep, Period> duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}
template <class Duration>
[[nodiscard]] constexpr Nanoseconds from_chrono(std::chrono::sys_time<Duration> time) {
  return from_chrono(time.time_since_epoch());
}

// The number of nanoseconds.
inline std::ostream& operator<<(std::ostream& out, Nanoseconds value) {
  return out << value.to_string();
}

}  // namespace tracedeck
