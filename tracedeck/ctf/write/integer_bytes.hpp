// Integers of any size as they come in slots, as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/write/bit_writer.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

[[nodiscard]] inline bool is_wide_integer(const Slot& slot) {
  return slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
}

// An integer of any size as little-endian bytes, endless by its sign.
class IntegerBytes {
 public:
  // A scalar, or bytes that stand for one; they must outlive this. `of_signed`: what packed bytes
  // and BLOBs stand for is a signed number.
  explicit IntegerBytes(const Slot& slot, bool of_signed = false) {
    if (slot.kind == SlotKind::kPackedArray || slot.kind == SlotKind::kBlob ||
        is_wide_integer(slot) || slot.kind == SlotKind::kWideReal) {
      bytes_ = slot.bytes();
    } else {
      store_le(inline_.data(), slot.bits);
      bytes_ = inline_;
    }
    const bool is_signed =
        slot.kind == SlotKind::kSigned || slot.kind == SlotKind::kWideSigned ||
        (of_signed && (slot.kind == SlotKind::kPackedArray || slot.kind == SlotKind::kBlob));
    if (is_signed && !bytes_.empty() && (bytes_.back() & 0x80) != 0) rest_ = 0xff;
  }
  IntegerBytes(const IntegerBytes&) = delete;
  IntegerBytes& operator=(const IntegerBytes&) = delete;

  [[nodiscard]] std::uint8_t operator[](std::size_t i) const {
    return i < bytes_.size() ? bytes_[i] : rest_;
  }
  // Bytes that are there; all behind are `rest()`.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint8_t rest() const { return rest_; }

  // The lowest 64 bits.
  [[nodiscard]] std::uint64_t low() const {
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < 8; ++i) low |= std::uint64_t{(*this)[i]} << (8 * i);
    return low;
  }
  // Whether a field of `width` bits holds it.
  [[nodiscard]] bool fits(std::uint32_t width, bool is_signed) const;

  // Bits 7 * `group` and up, as LEB128 has them.
  [[nodiscard]] std::uint8_t seven_bits(std::size_t group) const {
    const std::size_t bit = 7 * group;
    const auto pair = static_cast<std::uint32_t>((*this)[bit / 8] | (*this)[bit / 8 + 1] << 8);
    return static_cast<std::uint8_t>(pair >> (bit % 8) & 0x7f);
  }
  // The last group of seven bits that the sign does not say.
  [[nodiscard]] std::size_t last_group(bool is_signed) const {
    std::size_t last = (8 * size() + 6) / 7;
    const std::uint8_t rest = rest_ & 0x7f;
    while (last > 0 && seven_bits(last) == rest) {
      const bool sign = (seven_bits(last - 1) & 0x40) != 0;
      if (is_signed && sign != (rest != 0)) break;
      --last;
    }
    return last;
  }

 private:
  std::array<std::uint8_t, 8> inline_{};
  ByteSpan bytes_;
  std::uint8_t rest_ = 0;
};

// Writes the low `width` bits of a value, any number of them. `reversed`: in the opposite order.
void put_wide(BitWriter& out, const IntegerBytes& value, std::uint32_t width, ByteOrder order,
              bool reversed);

}  // namespace tracedeck::ctf
