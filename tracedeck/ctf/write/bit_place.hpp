// What is known, when classes are mapped, about where in a byte a field will begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// The byte order must not change inside a byte (CTF2-SPECRC-3.0, fl-ba-field-dec), so what matters
// is whether a field may begin inside of one, and behind fields of which orders.
class BitPlace {
 public:
  // Whether a field of that byte order may not begin here.
  [[nodiscard]] bool conflicts(ByteOrder order) const { return (orders_ & ~bit(order)) != 0; }

  // `alignment`: bits, a power of two.
  void align(std::uint32_t alignment) {
    if (alignment >= 8) {
      *this = {};
    } else if (offset_) {
      put_at((*offset_ + alignment - 1) / alignment * alignment);
    }
  }
  // Behind a field of `width` bits.
  void pass(std::uint64_t width, ByteOrder order) {
    orders_ = bit(order);
    if (offset_) put_at(*offset_ + width);
  }
  // Behind one that may or may not be there.
  void join(const BitPlace& other) {
    orders_ |= other.orders_;
    if (offset_ != other.offset_) offset_.reset();
  }
  // Behind any number of fields of these orders (a set of `bit`).
  void blur(std::uint8_t orders) {
    orders_ |= orders;
    offset_.reset();
  }
  // Behind an alignment that is not known.
  void forget_offset() { offset_.reset(); }
  [[nodiscard]] bool begins_byte() const { return offset_ == 0; }

  static constexpr std::uint8_t bit(ByteOrder order) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(order));
  }

 private:
  void put_at(std::uint64_t bits) {
    offset_ = bits % 8;
    if (*offset_ == 0) orders_ = 0;
  }

  std::uint8_t orders_ = 0;                  // of fields that may end in the byte, as bits
  std::optional<std::uint64_t> offset_ = 0;  // bits, unless it is not known
};

// The byte orders of all fields inside of classes. Remembers them; the classes must outlive it.
class ByteOrders {
 public:
  // As a set of `BitPlace::bit`.
  [[nodiscard]] std::uint8_t inside(const FieldClass& field_class);

 private:
  std::unordered_map<const FieldClass*, std::uint8_t> known_;
  std::size_t depth_ = 0;
};

}  // namespace tracedeck::ctf
