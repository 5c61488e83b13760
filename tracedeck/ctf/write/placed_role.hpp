// Fields with roles where they were written, so that they can be given other values: how long a
// packet is, is known when it ends.
#pragma once

#include <cstdint>
#include <span>

#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/ctf/write/bit_writer.hpp"

namespace tracedeck::ctf {

// A set of roles.
using RoleSet = std::uint16_t;
static_assert(kRoleCount <= 16);
[[nodiscard]] constexpr RoleSet role_bit(Role role) {
  return static_cast<RoleSet>(1U << static_cast<unsigned>(role));
}

// An unsigned integer in a packet.
struct PlacedRole {
  RoleSet roles = 0;
  bool is_leb128 = false;
  bool reversed = false;  // its bits
  ByteOrder byte_order = ByteOrder::kLittle;
  std::uint64_t begin = 0;  // bits from the beginning of the packet
  std::uint64_t width = 0;  // bits, of LEB128 those of its bytes
  std::uint64_t value = 0;  // the low 64 bits

  [[nodiscard]] bool has(Role role) const { return (roles & role_bit(role)) != 0; }
};

// As many low bits of a value as a place has.
[[nodiscard]] std::uint64_t low_bits_for(const PlacedRole& place, std::uint64_t value);
// Puts `value` into the place of another. Returns false, and writes nothing, if it does not fit.
[[nodiscard]] bool put_again(BitWriter& bits, const PlacedRole& place, std::uint64_t value);
// The same of as many low bits of it as there is room for (counters and clocks go round).
void put_low_bits_again(BitWriter& bits, const PlacedRole& place, std::uint64_t value);

// Where the clock of a reader stands after the fields of an event record header (clk-val-update).
[[nodiscard]] std::uint64_t clock_after(std::span<const PlacedRole> header, std::uint64_t clock);

}  // namespace tracedeck::ctf
