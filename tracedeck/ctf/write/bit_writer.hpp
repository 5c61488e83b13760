// Writes the bits of a packet, front to back, into memory that grows.
//
// Bit order within bytes is CTF2-SPECRC-3.0, fl-ba-field-dec: little-endian fields fill a byte from
// its least significant bit, big-endian ones from its most significant. Padding is zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

class BitWriter {
 public:
  [[nodiscard]] std::uint64_t position() const { return position_; }  // bits from the begin
  [[nodiscard]] std::size_t byte_size() const { return (position_ + 7) / 8; }
  [[nodiscard]] ByteSpan bytes() const { return {data_.get(), byte_size()}; }
  [[nodiscard]] std::uint8_t* data() { return data_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  // Back to an earlier position: that of a whole byte, or one from which `align` led to one.
  void rewind(std::uint64_t position) { position_ = position; }
  // Gives the memory back.
  void release() {
    data_.reset();
    capacity_ = 0;
    position_ = 0;
  }
  // Takes away whole bytes of the begin, that are complete.
  void drop_front(std::size_t bytes) {
    const std::size_t left = byte_size() - bytes;
    std::memmove(data_.get(), data_.get() + bytes, left);
    position_ -= std::uint64_t{8} * bytes;
  }
  // Makes room for `bytes` more than there are; stores of 8 bytes may go beyond by 8.
  [[gnu::always_inline]] void reserve(std::size_t bytes) {
    const std::size_t needed = byte_size() + bytes + 16;
    if (needed > capacity_) [[unlikely]]
      grow(needed);
  }

  // `alignment`: bits, a power of two.
  [[gnu::always_inline]] void align(std::uint32_t alignment) {
    const std::uint64_t mask = alignment - 1;
    const std::uint64_t aligned = (position_ + mask) & ~mask;
    if (aligned != position_) pad_to(aligned);
  }

  // The low `width` bits (1 to 64) of a value; bits above must be 0.
  void put(std::uint64_t value, std::uint32_t width, ByteOrder order) {
    reserve(9);
    if (((position_ | width) & 7) == 0) {
      if (order == ByteOrder::kLittle) return put_whole_bytes(value, width);
      store_be(data_.get() + position_ / 8, value << (64 - width));
      position_ += width;
    } else if (order == ByteOrder::kLittle) {
      put_low_first(value, width);
    } else {
      put_high_first(value, width);
    }
  }

  // The rest requires a position at a whole byte.

  // The low `width` bits of a value, 8 to 64 in whole bytes, little-endian.
  [[gnu::always_inline]] void put_whole_bytes(std::uint64_t value, std::uint32_t width) {
    reserve(8);
    store_le(data_.get() + position_ / 8, value);
    position_ += width;
  }
  // Where the next bytes go, with room for `most`; behind the last of them comes `end_bytes`.
  [[nodiscard]] std::uint8_t* begin_bytes(std::size_t most) {
    reserve(most);
    return data_.get() + position_ / 8;
  }
  void end_bytes(const std::uint8_t* end) {
    position_ = 8 * static_cast<std::uint64_t>(end - data_.get());
  }
  // An unsigned LEB128 of a value. Returns the bits that it takes.
  [[gnu::always_inline]] std::uint64_t put_leb128(std::uint64_t value) {
    align(8);
    reserve(kMaxLeb128Size);
    std::uint8_t* const to = data_.get() + position_ / 8;
    const auto size = static_cast<std::uint64_t>(encode_leb128(to, value) - to);
    position_ += 8 * size;
    return 8 * size;
  }
  void put_bytes(ByteSpan bytes) {
    reserve(bytes.size());
    if (!bytes.empty()) std::memcpy(data_.get() + position_ / 8, bytes.data(), bytes.size());
    position_ += std::uint64_t{8} * bytes.size();
  }
  void put_zeros(std::size_t count) {
    reserve(count);
    std::memset(data_.get() + position_ / 8, 0, count);
    position_ += std::uint64_t{8} * count;
  }
  void put_byte(std::uint8_t byte) {
    reserve(1);
    data_[position_ / 8] = byte;
    position_ += 8;
  }

 private:
  // With zero bits, to a position behind this.
  [[gnu::noinline]] void pad_to(std::uint64_t position) {
    const std::size_t first = byte_size();
    reserve(static_cast<std::size_t>((position - position_) / 8) + 1);
    std::memset(data_.get() + first, 0, static_cast<std::size_t>((position + 7) / 8) - first);
    position_ = position;
  }

  [[gnu::noinline]] void grow(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>({needed, 2 * capacity_, 4096});
    auto data = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (data_ != nullptr) std::memcpy(data.get(), data_.get(), byte_size());
    data_ = std::move(data);
    capacity_ = capacity;
  }

  void put_low_first(std::uint64_t value, std::uint32_t width) {
    while (width > 0) {
      const auto used = static_cast<std::uint32_t>(position_ & 7);
      const std::uint32_t count = std::min(8 - used, width);
      put_part(static_cast<std::uint32_t>(value & ((1U << count) - 1)) << used, used);
      value >>= count;
      width -= count;
      position_ += count;
    }
  }

  void put_high_first(std::uint64_t value, std::uint32_t width) {
    while (width > 0) {
      const auto used = static_cast<std::uint32_t>(position_ & 7);
      const std::uint32_t count = std::min(8 - used, width);
      width -= count;
      const auto part = static_cast<std::uint32_t>(value >> width & ((1U << count) - 1));
      put_part(part << (8 - used - count), used);
      position_ += count;
    }
  }

  // The first bits of a byte clear the rest of it.
  void put_part(std::uint32_t bits, std::uint32_t used) {
    std::uint8_t& byte = data_[position_ / 8];
    byte = static_cast<std::uint8_t>(used == 0 ? bits : byte | bits);
  }

  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t capacity_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace tracedeck::ctf
