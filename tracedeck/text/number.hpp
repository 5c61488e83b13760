// Numbers as characters: exact decimal integers of any size, and reals in their shortest form.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

// Room that any 64-bit integer and any real need to be written.
inline constexpr std::size_t kIntegerSize = 24;
inline constexpr std::size_t kRealSize = 32;

namespace detail {

inline constexpr std::uint32_t kThousand = 1000;
inline constexpr std::uint32_t kMillion = 1'000'000;
inline constexpr std::uint32_t kBillion = 1'000'000'000;

// The digits of each number below 1000, and then how many these are.
using Digits = std::array<std::array<char, 4>, kThousand>;
consteval Digits digits_of(bool padded) {
  Digits all{};
  for (std::uint32_t i = 0; i < kThousand; ++i) {
    std::size_t count = 0;
    for (std::uint32_t unit = 100; unit != 0; unit /= 10) {
      if (padded || i >= unit || unit == 1)
        all[i][count++] = static_cast<char>('0' + i / unit % 10);
    }
    all[i][3] = static_cast<char>(count);
  }
  return all;
}
inline constexpr Digits kShortDigits = digits_of(false);
inline constexpr Digits kThreeDigits = digits_of(true);

// Each writes a character too many, which the next one takes the place of: a value below 1000,
// three digits of it, and nine digits of one below 10^9.
inline char* write_short(char* to, std::uint32_t value) {
  std::memcpy(to, kShortDigits[value].data(), 4);
  return to + kShortDigits[value][3];
}
inline char* write_three(char* to, std::uint32_t value) {
  std::memcpy(to, kThreeDigits[value].data(), 4);
  return to + 3;
}
inline char* write_six(char* to, std::uint32_t value) {
  return write_three(write_three(to, value / kThousand), value % kThousand);
}
inline char* write_nine(char* to, std::uint32_t value) {
  return write_six(write_three(to, value / kMillion), value % kMillion);
}

// A value below 10^9, without zeros in front.
[[gnu::always_inline]] inline char* write_small(char* to, std::uint32_t value) {
  if (value < kThousand) return write_short(to, value);
  if (value < kMillion) return write_three(write_short(to, value / kThousand), value % kThousand);
  return write_six(write_short(to, value / kMillion), value % kMillion);
}

#if defined(__SSE2__)
// Writes the 16 hexadecimal digits of a value.
inline void write_sixteen(char* to, std::uint64_t value) {
  const __m128i bytes = _mm_set_epi64x(0, static_cast<long long>(std::byteswap(value)));
  const __m128i nibble = _mm_set1_epi8(0xF);
  const __m128i digits = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), nibble),
                                           _mm_and_si128(bytes, nibble));
  const __m128i letters =
      _mm_and_si128(_mm_cmpgt_epi8(digits, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_add_epi8(_mm_add_epi8(digits, _mm_set1_epi8('0')), letters));
}
#else
// The eight hexadecimal digits of a value as characters, the last one in the lowest byte.
inline std::uint64_t hexadecimal_digits(std::uint32_t value) {
  std::uint64_t digits = (value | std::uint64_t{value} << 16) & 0x0000'FFFF'0000'FFFF;
  digits = (digits | digits << 8) & 0x00FF'00FF'00FF'00FF;
  digits = (digits | digits << 4) & 0x0F0F'0F0F'0F0F'0F0F;
  const std::uint64_t letters = ((digits + 0x0606'0606'0606'0606) >> 4) & 0x0101'0101'0101'0101;
  return digits + 0x3030'3030'3030'3030 + letters * ('a' - '0' - 10);
}
inline void write_sixteen(char* to, std::uint64_t value) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(to);
  store_be(bytes, hexadecimal_digits(static_cast<std::uint32_t>(value >> 32)));
  store_be(bytes + 8, hexadecimal_digits(static_cast<std::uint32_t>(value)));
}
#endif

}  // namespace detail

// `digits` decimal digits, zeros in front.
inline char* write_padded(char* to, std::uint64_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return to + digits;
}

// The nine digits of nanoseconds below a second, zeros in front, to room for ten.
inline char* write_nanoseconds(char* to, std::uint32_t value) {
  return detail::write_nine(to, value);
}

// Writes a decimal integer to room of at least `kIntegerSize` and returns its end.
char* write_long_decimal(char* to, std::uint64_t value);  // of 10^9 or more
[[gnu::always_inline]] inline char* write_decimal(char* to, std::uint64_t value) {
  if (value < detail::kThousand) return detail::write_short(to, static_cast<std::uint32_t>(value));
  if (value >= detail::kBillion) return write_long_decimal(to, value);
  return detail::write_small(to, static_cast<std::uint32_t>(value));
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
char* write_decimal(char* to, Nanoseconds value);

inline void append_decimal(TextBuffer& out, std::uint64_t value) {
  out.commit(write_decimal(out.reserve(kIntegerSize), value));
}
inline void append_decimal(TextBuffer& out, std::int64_t value) {
  out.commit(write_decimal(out.reserve(kIntegerSize), value));
}
inline void append_decimal(TextBuffer& out, Uint128 value) {
  out.commit(write_decimal(out.reserve(2 * kIntegerSize), value));
}
inline void append_decimal(TextBuffer& out, Nanoseconds value) {
  out.commit(write_decimal(out.reserve(2 * kIntegerSize), value));
}

// A little-endian integer of any size, two's complement when `is_signed`. The time it takes grows
// with the square of the size.
void append_wide_decimal(TextBuffer& out, ByteSpan little_endian, bool is_signed);

// Hexadecimal digits without zeros in front. Writes to room of `kHexadecimalSize` and returns the
// end.
inline constexpr std::size_t kHexadecimalSize = 16;
inline char* write_hexadecimal(char* to, std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value | 1));
  const unsigned count = (width + 3) / 4;
  detail::write_sixteen(to, value << (64 - 4 * count));
  return to + count;
}

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
