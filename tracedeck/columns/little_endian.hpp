// Numbers as bytes at the end of a text, the least significant byte first.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/integer.hpp"

namespace tracedeck::columns {

template <std::unsigned_integral T>
void append_le(std::string& out, T value) {
  std::array<std::uint8_t, sizeof(T)> bytes{};
  store_le(bytes.data(), value);
  out.append(as_text(bytes));
}

template <std::unsigned_integral T>
void append_le(std::string& out, std::span<const T> values) {
  if constexpr (std::endian::native == std::endian::little) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  } else {
    for (const T value : values) append_le(out, value);
  }
}

}  // namespace tracedeck::columns
