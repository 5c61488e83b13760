// Bytes for values that cannot stay where they lie in the input: wide integers, transcoded text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tracedeck::ctf {

// Gives out bytes that live as long as it does. One thread at a time.
class Arena {
 public:
  [[nodiscard]] std::uint8_t* allocate(std::size_t size) {
    if (size > left_) grow(size);
    std::uint8_t* const bytes = next_;
    next_ += size;
    left_ -= size;
    return bytes;
  }

 private:
  static constexpr std::size_t kChunk = 4096;

  void grow(std::size_t size) {
    left_ = size > kChunk ? size : kChunk;
    next_ = chunks_.emplace_back(std::make_unique_for_overwrite<std::uint8_t[]>(left_)).get();
  }

  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::uint8_t* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace tracedeck::ctf
