#include "tracedeck/ctf/stream/register.hpp"

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {
namespace {

// A wide slot as a register's value, if it is narrow enough.
Register wide_register(const Slot& slot) {
  const bool is_signed = slot.kind == SlotKind::kWideSigned;
  const bool negative = is_signed && slot.length != 0 && slot.pointer[slot.length - 1] >= 0x80;
  const std::uint8_t fill = negative ? 0xFF : 0;
  Uint128 value = negative ? ~Uint128{0} : 0;
  for (std::size_t i = slot.length; i-- > 0;) {
    if (i >= sizeof value) {
      if (slot.pointer[i] != fill) return {.kind = Register::Kind::kTooWide};
    } else {
      value = value << 8 | slot.pointer[i];
    }
  }
  const auto result = static_cast<Int128>(value);
  if (result < 0 && !negative) return {.wide = result, .kind = Register::Kind::kTop};
  if ((result < 0) != negative) return {.kind = Register::Kind::kTooWide};
  return {.wide = result, .kind = Register::Kind::kWide};
}

}  // namespace

Register register_of(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return {.bits = slot.bits, .kind = Register::Kind::kBoolean};
    case SlotKind::kUnsigned:
      return {.bits = slot.bits, .kind = Register::Kind::kUnsigned};
    case SlotKind::kSigned:
      return {.bits = slot.bits, .kind = Register::Kind::kSigned};
    default:
      return wide_register(slot);
  }
}

}  // namespace tracedeck::ctf
