// Exact time arithmetic: nanoseconds wide enough for every clock, and rational ticks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tracedeck {

__extension__ using Uint128 = unsigned __int128;

// A signed count of nanoseconds, as sign and 128-bit magnitude. Holds every product of a 64-bit
// clock value and a 64-bit tick exactly; sums that pass 2^128-1 saturate.
class Nanoseconds {
 public:
  constexpr Nanoseconds() = default;
  constexpr Nanoseconds(std::int64_t value)  // NOLINT(google-explicit-constructor): plain widening
      : magnitude_(value < 0 ? Uint128{0} - static_cast<Uint128>(static_cast<Uint128>(value))
                             : static_cast<Uint128>(value)),
        negative_(value < 0) {}
  [[nodiscard]] static constexpr Nanoseconds from_unsigned(Uint128 magnitude,
                                                           bool negative = false) {
    Nanoseconds result;
    result.magnitude_ = magnitude;
    result.negative_ = negative && magnitude != 0;
    return result;
  }

  [[nodiscard]] constexpr bool negative() const { return negative_; }
  [[nodiscard]] constexpr Uint128 magnitude() const { return magnitude_; }

  [[nodiscard]] constexpr Nanoseconds operator-() const {
    return from_unsigned(magnitude_, !negative_);
  }
  [[nodiscard]] friend constexpr Nanoseconds operator+(Nanoseconds a, Nanoseconds b) {
    if (a.negative_ == b.negative_) {
      const Uint128 sum = a.magnitude_ + b.magnitude_;
      return from_unsigned(sum < a.magnitude_ ? ~Uint128{0} : sum, a.negative_);
    }
    if (a.magnitude_ >= b.magnitude_)
      return from_unsigned(a.magnitude_ - b.magnitude_, a.negative_);
    return from_unsigned(b.magnitude_ - a.magnitude_, b.negative_);
  }
  [[nodiscard]] friend constexpr Nanoseconds operator-(Nanoseconds a, Nanoseconds b) {
    return a + -b;
  }

  friend constexpr bool operator==(const Nanoseconds&, const Nanoseconds&) = default;
  friend constexpr std::strong_ordering operator<=>(const Nanoseconds& a, const Nanoseconds& b) {
    if (a.negative_ != b.negative_)
      return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.negative_ ? b.magnitude_ <=> a.magnitude_ : a.magnitude_ <=> b.magnitude_;
  }

  // Decimal, with a leading `-` when negative.
  [[nodiscard]] std::string to_string() const;

 private:
  Uint128 magnitude_ = 0;
  bool negative_ = false;
};

}  // namespace tracedeck
