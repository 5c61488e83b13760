// Reals of any binary interchange width as binary64, and binary64 as narrower ones.
//
// IEEE 754-2008, section 3.6: binary16, binary32, binary64, and binary{k} for k of 128 and every
// further multiple of 32, whose exponent takes round(4 * log2(k)) - 13 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// A real as the nearest binary64.
struct NearestReal {
  double value = 0;
  bool exact = true;  // no bit of the value was lost; a NaN counts as exact
};

// Nearest, ties to even; what is too large becomes infinity. `little_endian` holds the bytes of the
// real, least significant first; its size must be 2, 4, 8, 16 or a larger multiple of 4.
[[nodiscard]] NearestReal nearest_real(ByteSpan little_endian);

// A binary16, exactly.
[[nodiscard]] double half_to_double(std::uint16_t bits);

// A binary64 as the bits of a binary32: the nearest. What was binary32 before comes back as it was,
// NaN payloads included.
[[nodiscard]] inline std::uint32_t single_bits(double value) {
  if (value == value) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const auto wide = std::bit_cast<std::uint64_t>(value);
  return static_cast<std::uint32_t>(wide >> 32 & 0x8000'0000U) | 0x7f80'0000U |
         std::max<std::uint32_t>(1, static_cast<std::uint32_t>(wide >> 29 & 0x7f'ffffU));
}

// A binary64 as the bits of a binary16. Exact for what was binary16 before; others are rounded
// towards zero, and NaN stays one.
[[nodiscard]] std::uint16_t half_bits(double value);

}  // namespace tracedeck
