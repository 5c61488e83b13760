// What is known of the decoding position when a program is compiled.
#pragma once

#include <cstdint>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// What is known of the decoding position before or after a program.
struct PositionState {
  enum class Order : std::uint8_t { kNone, kLittle, kBig, kUnknown };

  std::uint64_t modulus = 1;  // the position is `offset` modulo this, a power of two
  std::uint64_t offset = 0;
  Order last_order = Order::kUnknown;  // of the last fixed-length bit array

  [[nodiscard]] bool at_byte() const { return modulus >= 8 && offset % 8 == 0; }

  // It moves on by `bits`.
  void move(std::uint64_t bits) { offset = (offset + bits) & (modulus - 1); }
  // It moves on by an unknown multiple of `unit` bits.
  void move_unknown(std::uint64_t unit);

  [[nodiscard]] static Order order_of(ByteOrder byte_order) {
    return byte_order == ByteOrder::kLittle ? Order::kLittle : Order::kBig;
  }
};

// What both say.
[[nodiscard]] PositionState join(const PositionState& a, const PositionState& b);

// Where a packet begins.
inline constexpr PositionState kPacketStart = {
    .modulus = std::uint64_t{1} << 62, .offset = 0, .last_order = PositionState::Order::kNone};

}  // namespace tracedeck::ctf
