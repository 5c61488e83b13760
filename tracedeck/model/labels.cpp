#include "tracedeck/model/labels.hpp"

#include <limits>

namespace tracedeck {
namespace {

constexpr std::size_t kBytes = sizeof(Uint128);

// A little-endian integer whose bytes past the sixteenth say nothing more.
std::optional<Integer> narrowed(ByteSpan bytes, bool is_signed) {
  const bool negative = is_signed && !bytes.empty() && (bytes.back() & 0x80) != 0;
  const std::uint8_t filling = negative ? 0xFF : 0;
  Uint128 value = negative ? ~Uint128{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    if (i >= kBytes && bytes[i] != filling) return {};
    if (i < kBytes) value = value << 8 | bytes[i];
  }
  if (negative && value >> 127 == 0) return {};
  return Integer::of(negative ? Uint128{0} - value : value, negative);
}

}  // namespace

std::optional<Int128> integer_value(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kUnsigned:
      return static_cast<Int128>(slot.bits);
    case SlotKind::kSigned:
      return Int128{slot.integer};
    default: {
      const std::optional<Integer> wide = wide_integer_value(slot);
      if (!wide || !wide->fits_signed()) return {};
      return static_cast<Int128>(*wide);
    }
  }
}

std::optional<Integer> wide_integer_value(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kUnsigned:
      return slot.bits;
    case SlotKind::kSigned:
      return slot.integer;
    case SlotKind::kWideUnsigned:
      return narrowed(slot.bytes(), false);
    case SlotKind::kWideSigned:
      return narrowed(slot.bytes(), true);
    default:
      return {};
  }
}

bool has_flag(const Mapping& mapping, const Slot& slot) {
  if (slot.kind != SlotKind::kUnsigned) return false;
  for (Int128 bit = 0; bit < 64; ++bit) {
    if ((slot.bits >> static_cast<unsigned>(bit) & 1) != 0 && mapping.ranges.contains(bit))
      return true;
  }
  return false;
}

bool stands_for(const Mapping& mapping, const IntegerClass& integer_class, const Slot& slot) {
  return integer_class.form == IntegerClass::Form::kBitMap
             ? has_flag(mapping, slot)
             : has_label(mapping, slot, integer_value(slot));
}

}  // namespace tracedeck
