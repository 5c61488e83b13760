// The one clock of a target that counts ns: from the epoch that the first source clock gives it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tracedeck/lower/loss_receipt.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::lower {

class SpanClock {
 public:
  // The first clock of all, null: it is not known. `clock`: becomes what a reader makes of it.
  void begin(const ClockClass* first, ClockClass& clock) {
    begun_ = true;
    if (first == nullptr || first->origin != ClockOrigin::kUnixEpoch) return;
    clock.origin = ClockOrigin::kUnixEpoch;
    const Nanoseconds zero = first->to_nanoseconds(0);
    if (!zero.negative() && zero.magnitude() <= kLast)
      epoch_ = static_cast<std::uint64_t>(zero.magnitude());
    constexpr std::uint64_t kPerSecond = 1'000'000'000;
    clock.offset_seconds = static_cast<std::int64_t>(epoch_ / kPerSecond);
    clock.offset_ticks = epoch_ % kPerSecond;
    knows_origin_ = true;
  }
  [[nodiscard]] bool begun() const { return begun_; }

  // Whether values of the clock are times of the target. Of the one that came last, else not known.
  [[nodiscard]] bool is_same(const ClockClass& clock) const {
    return same_ && clock.entity == clock_;
  }

  struct Time {
    std::uint64_t value = 0;
    std::optional<Lost> loss = {};
  };
  [[nodiscard]] Time time(const ClockClass& clock, std::uint64_t value) {
    if (clock.entity != clock_) select(clock);
    if (same_) return {value};
    const Nanoseconds time =
        clock.to_nanoseconds(value) - Nanoseconds::from_unsigned(other_origin_ ? 0 : epoch_);
    if (time.negative() || time.magnitude() > kLast)
      return {time.negative() ? 0 : kLast, Lost::kTimeRange};
    const auto nanoseconds = static_cast<std::uint64_t>(time.magnitude());
    if (other_origin_) return {nanoseconds, Lost::kOtherOrigin};
    return {nanoseconds};
  }

 private:
  static constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

  void select(const ClockClass& clock) {
    clock_ = clock.entity;
    other_origin_ = (clock.origin == ClockOrigin::kUnixEpoch) != knows_origin_;
    same_ = !other_origin_ && clock.tick == Tick{} &&
            clock.to_nanoseconds(0) == Nanoseconds::from_unsigned(epoch_);
  }

  EntityId clock_ = EntityId::none();
  std::uint64_t epoch_ = 0;
  bool begun_ = false;
  bool knows_origin_ = false;
  bool other_origin_ = false;
  bool same_ = false;  // a value of the clock is a time of the target
};

}  // namespace tracedeck::lower
