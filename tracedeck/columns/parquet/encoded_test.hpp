// Decoders of Parquet's encodings, bit by bit, for tests: they share nothing with what encodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tracedeck::parquet {

// Reads bytes from the first to the last; throws where they end too early.
class EncodedBytes {
 public:
  explicit EncodedBytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  std::uint8_t byte() {
    if (at_end()) throw std::out_of_range("the bytes end too early");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80U) == 0) return value;
    }
  }
  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  // Values of so many bits each, in whole bytes altogether.
  std::vector<std::uint64_t> packed(std::size_t count, unsigned width) {
    std::vector<std::uint64_t> values(count, 0);
    std::uint8_t current = 0;
    for (std::size_t bit = 0; bit < count * width; ++bit) {
      if (bit % 8 == 0) current = byte();
      const std::uint64_t value = current >> (bit % 8) & 1U;
      values[bit / width] |= value << (bit % width);
    }
    return values;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

inline std::vector<std::uint32_t> hybrid_values(std::string_view bytes, unsigned width,
                                                std::size_t count) {
  EncodedBytes in(bytes);
  std::vector<std::uint32_t> values;
  while (!in.at_end()) {
    const std::uint64_t header = in.varint();
    if ((header & 1) != 0) {
      for (const std::uint64_t value : in.packed((header >> 1) * 8, width))
        values.push_back(static_cast<std::uint32_t>(value));
      continue;
    }
    std::uint32_t value = 0;
    for (unsigned i = 0; i < width; i += 8) value |= std::uint32_t{in.byte()} << i;
    values.insert(values.end(), header >> 1, value);
  }
  // The last group may be filled up.
  if (values.size() < count || values.size() >= count + 8) throw std::out_of_range("other values");
  values.resize(count);
  return values;
}

template <class T>
std::vector<T> delta_values(std::string_view bytes) {
  EncodedBytes in(bytes);
  const std::uint64_t block = in.varint();
  const std::uint64_t miniblocks = in.varint();
  const std::uint64_t count = in.varint();
  std::vector<T> values;
  T last = static_cast<T>(in.zigzag());
  if (count != 0) values.push_back(last);
  while (values.size() < count) {
    const T least = static_cast<T>(in.zigzag());
    std::vector<unsigned> widths;
    for (std::uint64_t i = 0; i < miniblocks; ++i) widths.push_back(in.byte());
    for (std::uint64_t i = 0; i < miniblocks && values.size() < count; ++i) {
      for (const std::uint64_t delta : in.packed(block / miniblocks, widths[i])) {
        if (values.size() == count) break;
        last = static_cast<T>(last + static_cast<T>(delta) + least);
        values.push_back(last);
      }
    }
  }
  if (!in.at_end()) throw std::out_of_range("bytes are left");
  return values;
}

}  // namespace tracedeck::parquet
