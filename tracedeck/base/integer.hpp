// Integers as expressions compute with them and as ranges are bounded by: a sign and a magnitude of
// 128 bits.
//
// Every 64-bit field, every 128-bit one and every time fits. A result whose magnitude needs more
// than 128 bits does not exist: operations return nullopt, which an expression takes for unknown.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/base/time.hpp"

namespace tracedeck {

__extension__ using Int128 = __int128;

struct Integer {
  Uint128 magnitude = 0;
  bool negative = false;  // never with a magnitude of 0

  constexpr Integer() = default;
  constexpr Integer(Uint128 size, bool is_negative) : magnitude(size), negative(is_negative) {}
  // The same value.
  constexpr Integer(Int128 value)  // NOLINT(google-explicit-constructor)
      : magnitude(value < 0 ? Uint128{0} - static_cast<Uint128>(value)
                            : static_cast<Uint128>(value)),
        negative(value < 0) {}
  template <std::integral T>
  constexpr Integer(T value)  // NOLINT(google-explicit-constructor)
      : Integer(static_cast<Int128>(value)) {}

  [[nodiscard]] static constexpr Integer from(std::uint64_t value) { return {value, false}; }
  [[nodiscard]] static constexpr Integer from_signed(std::int64_t value) {
    return {value < 0 ? Uint128{0} - static_cast<Uint128>(value) : static_cast<Uint128>(value),
            value < 0};
  }
  [[nodiscard]] static constexpr Integer from(const Nanoseconds& value) {
    return {value.magnitude(), value.negative()};
  }
  [[nodiscard]] static constexpr Integer of(Uint128 magnitude, bool negative) {
    return {magnitude, negative && magnitude != 0};
  }

  // Exactly, or nullopt when 64 bits do not hold it.
  [[nodiscard]] std::optional<std::uint64_t> to_unsigned() const;
  [[nodiscard]] std::optional<std::int64_t> to_signed() const;
  // The low bits in two's complement.
  template <std::integral T>
  explicit constexpr operator T() const {
    return static_cast<T>(negative ? Uint128{0} - magnitude : magnitude);
  }
  explicit constexpr operator Int128() const {
    return static_cast<Int128>(negative ? Uint128{0} - magnitude : magnitude);
  }
  // Whether 127 bits and a sign hold it.
  [[nodiscard]] constexpr bool fits_signed() const {
    return magnitude - (negative ? 1 : 0) < Uint128{1} << 127;
  }
  // In decimal.
  [[nodiscard]] std::string to_string() const;
  // The nearest binary64.
  [[nodiscard]] double to_real() const;

  friend constexpr bool operator==(const Integer&, const Integer&) = default;
  friend constexpr std::strong_ordering operator<=>(const Integer& a, const Integer& b) {
    if (a.negative != b.negative)
      return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.negative ? b.magnitude <=> a.magnitude : a.magnitude <=> b.magnitude;
  }
};

// By exact value; unordered with NaN.
[[nodiscard]] std::partial_ordering compare(const Integer& integer, double real);

[[nodiscard]] std::optional<Integer> add(const Integer& a, const Integer& b);
[[nodiscard]] std::optional<Integer> subtract(const Integer& a, const Integer& b);
[[nodiscard]] std::optional<Integer> multiply(const Integer& a, const Integer& b);
// Rounded toward zero; nullopt for a divisor of 0.
[[nodiscard]] std::optional<Integer> divide(const Integer& a, const Integer& b);
// What `divide` leaves, with the sign of `a`.
[[nodiscard]] std::optional<Integer> remainder(const Integer& a, const Integer& b);

// On two's complement of unlimited width. With a negative operand both must lie within signed 128
// bits.
[[nodiscard]] std::optional<Integer> bit_and(const Integer& a, const Integer& b);
[[nodiscard]] std::optional<Integer> bit_or(const Integer& a, const Integer& b);
[[nodiscard]] std::optional<Integer> bit_xor(const Integer& a, const Integer& b);
[[nodiscard]] std::optional<Integer> complement(const Integer& a);
// `count` is not negative. Shifting right rounds toward minus infinity.
[[nodiscard]] std::optional<Integer> shift_left(const Integer& a, const Integer& count);
[[nodiscard]] std::optional<Integer> shift_right(const Integer& a, const Integer& count);

}  // namespace tracedeck
