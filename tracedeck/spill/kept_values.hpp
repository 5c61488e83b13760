// Values that outlive their batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tracedeck/model/tape.hpp"
#include "tracedeck/spill/slot_codec.hpp"

namespace tracedeck {

// How many bytes slots point to.
[[nodiscard]] inline std::size_t bytes_behind(std::span<const Slot> slots) {
  std::size_t size = 0;
  for (const Slot& slot : slots) size += points_to_bytes(slot) ? slot.bytes().size() : 0;
  return size;
}

// Copies those bytes to `to`, where there is room for them, and lets the slots point to the copies.
// Returns the end of the copies.
inline std::uint8_t* keep_bytes(std::span<Slot> slots, std::uint8_t* to) {
  for (Slot& slot : slots) {
    if (!points_to_bytes(slot)) continue;
    const ByteSpan bytes = slot.bytes();
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    slot.pointer = to;
    to += bytes.size();
  }
  return to;
}

}  // namespace tracedeck
