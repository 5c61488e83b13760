// The facts of the Tonbandgerät wire layout, each with its section of the notes; the events are in
// `event_table.hpp`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracedeck/base/cobs.hpp"

namespace tracedeck::tband {

// Framing: frames back to back, each COBS-encoded and ended by a zero. There is no header, no magic
// number and no version.
inline constexpr std::uint8_t kDelimiter = kCobsDelimiter;

// Fields: bytes of an integer at most, and what its last byte may be.
inline constexpr std::size_t kMaxU32Size = 5;
inline constexpr std::size_t kMaxU64Size = 10;
inline constexpr std::uint8_t kMaxU32LastByte = 0x0F;
inline constexpr std::uint8_t kMaxU64LastByte = 0x01;

// Meaning: a recorder cuts strings at this many bytes, unless it was built with another limit.
inline constexpr std::size_t kUsualStringLimit = 20;
// Nanoseconds a tick when a trace does not say.
inline constexpr std::uint64_t kDefaultResolution = 1;

// Fields: an s64 as the number whose LEB128 is written. The most negative value has no magnitude of
// 63 bits and takes what would be "negative zero".
[[nodiscard]] constexpr std::uint64_t sign_magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? ((0 - bits) << 1) | 1 : bits << 1;
}
[[nodiscard]] constexpr std::int64_t from_sign_magnitude(std::uint64_t encoded) {
  if (encoded == 1) return INT64_MIN;
  const std::uint64_t magnitude = encoded >> 1;
  return static_cast<std::int64_t>((encoded & 1) != 0 ? 0 - magnitude : magnitude);
}

}  // namespace tracedeck::tband
