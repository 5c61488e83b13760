// Plain bytes: the span type every codec speaks, and unaligned loads and stores.
//
// Loads and stores compile to one instruction each on little-endian machines; big-endian
// forms add a byte swap. Nothing here checks bounds: callers do.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tracedeck {

using ByteSpan = std::span<const std::uint8_t>;

// How many readable zero bytes follow a padded input (see `PaddedView`), so that 8-byte loads
// of a run of fields need no branch near the end.
inline constexpr std::size_t kPadding = 64;

// Bytes that are followed by `kPadding` readable bytes of value zero. Not owning: whoever makes
// one vouches for the padding and for the lifetime.
struct PaddedView {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;

  [[nodiscard]] ByteSpan span() const { return {data, size}; }
};

template <std::unsigned_integral T>
[[nodiscard]] constexpr T byte_swap(T value) {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_le(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::endian::native == std::endian::little ? value : byte_swap(value);
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_be(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::endian::native == std::endian::big ? value : byte_swap(value);
}

template <std::unsigned_integral T>
inline void store_le(std::uint8_t* to, T value) {
  if constexpr (std::endian::native != std::endian::little) value = byte_swap(value);
  std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
inline void store_be(std::uint8_t* to, T value) {
  if constexpr (std::endian::native != std::endian::big) value = byte_swap(value);
  std::memcpy(to, &value, sizeof value);
}

[[nodiscard]] inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace tracedeck
