#include "tracedeck/io/watched_input.hpp"

#include <span>
#include <utility>

namespace tracedeck::io {
namespace {

using Clock = std::chrono::steady_clock;

class WatchedInput final : public Input {
 public:
  WatchedInput(std::unique_ptr<Input> input, std::function<void()> on_pause)
      : input_(std::move(input)), on_pause_(std::move(on_pause)) {}

  const std::string& name() const override { return input_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    show_if_due();
    const Result<std::size_t> got = input_->read(into, size);
    shown_all_ = shown_all_ && got.value_or(0) == 0;
    return got;
  }
  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    show_if_due();
    return input_->skip(bytes);
  }
  bool seekable() const override { return input_->seekable(); }
  bool live() const override { return input_->live(); }
  bool ready(std::chrono::milliseconds patience) override { return input_->ready(patience); }
  Result<void> rewind() override { return input_->rewind(); }
  bool next_part() override { return input_->next_part(); }
  std::span<const std::string> part_files() const override { return input_->part_files(); }
  std::optional<std::uint64_t> size() const override { return input_->size(); }
  std::optional<std::uint64_t> stored_size() const override { return input_->stored_size(); }
  std::uint64_t stored_position() const override { return input_->stored_position(); }
  void set_midway(bool midway) override { input_->set_midway(midway); }
  bool stopped() const override { return input_->stopped(); }

 private:
  void show_if_due() {
    if (shown_all_) return;
    if (Clock::now() - shown_at_ < kShowInterval && input_->ready(kShowPause)) return;
    on_pause_();
    shown_at_ = Clock::now();
    shown_all_ = true;
  }

  std::unique_ptr<Input> input_;
  std::function<void()> on_pause_;
  Clock::time_point shown_at_ = Clock::now();
  bool shown_all_ = true;  // since the last call nothing was read
};

}  // namespace

std::unique_ptr<Input> watch_pauses(std::unique_ptr<Input> input, std::function<void()> on_pause) {
  return std::make_unique<WatchedInput>(std::move(input), std::move(on_pause));
}

}  // namespace tracedeck::io
