// SHA-256 (FIPS 180-4): names of what is stored, by its content.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void add(ByteSpan bytes);
  // Of all bytes that were added. Nothing is added after it.
  [[nodiscard]] Digest finish();

 private:
  static constexpr std::size_t kBlock = 64;

  void add_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> block_{};
  std::size_t filled_ = 0;  // bytes of `block_`
  std::uint64_t size_ = 0;  // bytes
};

// Two lower-case digits a byte.
[[nodiscard]] std::string hexadecimal(ByteSpan bytes);

}  // namespace tracedeck
