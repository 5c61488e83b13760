#include "tracedeck/ctf/stream/wide_values.hpp"

#include <cstring>

namespace tracedeck::ctf {
namespace {

Slot integer_slot(const std::uint8_t* bytes, std::size_t size, bool is_signed) {
  const std::uint8_t fill = is_signed && bytes[size - 1] >= 0x80 ? 0xFF : 0;
  while (size > sizeof(std::uint64_t) && bytes[size - 1] == fill &&
         (!is_signed || (bytes[size - 2] ^ fill) < 0x80))
    --size;
  if (size <= sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
    return is_signed ? signed_slot(static_cast<std::int64_t>(value)) : unsigned_slot(value);
  }
  return bytes_slot(is_signed ? SlotKind::kWideSigned : SlotKind::kWideUnsigned, bytes,
                    static_cast<std::uint32_t>(size));
}

}  // namespace

Slot wide_slot(const std::uint8_t* from, unsigned offset, const WideField& field,
               std::uint8_t* to) {
  const std::size_t size = (field.width + 7) / 8;
  std::memset(to, 0, size);
  bool any = false;
  for (std::uint32_t i = 0; i < field.width; ++i) {
    const unsigned in_byte = (offset + i) & 7;
    const unsigned bit = from[(offset + i) / 8] >> (field.big_endian ? 7 - in_byte : in_byte) & 1U;
    const std::uint32_t index = field.big_endian != field.reversed ? field.width - 1 - i : i;
    to[index / 8] = static_cast<std::uint8_t>(to[index / 8] | bit << (index % 8));
    any = any || bit != 0;
  }
  if (field.kind == SlotKind::kBoolean) return boolean_slot(any);
  const std::uint32_t top = field.width % 8;
  if (field.kind == SlotKind::kWideSigned && top != 0 && (to[size - 1] >> (top - 1) & 1) != 0)
    to[size - 1] = static_cast<std::uint8_t>(to[size - 1] | 0xFFU << top);
  return bytes_slot(field.kind, to, static_cast<std::uint32_t>(size));
}

Slot wide_leb128_slot(ByteSpan field, bool is_signed, std::uint8_t* to) {
  // Whole bytes, extended at the top.
  const std::size_t size = wide_leb128_size(field.size());
  std::memset(to, is_signed && (field.back() & 0x40) != 0 ? 0xFF : 0, size);
  for (std::size_t bit = 0; bit < field.size() * 7; ++bit) {
    const unsigned value = field[bit / 7] >> (bit % 7) & 1U;
    const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
    to[bit / 8] = static_cast<std::uint8_t>(value != 0 ? to[bit / 8] | mask : to[bit / 8] & ~mask);
  }
  return integer_slot(to, size, is_signed);
}

}  // namespace tracedeck::ctf
