// An output for measurements of what writes into one.
#pragma once

#include <cstddef>
#include <string>

#include "tracedeck/io/output.hpp"

namespace tracedeck::bench {

// Counts bytes and keeps none.
class CountingOutput final : public io::Output {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    count_ += bytes.size();
    return {};
  }
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::string name_ = "nowhere";
  std::size_t count_ = 0;
};

}  // namespace tracedeck::bench
