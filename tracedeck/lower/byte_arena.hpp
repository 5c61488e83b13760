// Where bytes go that slots point to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::lower {

class ByteArena {
 public:
  virtual ~ByteArena() = default;
  // A copy of the bytes, valid as long as the arena says.
  [[nodiscard]] virtual const std::uint8_t* keep(ByteSpan bytes) = 0;
};

// Keeps bytes until it is cleared, and its memory beyond.
class ReusedArena final : public ByteArena {
 public:
  [[nodiscard]] const std::uint8_t* keep(ByteSpan bytes) override {
    while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < bytes.size()) next_chunk();
    if (chunk_ == chunks_.size()) {
      const std::size_t size = std::max(bytes.size(), kChunk);
      chunks_.push_back({std::make_unique_for_overwrite<std::uint8_t[]>(size), size});
    }
    std::uint8_t* const kept = chunks_[chunk_].bytes.get() + used_;
    if (!bytes.empty()) std::memcpy(kept, bytes.data(), bytes.size());
    used_ += bytes.size();
    return kept;
  }
  void clear() {
    if (used_ != 0 || chunk_ != 0) rewind();
  }

 private:
  [[gnu::noinline]] void rewind() {
    // What an unusual event took is given back.
    if (chunks_.size() > kChunksKept) chunks_.resize(kChunksKept);
    if (!chunks_.empty() && chunks_.front().size > kChunk) chunks_.clear();
    chunk_ = 0;
    used_ = 0;
  }

  static constexpr std::size_t kChunk = std::size_t{16} << 10;
  static constexpr std::size_t kChunksKept = 4;
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;
  };

  void next_chunk() {
    ++chunk_;
    used_ = 0;
  }

  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace tracedeck::lower
