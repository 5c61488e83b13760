// Unsigned LEB128: 7 bits a byte, least significant group first, the high bit set on every byte but
// the last. A 64-bit value takes 1 to 10 bytes.
//
// One- and two-byte forms, which most fields of most traces have, are branches of their own; longer
// ones are spread or gathered eight groups at a time in one register, without a loop.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// The longest encoding of a 64-bit value, and the longest that `decode_leb128` accepts.
inline constexpr std::size_t kMaxLeb128Size = 10;

// How many bytes the shortest encoding of `value` takes.
[[nodiscard]] constexpr std::size_t leb128_size(std::uint64_t value) {
  // 37/256 is close enough to 1/7 for every bit number of 64.
  return ((static_cast<std::size_t>(std::bit_width(value | 1)) - 1) * 37 >> 8) + 1;
}

namespace leb128_detail {

inline constexpr std::uint64_t kContinuation = 0x8080'8080'8080'8080;

// Moves the eight 7-bit groups of a 56-bit number to the low bits of eight bytes. Each step moves
// the upper half of every lane; adding a multiple of that half replaces two masks and a shift.
[[nodiscard]] constexpr std::uint64_t spread(std::uint64_t bits) {
  bits += (bits & 0x00FF'FFFF'F000'0000) * 15;
  bits += (bits & 0x0FFF'C000'0FFF'C000) * 3;
  return bits + (bits & 0x3F80'3F80'3F80'3F80);
}

// The inverse of `spread`; the high bit of every byte must be clear.
[[nodiscard]] constexpr std::uint64_t gather(std::uint64_t bytes) {
  bytes -= (bytes >> 1) & 0x3F80'3F80'3F80'3F80;
  bytes -= ((bytes >> 2) & 0x0FFF'C000'0FFF'C000) * 3;
  return bytes - ((bytes >> 4) & 0x00FF'FFFF'F000'0000) * 15;
}

// For values of at least 2^14 (any value but 0 would do).
[[gnu::noinline]] inline std::uint8_t* encode_long(std::uint8_t* to, std::uint64_t value) {
  const std::uint64_t groups = spread(value & 0x00FF'FFFF'FFFF'FFFF);
  if (value >> 56 != 0) [[unlikely]] {
    store_le(to, groups | kContinuation);
    const auto top = static_cast<std::uint8_t>(value >> 56);
    to[8] = top;  // its high bit is bit 63 and says as well that a tenth byte follows
    to[9] = top >> 7;
    return to + 9 + (top >> 7);
  }
  const unsigned last_byte = (63U - static_cast<unsigned>(std::countl_zero(groups | 1))) & 56U;
  store_le(to, groups | (kContinuation & ~(~std::uint64_t{0} << last_byte)));
  return to + 1 + last_byte / 8;
}

struct Decoded {
  const std::uint8_t* next;  // behind the last byte; null: more than 10 bytes
  std::uint64_t value;
};

[[gnu::noinline]] inline Decoded decode_long(const std::uint8_t* from) {
  const auto bytes = load_le<std::uint64_t>(from);
  const std::uint64_t stops = ~bytes & kContinuation;
  if (stops != 0) [[likely]] {
    // All bits up to the first stop, which keeps its own (clear) high bit out of the value.
    const std::uint64_t upto = stops ^ (stops - 1);
    return {from + 1 + static_cast<unsigned>(std::countr_zero(stops)) / 8,
            gather(bytes & upto & ~kContinuation)};
  }
  const std::uint64_t low = gather(bytes & ~kContinuation);
  const std::uint64_t ninth = from[8];
  if (ninth < 0x80) return {from + 9, low | ninth << 56};
  const std::uint64_t tenth = from[9];
  if (tenth >= 0x80) return {nullptr, 0};
  return {from + 10, low | (ninth & 0x7F) << 56 | tenth << 63};
}

}  // namespace leb128_detail

// Writes the shortest encoding of `value` and returns its end. The 10 bytes at `to` must be
// writable; those behind the end may be overwritten.
[[nodiscard]] [[gnu::always_inline]] inline std::uint8_t* encode_leb128(std::uint8_t* to,
                                                                        std::uint64_t value) {
  if (value < 0x80) [[likely]] {
    *to = static_cast<std::uint8_t>(value);
    return to + 1;
  }
  if (value < 0x4000) {
    store_le(to, static_cast<std::uint16_t>(value + (value & 0x3F80) + 0x80));
    return to + 2;
  }
  return leb128_detail::encode_long(to, value);
}

// Reads one value and moves `from` behind it. The 16 bytes at `from` must be readable: with input
// that ends in padding of value zero, a value cut short leaves `from` behind the end of the input.
// Longer forms than needed are read, bits above 64 dropped. False, and nothing changed, when the
// encoding has more than 10 bytes.
[[nodiscard]] [[gnu::always_inline]] inline bool decode_leb128(const std::uint8_t*& from,
                                                               std::uint64_t& value) {
  const std::uint64_t first = from[0];
  if (first < 0x80) [[likely]] {
    value = first;
    from += 1;
    return true;
  }
  const std::uint64_t second = from[1];
  if (second < 0x80) [[likely]] {
    value = (first - 0x80) + (second << 7);
    from += 2;
    return true;
  }
  const leb128_detail::Decoded decoded = leb128_detail::decode_long(from);
  if (decoded.next == nullptr) [[unlikely]]
    return false;
  from = decoded.next;
  value = decoded.value;
  return true;
}

}  // namespace tracedeck
