// An owning buffer that keeps the padding contract of `PaddedView`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// A copy of some bytes followed by `kPadding` zero bytes. Views into it live as long as it does
// and is not assigned to.
class PaddedBytes {
 public:
  PaddedBytes() : storage_(kPadding) {}
  explicit PaddedBytes(ByteSpan bytes) : storage_(bytes.size() + kPadding) {
    if (!bytes.empty()) std::memcpy(storage_.data(), bytes.data(), bytes.size());
  }

  // The same without a copy.
  explicit PaddedBytes(std::vector<std::uint8_t>&& bytes) : storage_(std::move(bytes)) {
    storage_.resize(storage_.size() + kPadding);
  }
  // The bytes alone; nothing is left here.
  [[nodiscard]] std::vector<std::uint8_t> take() {
    storage_.resize(storage_.size() - kPadding);
    return std::exchange(storage_, std::vector<std::uint8_t>(kPadding));
  }

  [[nodiscard]] PaddedView view() const { return {storage_.data(), storage_.size() - kPadding}; }

 private:
  std::vector<std::uint8_t> storage_;
};

}  // namespace tracedeck
