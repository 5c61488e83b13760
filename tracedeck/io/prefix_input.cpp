#include "tracedeck/io/prefix_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tracedeck::io {
namespace {

class PrefixInput final : public Input {
 public:
  PrefixInput(std::vector<std::uint8_t> head, std::unique_ptr<Input> rest,
              std::vector<std::size_t> part_ends)
      : head_(std::move(head)), part_ends_(std::move(part_ends)), rest_(std::move(rest)) {}

  const std::string& name() const override { return rest_->name(); }

  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    if (in_rest()) return rest_->read(into, size);
    const std::size_t portion = std::min(size, part_end() - position_);
    if (portion == 0) return portion;
    std::memcpy(into, head_.data() + position_, portion);
    position_ += portion;
    return portion;
  }

  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    const std::uint64_t portion = std::min<std::uint64_t>(bytes, part_end() - position_);
    position_ += static_cast<std::size_t>(portion);
    if (portion == bytes || !in_rest()) return portion;
    const Result<std::uint64_t> rest = rest_->skip(bytes - portion);
    if (!rest && portion == 0) return rest;
    return portion + rest.value_or(0);
  }

  bool seekable() const override { return false; }
  bool live() const override { return rest_->live(); }
  bool ready(std::chrono::milliseconds patience) override {
    return !in_rest() || rest_->ready(patience);
  }
  Result<void> rewind() override {
    return fail(ErrorCode::kUnsupported, "a pipe cannot be read twice; give a file", name());
  }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }
  std::optional<std::uint64_t> stored_size() const override { return rest_->stored_size(); }
  std::uint64_t stored_position() const override { return rest_->stored_position(); }
  bool next_part() override {
    if (in_rest()) return rest_->next_part();
    if (position_ != part_end()) return false;
    ++part_;
    return true;
  }
  void set_midway(bool midway) override { rest_->set_midway(midway); }
  bool stopped() const override { return in_rest() && rest_->stopped(); }

 private:
  // Where the part at hand ends in the head.
  std::size_t part_end() const {
    return part_ < part_ends_.size() ? part_ends_[part_] : head_.size();
  }
  bool in_rest() const { return part_ == part_ends_.size() && position_ == head_.size(); }

  std::vector<std::uint8_t> head_;
  std::vector<std::size_t> part_ends_;
  std::size_t part_ = 0;
  std::unique_ptr<Input> rest_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<Input> prefix_input(std::vector<std::uint8_t> head, std::unique_ptr<Input> rest,
                                    std::vector<std::size_t> part_ends) {
  return std::make_unique<PrefixInput>(std::move(head), std::move(rest), std::move(part_ends));
}

Result<std::unique_ptr<Input>> unread(std::vector<std::uint8_t> head,
                                      std::unique_ptr<Input> input) {
  if (!input->seekable()) return prefix_input(std::move(head), std::move(input));
  if (Result<void> rewound = input->rewind(); !rewound) {
    return std::unexpected(std::move(rewound.error()));
  }
  return input;
}

}  // namespace tracedeck::io
