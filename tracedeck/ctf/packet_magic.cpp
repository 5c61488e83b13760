#include "tracedeck/ctf/packet_magic.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tracedeck::ctf {

bool may_begin_with_packet_magic(ByteSpan bytes) {
  std::array<std::uint8_t, kPacketMagicSize> little;
  store_le(little.data(), kPacketMagic);
  const ByteSpan first = bytes.first(std::min(bytes.size(), kPacketMagicSize));
  return std::equal(first.begin(), first.end(), little.begin()) ||
         std::equal(first.begin(), first.end(), little.rbegin());
}

std::size_t find_packet_magic(ByteSpan bytes) {
  // It begins with this byte in both byte orders.
  constexpr int kFirstByte = kPacketMagic & 0xFF;
  static_assert(kFirstByte == kPacketMagic >> 24);
  std::size_t at = 0;
  while (bytes.size() - at >= kPacketMagicSize) {
    const void* const found =
        std::memchr(bytes.data() + at, kFirstByte, bytes.size() - at - (kPacketMagicSize - 1));
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data());
    if (begins_with_packet_magic(bytes.subspan(at))) return at;
    ++at;
  }
  return bytes.size();
}

}  // namespace tracedeck::ctf
