// The times at which events were lost, as far as pairs that wait meanwhile need to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::query {

// When events were lost.
class LostTimes {
 public:
  // `number`: of the events so far.
  void add(const Loss& loss, std::uint64_t number);
  // Whether events may have been lost from `begin` to `end`, while the pair of that number waited.
  [[nodiscard]] bool concern(std::uint64_t number, Nanoseconds begin, Nanoseconds end) const;

 private:
  struct Interval {
    std::optional<Nanoseconds> begin;  // absent: at any time before `end`
    Nanoseconds end;
  };
  static constexpr std::size_t kMost = 1024;

  // None within another, in the order of time.
  std::vector<Interval> intervals_;
  // Of a loss that does not say until when: pairs that began before it was reported.
  std::uint64_t first_ = 0;
};

}  // namespace tracedeck::query
