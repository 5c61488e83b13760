// Loads of fixed-length bit arrays of up to 64 bits (CTF2-SPECRC-3.0, fl-ba-field-dec).
#pragma once

#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {

// The `width` bits (1 to 64) behind the first `offset` of `bytes`, 0 to 7, as the topmost of 64;
// below them lie zeros (little-endian) or the following bits (big-endian). 9 bytes must be
// readable.
[[gnu::always_inline]] inline std::uint64_t top_little(const std::uint8_t* bytes,
                                                       std::uint64_t offset, std::uint64_t width) {
  std::uint64_t bits = load_le<std::uint64_t>(bytes) >> offset;
  if (offset + width > 64) bits |= std::uint64_t{bytes[8]} << (64 - offset);
  return bits << (64 - width);
}
[[gnu::always_inline]] inline std::uint64_t top_big(const std::uint8_t* bytes, std::uint64_t offset,
                                                    std::uint64_t width) {
  std::uint64_t bits = load_be<std::uint64_t>(bytes) << offset;
  if (offset + width > 64) bits |= std::uint64_t{bytes[8]} >> (8 - offset);
  return bits;
}
// The topmost `width` of 64 bits as a signed number.
[[gnu::always_inline]] inline std::uint64_t extended(std::uint64_t top, std::uint64_t width) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> (64 - width));
}

}  // namespace tracedeck::ctf
