// An output that is measured, and that takes so much and no more.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "tracedeck/io/output.hpp"

namespace tracedeck {

// What goes beyond `most` bytes is counted, and goes nowhere. `output` must outlive it.
class MeasuredOutput final : public io::Output {
 public:
  MeasuredOutput(io::Output& output, std::uint64_t most) : output_(output), most_(most) {}

  const std::string& name() const override { return output_.name(); }
  Result<void> write(ByteSpan bytes) override {
    size_ += bytes.size();
    if (size_ >= watched_) {
      watched_ = kNever;
      const auto reached = std::exchange(reached_, {});
      reached();
    }
    return size_ > most_ ? Result<void>() : output_.write(bytes);
  }
  using io::Output::write;
  Result<void> flush() override { return output_.flush(); }
  Result<void> finish() override { return output_.flush(); }

  // Bytes that were written.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Calls `reached` once when there are `size` bytes; 0: never.
  void watch(std::uint64_t size, std::function<void()> reached) {
    watched_ = size == 0 ? kNever : size;
    reached_ = std::move(reached);
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  io::Output& output_;
  std::uint64_t most_;
  std::uint64_t size_ = 0;
  std::uint64_t watched_ = kNever;
  std::function<void()> reached_;
};

}  // namespace tracedeck
