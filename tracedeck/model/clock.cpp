#include "tracedeck/model/clock.hpp"

#include <limits>

namespace tracedeck {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// (a + b) * tick, rounded down. The two products are divided apart because their sum can need
// 129 bits; then only the sum of the quotients can be too large, and saturates.
Nanoseconds ticks_to_nanoseconds(std::uint64_t a, std::uint64_t b, Tick tick) {
  const Uint128 first = Uint128{a} * tick.numerator;
  const Uint128 second = Uint128{b} * tick.numerator;
  if (tick.denominator == 1)
    return Nanoseconds::from_unsigned(first) + Nanoseconds::from_unsigned(second);
  const Uint128 remainders = first % tick.denominator + second % tick.denominator;
  return Nanoseconds::from_unsigned(first / tick.denominator) +
         Nanoseconds::from_unsigned(second / tick.denominator) +
         Nanoseconds::from_unsigned(remainders / tick.denominator);
}

Nanoseconds seconds_to_nanoseconds(std::int64_t seconds) {
  const bool negative = seconds < 0;
  const auto magnitude = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(seconds)
                                  : static_cast<std::uint64_t>(seconds);
  return Nanoseconds::from_unsigned(Uint128{magnitude} * kNanosecondsPerSecond, negative);
}

bool says_something(const Identity& identity) { return identity != Identity{}; }

}  // namespace

bool related(const ClockClass& a, const ClockClass& b) {
  if (a.origin == ClockOrigin::kUnixEpoch && b.origin == ClockOrigin::kUnixEpoch) return true;
  if (a.entity == b.entity && a.entity.trace != 0) return true;
  if (a.origin == ClockOrigin::kCustom && b.origin == ClockOrigin::kCustom &&
      says_something(a.origin_identity) && a.origin_identity == b.origin_identity)
    return true;
  return says_something(a.identity) && a.identity == b.identity;
}

Nanoseconds ClockClass::to_nanoseconds(std::uint64_t value) const {
  return seconds_to_nanoseconds(offset_seconds) + Nanoseconds(shift) +
         ticks_to_nanoseconds(value, offset_ticks, tick);
}

Nanoseconds ClockClass::interval(std::uint64_t begin, std::uint64_t end) const {
  // Not the difference of two times: each of them was rounded.
  const bool negative = end < begin;
  const Uint128 product = Uint128{negative ? begin - end : end - begin} * tick.numerator;
  if (tick.denominator == 1) return Nanoseconds::from_unsigned(product, negative);
  const bool fraction = product % tick.denominator != 0;
  return Nanoseconds::from_unsigned(product / tick.denominator + (negative && fraction ? 1 : 0),
                                    negative);
}

std::optional<ClockValues> ClockClass::values_between(const Nanoseconds& begin,
                                                      const Nanoseconds& end) const {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  // The first value whose time is not before `bound`, or is behind it.
  const auto first_from = [&](const Nanoseconds& bound,
                              bool behind) -> std::optional<std::uint64_t> {
    const auto reaches = [&](std::uint64_t value) {
      return behind ? to_nanoseconds(value) > bound : to_nanoseconds(value) >= bound;
    };
    if (!reaches(kLast)) return std::nullopt;
    std::uint64_t low = 0;
    std::uint64_t high = kLast;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (reaches(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  const auto first = first_from(begin, false);
  const auto behind = first_from(end, true);
  if (!first || (behind && *behind <= *first)) return std::nullopt;
  return ClockValues{.first = *first, .extent = (behind ? *behind - 1 : kLast) - *first};
}

}  // namespace tracedeck
