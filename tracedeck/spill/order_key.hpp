// Places in the order of time, made to be compared fast.
#pragma once

#include <cstdint>

#include "tracedeck/model/clock.hpp"

namespace tracedeck {

// A time as a key: one comparison of 64-bit numbers orders nearly all times there are. Times before
// the origin or 2^64-1 ns and more after it are distinguished by `exact`.
struct OrderKey {
  static constexpr std::uint64_t kHighest = ~std::uint64_t{0};

  std::uint64_t coarse = 0;  // ns from the origin, drawn into the range of 64 bits
  Nanoseconds exact;         // the time itself; set only where `coarse` is at an end of its range

  // Before every time: the place of what precedes the first event with a time.
  [[nodiscard]] static constexpr OrderKey first() {
    return {0, Nanoseconds::from_unsigned(~Uint128{0}, true)};
  }
  // Behind every time.
  [[nodiscard]] static constexpr OrderKey last() {
    return {kHighest, Nanoseconds::from_unsigned(~Uint128{0})};
  }
  [[nodiscard]] static constexpr OrderKey from(Nanoseconds time) {
    if (time.negative()) return {0, time};
    if (time.magnitude() >= kHighest) return {kHighest, time};
    return {static_cast<std::uint64_t>(time.magnitude()), Nanoseconds{}};
  }
  // For a time of `coarse` ns.
  [[nodiscard]] static constexpr OrderKey from(std::uint64_t coarse) {
    if (!needs_exact(coarse)) [[likely]]
      return {coarse, Nanoseconds{}};
    return {coarse, Nanoseconds::from_unsigned(coarse)};
  }

  // The time of a key.
  [[nodiscard]] constexpr Nanoseconds time() const {
    return needs_exact(coarse) ? exact : Nanoseconds::from_unsigned(coarse);
  }

  [[nodiscard]] static constexpr bool needs_exact(std::uint64_t coarse) {
    return coarse == 0 || coarse == kHighest;
  }

  friend constexpr bool operator==(const OrderKey& a, const OrderKey& b) {
    return a.coarse == b.coarse && (!needs_exact(a.coarse) || a.exact == b.exact);
  }
  friend constexpr std::strong_ordering operator<=>(const OrderKey& a, const OrderKey& b) {
    if (a.coarse != b.coarse) return a.coarse <=> b.coarse;
    return needs_exact(a.coarse) ? a.exact <=> b.exact : std::strong_ordering::equal;
  }
};

// How a clock's values become times, where that is not the exact way: see `KeyMaker`.
using TimeOf = Nanoseconds (*)(const ClockClass& clock, std::uint64_t value);

// Makes keys of clock values, of all but clocks of 1 GHz with `time_of`, unless that is null.
// Remembers what it worked out for the last clock, so one per source of records is best.
class KeyMaker {
 public:
  explicit KeyMaker(TimeOf time_of = nullptr) : time_of_(time_of) {}

  [[nodiscard]] OrderKey operator()(const ClockClass& clock, std::uint64_t value) {
    if (clock.entity != clock_) [[unlikely]]
      select(clock);
    std::uint64_t time = 0;
    if (counts_from_base_ && !__builtin_add_overflow(value, base_, &time)) [[likely]] {
      return OrderKey::from(time);
    }
    return OrderKey::from(time_of_ == nullptr ? clock.to_nanoseconds(value)
                                              : time_of_(clock, value));
  }

 private:
  void select(const ClockClass& clock) {
    clock_ = clock.entity;
    const Nanoseconds zero = clock.to_nanoseconds(0);
    counts_from_base_ =
        clock.tick == Tick{} && !zero.negative() && zero.magnitude() < OrderKey::kHighest;
    base_ = static_cast<std::uint64_t>(zero.magnitude());
  }

  TimeOf time_of_;
  EntityId clock_ = EntityId::none();
  bool counts_from_base_ = false;  // the time of a value is `base_` + value
  std::uint64_t base_ = 0;         // ns
};

}  // namespace tracedeck
