// An owning buffer that keeps the padding contract of `PaddedView`.
#pragma once

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

  [[nodiscard]] PaddedView view() const { return {storage_.data(), storage_.size() - kPadding}; }

 private:
  std::vector<std::uint8_t> storage_;
};

}  // namespace tracedeck
