// What is known about the durations of all slices, states and waits of one name.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/export/page/row.hpp"

namespace tracedeck::page {

struct Tally {
  Histogram durations;        // of those that are known
  std::uint64_t unknown = 0;  // slices without a known duration
  std::uint64_t total = 0;    // nanoseconds, saturated
  std::uint64_t self = 0;     // the same without what slices inside take
  std::uint64_t longest = 0;
  std::int64_t longest_begin = 0;
  std::uint32_t longest_row = 0;

  void add(std::uint64_t duration, std::uint64_t own, std::int64_t begin, std::uint32_t row) {
    if (durations.count() == 0 || duration > longest) {
      longest = duration;
      longest_begin = begin;
      longest_row = row;
    }
    durations.add_unsigned(duration);
    total = saturated_sum(total, duration);
    self = saturated_sum(self, own);
  }

 private:
  static std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
  }
};

// Counts what begins over time, in equal parts of the time that was seen so far.
class Rate {
 public:
  void add(std::int64_t time) {
    if (counts_.empty()) {
      first_ = time;
      counts_.resize(kParts);
    }
    const std::uint64_t from =
        time < first_ ? 0 : static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(first_);
    while ((from >> exponent_) >= kParts) widen();
    ++counts_[static_cast<std::size_t>(from >> exponent_)];
  }
  [[nodiscard]] std::int64_t first() const { return first_; }
  // The width of a part is 2 to the power of this, in nanoseconds.
  [[nodiscard]] unsigned exponent() const { return exponent_; }
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  static constexpr std::size_t kParts = 2'048;

  void widen() {
    for (std::size_t i = 0; i < kParts / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
    for (std::size_t i = kParts / 2; i < kParts; ++i) counts_[i] = 0;
    ++exponent_;
  }

  std::int64_t first_ = 0;
  unsigned exponent_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace tracedeck::page
