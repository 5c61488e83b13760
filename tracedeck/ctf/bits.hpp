// Bits of numbers.
#pragma once

#include <cstdint>

namespace tracedeck::ctf {

// A number whose low `width` bits are set, and no other.
[[nodiscard]] constexpr std::uint64_t low_bit_mask(std::uint64_t width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// The low `width` bits (at most 64) in the opposite order; those above become 0.
[[nodiscard]] constexpr std::uint64_t reverse_bits(std::uint64_t value, std::uint32_t width) {
  std::uint64_t reversed = 0;
  for (std::uint32_t i = 0; i < width; ++i) reversed |= (value >> i & 1) << (width - 1 - i);
  return reversed;
}

}  // namespace tracedeck::ctf
