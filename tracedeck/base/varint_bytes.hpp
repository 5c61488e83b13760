// Numbers and texts as bytes at the end of a string, and back: for states that leave the process.
// What is read is checked.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tracedeck {

inline void put_varint(std::string& into, std::uint64_t value) {
  while (value >= 0x80) {
    into.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  into.push_back(static_cast<char>(value));
}

// Little-endian binary64.
inline void put_real(std::string& into, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 0; shift < 64; shift += 8)
    into.push_back(static_cast<char>(bits >> shift & 0xFF));
}

// Its length, and its bytes.
inline void put_text(std::string& into, std::string_view text) {
  put_varint(into, text.size());
  into.append(text);
}

// Each takes what it reads off `bytes`; nothing where that is not there.
[[nodiscard]] inline std::optional<std::uint64_t> take_varint(
    std::span<const std::uint8_t>& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const std::uint8_t byte = bytes.front();
    bytes = bytes.subspan(1);
    if (shift == 63 && byte > 1) return std::nullopt;
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

[[nodiscard]] inline std::optional<double> take_real(std::span<const std::uint8_t>& bytes) {
  if (bytes.size() < 8) return std::nullopt;
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  bytes = bytes.subspan(8);
  return std::bit_cast<double>(bits);
}

[[nodiscard]] inline std::optional<std::string_view> take_text(
    std::span<const std::uint8_t>& bytes) {
  const auto size = take_varint(bytes);
  if (!size || *size > bytes.size()) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              static_cast<std::size_t>(*size));
  bytes = bytes.subspan(static_cast<std::size_t>(*size));
  return text;
}

}  // namespace tracedeck
