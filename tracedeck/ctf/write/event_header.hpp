// The headers of event records with times in the packets that we write: see packet_layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {

inline constexpr std::uint64_t kExtendedId = 31;
inline constexpr std::uint32_t kShortTimeBits = 27;
// Most bytes of an event header, with ids of 32 bits; with those of 64 it is 4 more.
inline constexpr std::size_t kEventHeaderRoom = 13;

// Whether an event record can have the short header: the reader's clock goes on by less than 2^27.
[[nodiscard]] inline bool has_short_header(std::uint64_t id, std::uint64_t last,
                                           std::uint64_t time) {
  return id < kExtendedId && time - last < std::uint64_t{1} << kShortTimeBits;
}

// Writes the header of an event record at a whole byte and returns its end; up to 16 bytes are
// stored. `last`: the clock as the reader knows it.
[[nodiscard]] [[gnu::always_inline]] inline std::uint8_t* put_event_header(std::uint8_t* to,
                                                                           std::uint64_t id,
                                                                           std::uint64_t last,
                                                                           std::uint64_t time) {
  if (has_short_header(id, last, time)) [[likely]] {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kShortTimeBits) - 1;
    store_le(to, static_cast<std::uint32_t>(id | (time & kMask) << 5));
    return to + 4;
  }
  *to = static_cast<std::uint8_t>(kExtendedId);
  store_le(to + 1, static_cast<std::uint32_t>(id));
  store_le(to + 5, time);
  return to + kEventHeaderRoom;
}

}  // namespace tracedeck::ctf
