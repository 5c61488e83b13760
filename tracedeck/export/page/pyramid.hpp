// A row from afar: bins of time at levels of detail, each four times as wide as the one below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/export/page/row.hpp"

namespace tracedeck::page {

// Rows of fewer are drawn from their blocks alone.
inline constexpr std::uint64_t kPyramidFrom = 2'048;
// Slices that a bin of the lowest level has on average, at least.
inline constexpr std::uint64_t kSlicesPerBin = 16;

// Of slices, states and instants that come in the order of time and do not overlap.
class Pyramid {
 public:
  // A row from `first` to `last` with `count` slices.
  Pyramid(std::int64_t first, std::int64_t last, std::uint64_t count);

  void add(std::int64_t begin, std::uint64_t duration, timeline::NameId name);
  // The width of a bin of the lowest level is 2 to the power of this, in nanoseconds.
  [[nodiscard]] unsigned exponent() const { return exponent_; }
  // All levels, laid out as in docs/page.md.
  [[nodiscard]] std::string encode() const;

  struct Bin {
    std::uint64_t busy = 0;                     // nanoseconds that slices take of it
    std::uint64_t longest = 0;                  // duration of the longest that it has a part of
    std::uint32_t count = 0;                    // slices that begin in it
    timeline::NameId name = timeline::kNoName;  // of the longest
    bool several = false;                       // slices of other names have a part of it too
    bool any = false;

    void add(const Bin& other);
  };
  [[nodiscard]] const std::vector<Bin>& lowest() const { return bins_; }

 private:
  std::int64_t first_;
  unsigned exponent_ = 0;
  std::vector<Bin> bins_;
};

// Of a counter: the least, the largest and the last value of each bin.
class CounterPyramid {
 public:
  CounterPyramid(std::int64_t first, std::int64_t last, std::uint64_t count);

  void add(std::int64_t time, double value);
  [[nodiscard]] unsigned exponent() const { return exponent_; }
  [[nodiscard]] std::string encode() const;

  struct Bin {
    double least = 0;
    double largest = 0;
    double last = 0;
    bool any = false;

    void add(const Bin& other);
  };

 private:
  std::int64_t first_;
  unsigned exponent_ = 0;
  std::vector<Bin> bins_;
};

}  // namespace tracedeck::page
