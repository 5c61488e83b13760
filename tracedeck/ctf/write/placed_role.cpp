#include "tracedeck/ctf/write/placed_role.hpp"

#include "tracedeck/ctf/bits.hpp"
#include "tracedeck/ctf/clock_update.hpp"

namespace tracedeck::ctf {
namespace {

// Bits of the value.
std::uint64_t value_bits(const PlacedRole& place) {
  return place.is_leb128 ? place.width / 8 * 7 : place.width;
}

std::uint64_t value_mask(const PlacedRole& place) { return low_bit_mask(value_bits(place)); }

bool bit_of(std::uint64_t value, std::uint64_t bit) { return bit < 64 && (value >> bit & 1) != 0; }

}  // namespace

std::uint64_t low_bits_for(const PlacedRole& place, std::uint64_t value) {
  return value & value_mask(place);
}

void put_low_bits_again(BitWriter& bits, const PlacedRole& place, std::uint64_t value) {
  if (place.is_leb128) {
    const std::uint64_t bytes = place.width / 8;
    std::uint8_t* const to = bits.data() + place.begin / 8;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const std::uint64_t group = 7 * i < 64 ? value >> (7 * i) & 0x7f : 0;
      to[i] = static_cast<std::uint8_t>(group | (i + 1 < bytes ? 0x80 : 0));
    }
    return;
  }
  // Bit by bit: it happens some times a packet.
  for (std::uint64_t i = 0; i < place.width; ++i) {
    const bool low_first = place.byte_order == ByteOrder::kLittle;
    const std::uint64_t at = place.begin + (low_first ? i : place.width - 1 - i);
    const auto bit = static_cast<std::uint8_t>(1U << (low_first ? at % 8 : 7 - at % 8));
    std::uint8_t& byte = bits.data()[at / 8];
    const bool set = bit_of(value, place.reversed ? place.width - 1 - i : i);
    byte = static_cast<std::uint8_t>(set ? byte | bit : byte & ~bit);
  }
}

bool put_again(BitWriter& bits, const PlacedRole& place, std::uint64_t value) {
  if (value > value_mask(place)) return false;
  put_low_bits_again(bits, place, value);
  return true;
}

std::uint64_t clock_after(std::span<const PlacedRole> header, std::uint64_t clock) {
  for (const PlacedRole& place : header) {
    if (!place.has(Role::kClock)) continue;
    const std::uint64_t mask = value_mask(place);
    clock = updated_clock(clock, place.value & mask, mask);
  }
  return clock;
}

}  // namespace tracedeck::ctf
