// Reals of any binary interchange width as binary64.
//
// IEEE 754-2008, section 3.6: binary16, binary32, binary64, and binary{k} for k of 128 and every
// further multiple of 32, whose exponent takes round(4 * log2(k)) - 13 bits.
#pragma once

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

}  // namespace tracedeck
