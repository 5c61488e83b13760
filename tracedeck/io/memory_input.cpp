#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {
namespace {

class MemoryInput final : public Input {
 public:
  MemoryInput(std::string name, ByteSpan bytes, std::size_t chunk)
      : name_(std::move(name)), bytes_(bytes.begin(), bytes.end()), chunk_(chunk) {}

  const std::string& name() const override { return name_; }

  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    std::size_t portion = std::min(size, bytes_.size() - position_);
    if (chunk_ != 0) portion = std::min(portion, chunk_);
    if (portion != 0) std::memcpy(into, bytes_.data() + position_, portion);
    position_ += portion;
    return portion;
  }

  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    const std::uint64_t portion = std::min<std::uint64_t>(bytes, bytes_.size() - position_);
    position_ += static_cast<std::size_t>(portion);
    return portion;
  }

  bool seekable() const override { return true; }
  bool live() const override { return chunk_ != 0; }
  Result<void> rewind() override {
    position_ = 0;
    return {};
  }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::uint64_t stored_position() const override { return position_; }

 private:
  std::string name_;
  std::vector<std::uint8_t> bytes_;
  std::size_t chunk_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<Input> memory_input(std::string name, ByteSpan bytes, std::size_t chunk) {
  return std::make_unique<MemoryInput>(std::move(name), bytes, chunk);
}

}  // namespace tracedeck::io
