// Numbers as characters: exact decimal integers of any size, and reals in their shortest form.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

// Characters that any 64-bit integer and any real take at most.
inline constexpr std::size_t kIntegerSize = 20;
inline constexpr std::size_t kRealSize = 32;

namespace detail {

inline constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// One or two digits.
inline char* write_pair(char* to, std::uint32_t value) {
  if (value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  std::memcpy(to, &kDigitPairs[2 * std::size_t{value}], 2);
  return to + 2;
}

// Four digits, zeros in front.
inline char* write_four(char* to, std::uint32_t value) {
  std::memcpy(to, &kDigitPairs[2 * std::size_t{value / 100}], 2);
  std::memcpy(to + 2, &kDigitPairs[2 * std::size_t{value % 100}], 2);
  return to + 4;
}

// Eight digits, zeros in front.
inline char* write_eight(char* to, std::uint32_t value) {
  return write_four(write_four(to, value / 10'000), value % 10'000);
}

// `value` below 10^8, without zeros in front.
inline char* write_small(char* to, std::uint32_t value) {
  if (value < 100) return write_pair(to, value);
  if (value < 10'000) {
    to = write_pair(to, value / 100);
    std::memcpy(to, &kDigitPairs[2 * std::size_t{value % 100}], 2);
    return to + 2;
  }
  const std::uint32_t high = value / 10'000;
  return write_four(high < 100 ? write_pair(to, high) : write_small(to, high), value % 10'000);
}

}  // namespace detail

// `digits` decimal digits, zeros in front.
inline char* write_padded(char* to, std::uint64_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return to + digits;
}

// The nine digits of nanoseconds below a second, zeros in front.
inline char* write_nanoseconds(char* to, std::uint32_t value) {
  to = detail::write_eight(to, value / 10);
  *to = static_cast<char>('0' + value % 10);
  return to + 1;
}

// Writes a decimal integer to room of at least `kIntegerSize` and returns its end.
inline char* write_decimal(char* to, std::uint64_t value) {
  constexpr std::uint64_t kEightDigits = 100'000'000;
  if (value < kEightDigits) return detail::write_small(to, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / kEightDigits;
  const auto low = static_cast<std::uint32_t>(value % kEightDigits);
  if (high < kEightDigits) {
    to = detail::write_small(to, static_cast<std::uint32_t>(high));
  } else {
    to = detail::write_small(to, static_cast<std::uint32_t>(high / kEightDigits));
    to = detail::write_eight(to, static_cast<std::uint32_t>(high % kEightDigits));
  }
  return detail::write_eight(to, low);
}
inline char* write_decimal(char* to, std::int64_t value) {
  auto magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    *to++ = '-';
    magnitude = 0 - magnitude;
  }
  return write_decimal(to, magnitude);
}

// The same for up to 39 digits.
char* write_decimal(char* to, Uint128 value);

inline void append_decimal(TextBuffer& out, std::uint64_t value) {
  out.commit(write_decimal(out.reserve(kIntegerSize), value));
}
inline void append_decimal(TextBuffer& out, std::int64_t value) {
  out.commit(write_decimal(out.reserve(kIntegerSize), value));
}
inline void append_decimal(TextBuffer& out, Uint128 value) {
  out.commit(write_decimal(out.reserve(2 * kIntegerSize), value));
}
void append_decimal(TextBuffer& out, Nanoseconds value);

// A little-endian integer of any size, two's complement when `is_signed`. The time it takes grows
// with the square of the size.
void append_wide_decimal(TextBuffer& out, ByteSpan little_endian, bool is_signed);

// An integer with `bits` a digit (1, 3 or 4): `0b101`, `0o17`, `0x1f`; "-0x1f" when negative.
// Writes to room of at least `kPrefixedSize` and returns the end.
inline constexpr std::size_t kPrefixedSize = 67;
char* write_prefixed(char* to, std::uint64_t magnitude, bool negative, unsigned bits);
void append_prefixed_wide(TextBuffer& out, ByteSpan little_endian, bool is_signed, unsigned bits);

// The shortest digits that read back as the same double, in positional notation for exponents from
// -4 to 15; always with a `.` or an `e`. `value` is finite. Writes to room of at least `kRealSize`
// and returns the end.
char* write_finite_real(char* to, double value);
inline void append_finite_real(TextBuffer& out, double value) {
  out.commit(write_finite_real(out.reserve(kRealSize), value));
}

}  // namespace tracedeck
