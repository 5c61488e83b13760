// Integers and times as bytes, for data that does not leave the process: unchecked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracedeck/base/time.hpp"

namespace tracedeck {

// Bytes that an integer takes at most.
inline constexpr std::size_t kMaxVarint = 10;

inline std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

// Behind a first byte of 0x80 or more.
[[gnu::noinline]] inline std::uint64_t take_long_varint(const std::uint8_t*& from) {
  std::uint64_t value = from[-1] & 0x7FU;
  for (unsigned shift = 7;; shift += 7) {
    const std::uint64_t byte = *from++;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}
[[gnu::always_inline]] inline std::uint64_t take_varint(const std::uint8_t*& from) {
  const std::uint64_t value = *from++;
  return value < 0x80 ? value : take_long_varint(from);
}

// Small magnitudes of either sign as small numbers.
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// A time of any size.
inline constexpr std::size_t kExactTimeSize = sizeof(Uint128) + 1;

inline std::uint8_t* put_exact_time(std::uint8_t* to, Nanoseconds time) {
  const Uint128 magnitude = time.magnitude();
  std::memcpy(to, &magnitude, sizeof magnitude);
  to[sizeof magnitude] = time.negative() ? 1 : 0;
  return to + kExactTimeSize;
}

inline Nanoseconds take_exact_time(const std::uint8_t*& from) {
  Uint128 magnitude = 0;
  std::memcpy(&magnitude, from, sizeof magnitude);
  const bool negative = from[sizeof magnitude] != 0;
  from += kExactTimeSize;
  return Nanoseconds::from_unsigned(magnitude, negative);
}

}  // namespace tracedeck
