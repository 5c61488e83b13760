// Blocks of time for what is counted along a trace of unknown length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tracedeck::timeline {

// Of two times in ns, the first before the second, however far apart.
inline double seconds_between(std::int64_t begin, std::int64_t end) {
  return static_cast<double>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin)) /
         1e9;
}

// All blocks are 2^k ns long and begin at a multiple of that; k is the least with which there are
// not too many from the first time to the last one. In whatever order times come, the
// blocks are the same.
class TimeBlocks {
 public:
  static constexpr std::int64_t kMost = 64;

  // Takes in a time. Returns whether the blocks have become longer.
  bool cover(std::int64_t time) {
    const std::int64_t number = time >> shift_;
    if (any_ && first_ <= number && number <= last_) [[likely]]
      return false;
    first_ = any_ ? std::min(first_, number) : number;
    last_ = any_ ? std::max(last_, number) : number;
    any_ = true;
    const unsigned before = shift_;
    while (is_wide()) lengthen();
    return shift_ != before;
  }
  // From now on there are at most `most` blocks, 2 at least; without, `kMost`.
  void limit(std::int64_t most) {
    most_ = most;
    while (is_wide()) lengthen();
  }

  [[nodiscard]] std::int64_t number_of(std::int64_t time) const { return time >> shift_; }
  // What was of block `number` when blocks were 2^shift long is of this one now.
  [[nodiscard]] std::int64_t number_now(std::int64_t number, unsigned shift) const {
    return number >> (shift_ - shift);
  }
  [[nodiscard]] unsigned shift() const { return shift_; }
  [[nodiscard]] bool empty() const { return !any_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const { return last_; }
  // Seconds of block `number` between `begin` and `end`, both in ns.
  [[nodiscard]] double seconds(std::int64_t number, std::int64_t begin, std::int64_t end) const {
    const std::int64_t first = number << shift_;
    const std::int64_t last = first + static_cast<std::int64_t>((std::uint64_t{1} << shift_) - 1);
    const std::int64_t from = std::max(first, begin);
    const std::int64_t to = last < end ? last + 1 : end;
    return from < to ? seconds_between(from, to) : 0;
  }

 private:
  [[nodiscard]] bool is_wide() const {
    return static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_) >=
           static_cast<std::uint64_t>(most_);
  }
  void lengthen() {
    ++shift_;
    first_ >>= 1;
    last_ >>= 1;
  }

  std::int64_t most_ = kMost;
  unsigned shift_ = 0;
  bool any_ = false;
  std::int64_t first_ = 0;  // numbers of blocks
  std::int64_t last_ = 0;
};

// Something for each block in which there is some, by the numbers of blocks.
template <class Value>
class PerBlock {
 public:
  struct Entry {
    std::int64_t number = 0;
    Value value = {};
  };

  // That of a block; new if there was none.
  [[nodiscard]] Value& at(std::int64_t number) {
    if (!entries_.empty() && entries_.back().number == number) [[likely]]
      return entries_.back().value;
    auto place = std::ranges::lower_bound(entries_, number, {}, &Entry::number);
    if (place == entries_.end() || place->number != number)
      place = entries_.insert(place, Entry{.number = number});
    return place->value;
  }

  // Blocks have become longer. `merge(into, from)` adds values.
  template <class Merge>
  void lengthen(const TimeBlocks& blocks, unsigned shift_before, const Merge& merge) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].number = blocks.number_now(entries_[i].number, shift_before);
      if (kept != 0 && entries_[kept - 1].number == entries_[i].number) {
        merge(entries_[kept - 1].value, entries_[i].value);
      } else {
        if (kept != i) entries_[kept] = std::move(entries_[i]);
        ++kept;
      }
    }
    entries_.resize(kept);
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace tracedeck::timeline
