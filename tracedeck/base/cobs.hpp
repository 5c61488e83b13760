// Consistent Overhead Byte Stuffing: a payload of any bytes as a run of bytes without zeros, so
// that a zero can delimit frames.
//
// A code byte c is followed by c-1 literal bytes and then stands for a zero, unless c is FF or the
// payload ends there. A payload that ends exactly on a full block of 254 literals may or may not be
// followed by a last code of 01: both are decoded, none is encoded.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// The byte that ends a frame and that no encoding contains.
inline constexpr std::uint8_t kCobsDelimiter = 0;
// Literal bytes of a full block, whose code stands for no zero.
inline constexpr std::size_t kCobsBlock = 254;

// Bytes that the encoding of `size` payload bytes takes at most, without a delimiter: a code for
// each begun block of 254, one at least.
[[nodiscard]] constexpr std::size_t cobs_bound(std::size_t size) {
  return size + (size <= kCobsBlock ? 1 : (size + kCobsBlock - 1) / kCobsBlock);
}

// Writes the encoding of `payload` to `to`, where `cobs_bound` bytes must be writable, and returns
// its end. No delimiter is written.
[[nodiscard]] std::uint8_t* cobs_encode(ByteSpan payload, std::uint8_t* to);

// Writes the payload of an encoding (without its delimiter) to `to`, where `encoded.size()` bytes
// must be writable, and returns how many bytes it has. The two must not overlap, but `to` may be
// `encoded.data()`. Absent: there is no code, a code runs past the end, or a zero is inside.
[[nodiscard]] std::optional<std::size_t> cobs_decode(ByteSpan encoded, std::uint8_t* to);

// The first zero at or behind `from`. One must be there, and the 15 bytes behind it readable.
[[nodiscard]] inline const std::uint8_t* find_zero_byte(const std::uint8_t* from) {
#if defined(__SSE2__)
  for (;; from += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const auto zeros =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
    if (zeros != 0) return from + std::countr_zero(zeros);
  }
#else
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  for (;; from += 8) {
    const auto bytes = load_le<std::uint64_t>(from);
    // The lowest bit that this sets is exact; borrows only reach bytes above it.
    const std::uint64_t zeros = (bytes - kOnes) & ~bytes & (kOnes << 7);
    if (zeros != 0) return from + std::countr_zero(zeros) / 8;
  }
#endif
}

}  // namespace tracedeck
