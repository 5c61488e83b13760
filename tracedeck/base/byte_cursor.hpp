// A bounds-checked cursor over bytes, for the cold parts of codecs: headers, schemas, metadata.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// Reads front to back. A read that would pass the end fails, changes nothing but `wanted`, and may
// be tried again on a cursor over more bytes.
class ByteCursor {
 public:
  ByteCursor(const std::uint8_t* begin, const std::uint8_t* end)
      : begin_(begin), position_(begin), end_(end) {}

  [[nodiscard]] std::size_t consumed() const {
    return static_cast<std::size_t>(position_ - begin_);
  }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - position_); }
  [[nodiscard]] const std::uint8_t* position() const { return position_; }
  // After a failed read: how many bytes from the cursor's begin it takes at least.
  [[nodiscard]] std::uint64_t wanted() const { return wanted_; }

  template <std::unsigned_integral T>
  [[nodiscard]] bool read_le(T& value) {
    if (!has(sizeof value)) return false;
    value = load_le<T>(position_);
    position_ += sizeof value;
    return true;
  }

  template <std::unsigned_integral T>
  [[nodiscard]] bool read_be(T& value) {
    if (!has(sizeof value)) return false;
    value = load_be<T>(position_);
    position_ += sizeof value;
    return true;
  }

  [[nodiscard]] bool take(std::size_t size, ByteSpan& bytes) {
    if (!has(size)) return false;
    bytes = {position_, size};
    position_ += size;
    return true;
  }

 private:
  bool has(std::size_t size) {
    if (size <= left()) return true;
    wanted_ = std::uint64_t{consumed()} + size;
    return false;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* position_;
  const std::uint8_t* end_;
  std::uint64_t wanted_ = 0;
};

}  // namespace tracedeck
