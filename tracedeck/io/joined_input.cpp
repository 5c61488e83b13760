#include "tracedeck/io/joined_input.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace tracedeck::io {
namespace {

class JoinedInput final : public Input {
 public:
  JoinedInput(std::string name, std::vector<std::string> paths, std::stop_token stop)
      : name_(std::move(name)), paths_(std::move(paths)), stop_(std::move(stop)) {}

  const std::string& name() const override { return name_; }

  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    if (auto opened = open(); !opened) return std::unexpected(std::move(opened.error()));
    return current_->read(into, size);
  }
  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    if (auto opened = open(); !opened) return std::unexpected(std::move(opened.error()));
    return current_->skip(bytes);
  }
  bool seekable() const override { return true; }
  bool live() const override { return false; }

  Result<void> rewind() override {
    current_.reset();
    index_ = 0;
    passed_ = 0;
    return {};
  }

  std::optional<std::uint64_t> size() const override { return {}; }
  std::optional<std::uint64_t> stored_size() const override {
    if (!stored_size_) {
      stored_size_ = 0;
      for (const std::string& path : paths_) *stored_size_ += size_of(path);
    }
    return stored_size_;
  }
  std::uint64_t stored_position() const override {
    return passed_ + (current_ == nullptr ? 0 : current_->stored_position());
  }

  bool next_part() override {
    if (index_ + 1 == paths_.size() || stop_.stop_requested()) return false;
    passed_ += size_of(paths_[index_]);
    current_.reset();
    ++index_;
    return true;
  }
  std::span<const std::string> part_files() const override { return paths_; }
  bool stopped() const override {
    const bool last = index_ + 1 == paths_.size();
    return (current_ != nullptr && current_->stopped()) || (!last && stop_.stop_requested());
  }

 private:
  static std::uint64_t size_of(const std::string& path) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    return unknown ? 0 : size;
  }

  Result<void> open() {
    if (current_ != nullptr) return {};
    auto opened = open_input(paths_[index_], stop_);
    if (!opened) return std::unexpected(std::move(opened.error()));
    current_ = *std::move(opened);
    return {};
  }

  std::string name_;
  std::vector<std::string> paths_;
  std::stop_token stop_;
  std::size_t index_ = 0;
  std::unique_ptr<Input> current_;  // null: the file is not open yet
  std::uint64_t passed_ = 0;        // stored bytes of the files before
  mutable std::optional<std::uint64_t> stored_size_;
};

}  // namespace

std::unique_ptr<Input> joined_input(std::string name, std::vector<std::string> paths,
                                    std::stop_token stop) {
  return std::make_unique<JoinedInput>(std::move(name), std::move(paths), std::move(stop));
}

}  // namespace tracedeck::io
