// The number that packets may begin with (CTF2-SPECRC-3.0 pkt-header-roles; CTF 1.8.3, 5.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {

inline constexpr std::uint32_t kPacketMagic = 0xC1FC1FC1;
inline constexpr std::size_t kPacketMagicSize = sizeof kPacketMagic;

// Whether it stands at the beginning of `bytes`, in either byte order, as far as they reach.
[[nodiscard]] bool may_begin_with_packet_magic(ByteSpan bytes);
// The same of bytes that hold all of it.
[[nodiscard]] inline bool begins_with_packet_magic(ByteSpan bytes) {
  return bytes.size() >= kPacketMagicSize && may_begin_with_packet_magic(bytes);
}

// Where the first one begins; the size of `bytes`: there is none.
[[nodiscard]] std::size_t find_packet_magic(ByteSpan bytes);

}  // namespace tracedeck::ctf
