// A row from afar: bins of time at levels of detail, each four times as wide as the one below.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/export/page/row.hpp"

namespace tracedeck::page {

// Rows of fewer are drawn from their blocks alone.
inline constexpr std::uint64_t kPyramidFrom = 2'048;
// Slices that a bin of the lowest level has on average, at least.
inline constexpr std::uint64_t kSlicesPerBin = 16;

// Bins of all levels, made in the order of time: only one of each level is open.
template <class Bin>
class BinLevels {
 public:
  // `lowest`: bins of the lowest level.
  explicit BinLevels(std::size_t lowest) {
    constexpr std::size_t kTop = 64;  // bins of the highest level, at most
    levels_.push_back({.size = lowest});
    while (levels_.back().size > kTop) levels_.push_back({.size = (levels_.back().size + 3) / 4});
  }

  [[nodiscard]] std::size_t count() const { return levels_.size(); }
  [[nodiscard]] std::size_t size(std::size_t level) const { return levels_[level].size; }

  // Adds to a bin of the lowest level that is not before the last one. Calls `done(level, bin)` for
  // each bin that is complete then; those of a level come in their order.
  template <class Done>
  void add(std::size_t bin, const Bin& part, const Done& done) {
    close(0, bin, done);
    levels_.front().open.add(part);
  }
  // Nothing more is added.
  template <class Done>
  void finish(const Done& done) {
    for (std::size_t level = 0; level < levels_.size(); ++level)
      close(level, levels_[level].size, done);
  }

 private:
  struct Level {
    std::size_t size = 0;
    std::size_t at = 0;  // of the open bin
    Bin open = {};
  };

  // Ends the bins before `to`.
  template <class Done>
  void close(std::size_t level, std::size_t to, const Done& done) {
    Level& closing = levels_[level];
    for (; closing.at < to; ++closing.at) {
      done(level, closing.open);
      if (level + 1 < levels_.size()) {
        close(level + 1, closing.at / 4, done);
        levels_[level + 1].open.add(closing.open);
      }
      closing.open = {};
    }
  }

  std::vector<Level> levels_;
};

// Of slices, states and instants that come in the order of time and do not overlap.
class Pyramid {
 public:
  // A row from `first` to `last` with `count` slices.
  Pyramid(std::int64_t first, std::int64_t last, std::uint64_t count);

  void add(std::int64_t begin, std::uint64_t duration, timeline::NameId name);
  // The width of a bin of the lowest level is 2 to the power of this, in nanoseconds.
  [[nodiscard]] unsigned exponent() const { return exponent_; }
  // Bins of the lowest level.
  [[nodiscard]] std::size_t lowest() const { return bins_.size(0); }
  // All levels, laid out as in docs/page.md. Nothing may be added after.
  [[nodiscard]] std::string encode();

  struct Bin {
    std::uint64_t busy = 0;                     // nanoseconds that slices take of it
    std::uint64_t longest = 0;                  // duration of the longest that it has a part of
    std::uint32_t count = 0;                    // slices that begin in it
    timeline::NameId name = timeline::kNoName;  // of the longest
    bool several = false;                       // slices of other names have a part of it too
    bool any = false;

    void add(const Bin& other);
  };
  // Calls `put(bin, part)` for each bin of the lowest level that a slice has a part of; `from`:
  // since the first bin began.
  template <class Put>
  static void share_out(std::uint64_t from, std::uint64_t duration, timeline::NameId name,
                        unsigned exponent, const Put& put) {
    const std::uint64_t to = from + duration;
    const std::uint64_t first_bin = from >> exponent;
    // What ends at a border has no part of the bin behind it.
    const std::uint64_t last_bin = duration == 0 ? first_bin : (to - 1) >> exponent;
    for (std::uint64_t bin = first_bin; bin <= last_bin; ++bin) {
      const std::uint64_t begins = bin == first_bin ? from : bin << exponent;
      const std::uint64_t ends = bin == last_bin ? to : (bin + 1) << exponent;
      put(static_cast<std::size_t>(bin), Bin{.busy = ends - begins,
                                             .longest = duration,
                                             .count = bin == first_bin ? 1U : 0U,
                                             .name = name,
                                             .any = true});
    }
  }

 private:
  // A byte for each bin.
  struct Columns {
    std::string busy = {};
    std::string counts = {};
    std::string longest = {};
    std::string names = {};       // places in `names_`,
    std::string high_names = {};  // and their higher bytes
  };

  void put(std::size_t level, const Bin& bin);

  std::int64_t first_;
  unsigned exponent_ = 0;
  BinLevels<Bin> bins_;
  std::vector<Columns> columns_;  // by level
  std::unordered_map<timeline::NameId, std::size_t> places_;
  std::vector<timeline::NameId> names_;
};

// Of a counter: the least, the largest and the last value of each bin.
class CounterPyramid {
 public:
  CounterPyramid(std::int64_t first, std::int64_t last, std::uint64_t count);

  void add(std::int64_t time, double value);
  [[nodiscard]] unsigned exponent() const { return exponent_; }
  [[nodiscard]] std::string encode();

  struct Bin {
    double least = 0;
    double largest = 0;
    double last = 0;
    bool any = false;

    void add(const Bin& other);
  };

 private:
  struct Columns {
    std::string any = {};
    std::array<std::string, 3> values = {};  // the least, the largest, the last
  };

  void put(std::size_t level, const Bin& bin);

  std::int64_t first_;
  unsigned exponent_ = 0;
  BinLevels<Bin> bins_;
  std::vector<Columns> columns_;
};

}  // namespace tracedeck::page
