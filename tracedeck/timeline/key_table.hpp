// From keys of a fixed number of 64-bit words to numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::timeline {

// Of a table of keys that are a value and a trace: the numbers of one trace's small values.
class NearKeys {
 public:
  // Whether a number can be at the place of a value.
  [[nodiscard, gnu::always_inline]] bool has(std::uint64_t value) const { return value < end_; }
  // The place of a value that it has. There is 0 if the key is not there: then it must not be
  // set.
  [[nodiscard]] std::uint64_t& operator[](std::uint64_t value) { return numbers_[value]; }
  // 0 if the key is not there, or is not near.
  [[nodiscard, gnu::always_inline]] std::uint32_t find(std::uint64_t value) const {
    return has(value) ? static_cast<std::uint32_t>(numbers_[value]) : 0;
  }

 private:
  friend class KeyTable;

  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> numbers_ = {};
};

// Open addressing; of keys that are a small value and a trace, as most are, one trace's are found
// by that value. A number is from 1 on; 0 is what is not there.
class KeyTable {
 public:
  static constexpr std::size_t kMostWords = 6;
  static constexpr std::uint64_t kNear = 16'384;  // values below are small

  // `words`: of each key, at most `kMostWords`; 0 for a table of one entry.
  explicit KeyTable(std::size_t words) : words_(words), cells_((words + 1) * 16), mask_(15) {}

  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t memory() const {
    return (cells_.size() + near_.end_) * sizeof(std::uint64_t);
  }

  // The number of a key, or 0.
  [[nodiscard, gnu::always_inline]] std::uint32_t find(const std::uint64_t* key) const {
    return words_ == 2 ? find_pair(key[0], key[1])
                       : static_cast<std::uint32_t>(cells_[cell_of_any(key) + words_]);
  }

  // Where small values of a trace are found by the value alone, as long as the table lives: none of
  // them, unless the trace is the first that asks or has a small value.
  [[nodiscard]] NearKeys& near_of(std::uint64_t trace) {
    if (!has_near_trace_) set_near_trace(trace);
    return words_ == 2 && near_trace_ == trace ? near_ : none_;
  }

  // The same as `find` in a table of two words.
  [[nodiscard, gnu::always_inline]] std::uint32_t find_pair(std::uint64_t value,
                                                            std::uint64_t trace) const {
    if (is_near(value, trace)) [[likely]]
      return near_.find(value);
    return find_far(value, trace);
  }

  // Where the number of a key stands, for it to be set at once: 0 if the key is new. Valid until
  // the next call.
  [[nodiscard, gnu::always_inline]] std::uint64_t& place(const std::uint64_t* key) {
    if (words_ == 2) return place_pair(key[0], key[1]);
    std::uint64_t& number = cells_[cell_of_any(key) + words_];
    return number != 0 ? number : new_place(key);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t& place_pair(std::uint64_t value,
                                                              std::uint64_t trace) {
    if (is_near(value, trace) && near_[value] != 0) [[likely]]
      return near_[value];
    return place_far(value, trace);
  }
  // The key that `place` was asked for last is new, and is not to be there after all.
  void give_up_place() { --size_; }

  // Forgets all keys.
  void clear() {
    near_ = {};
    cells_.assign((words_ + 1) * 16, 0);
    mask_ = 15;
    size_ = 0;
  }
  // Forgets a key, which may not be there.
  void erase(const std::uint64_t* key) {
    if (words_ == 2 && is_near(key[0], key[1])) {
      if (std::exchange(near_[key[0]], 0) != 0) --size_;
      return;
    }
    std::size_t at = cell_of(key) / (words_ + 1);
    if (cells_[at * (words_ + 1) + words_] == 0) return;
    --size_;
    // What lies behind and could not lie here before moves up.
    for (std::size_t next = at;;) {
      next = (next + 1) & mask_;
      std::uint64_t* const from = &cells_[next * (words_ + 1)];
      if (from[words_] == 0) break;
      const std::size_t home = hash(from) & mask_;
      if (((next - home) & mask_) < ((next - at) & mask_)) continue;
      std::uint64_t* const to = &cells_[at * (words_ + 1)];
      for (std::size_t i = 0; i <= words_; ++i) to[i] = from[i];
      at = next;
    }
    cells_[at * (words_ + 1) + words_] = 0;
  }

  // Forgets the keys for whose number `keep(number)` is false.
  template <class Keep>
  void keep_if(const Keep& keep) {
    for (std::uint64_t& number : near_.numbers_) {
      if (number == 0 || keep(static_cast<std::uint32_t>(number))) continue;
      number = 0;
      --size_;
    }
    std::vector<std::uint64_t> old(cells_.size());
    old.swap(cells_);
    for (std::size_t at = 0; at < old.size(); at += words_ + 1) {
      const std::uint64_t number = old[at + words_];
      if (number == 0) continue;
      --size_;
      if (keep(static_cast<std::uint32_t>(number))) place(&old[at]) = number;
    }
  }

  // Puts `change(number)`, which is not 0, in the place of each number.
  template <class Change>
  void change(const Change& change) {
    for (std::uint64_t& number : near_.numbers_) {
      if (number != 0) number = change(static_cast<std::uint32_t>(number));
    }
    for (std::size_t at = words_; at < cells_.size(); at += words_ + 1) {
      if (cells_[at] != 0) cells_[at] = change(static_cast<std::uint32_t>(cells_[at]));
    }
  }

  // Calls `visit(number)` for each, in no order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const std::uint64_t number : near_.numbers_) {
      if (number != 0) visit(static_cast<std::uint32_t>(number));
    }
    for (std::size_t at = words_; at < cells_.size(); at += words_ + 1) {
      if (cells_[at] != 0) visit(static_cast<std::uint32_t>(cells_[at]));
    }
  }

 private:
  void set_near_trace(std::uint64_t trace) {
    has_near_trace_ = true;
    near_trace_ = trace;
  }
  [[nodiscard, gnu::always_inline]] bool is_near(std::uint64_t value, std::uint64_t trace) const {
    return near_.has(value) && trace == near_trace_;
  }
  [[nodiscard, gnu::noinline]] std::uint32_t find_far(std::uint64_t value,
                                                      std::uint64_t trace) const {
    return static_cast<std::uint32_t>(cells_[cell_of_pair(value, trace) + 2]);
  }
  [[nodiscard, gnu::noinline]] std::uint64_t& place_far(std::uint64_t value, std::uint64_t trace) {
    std::uint64_t& number =
        is_near(value, trace) ? near_[value] : cells_[cell_of_pair(value, trace) + 2];
    return number != 0 ? number : new_pair(value, trace);
  }
  // Of one value and the trace, which most keys are.
  [[nodiscard]] std::size_t hash(std::uint64_t value, std::uint64_t trace) const {
    return hash_(value, trace);
  }
  [[nodiscard]] std::size_t hash(const std::uint64_t* key) const {
    if (words_ == 2) return hash(key[0], key[1]);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words_; ++i) sum = hash_(key[i], sum);
    return static_cast<std::size_t>(sum);
  }
  // Where the cell of a key begins, or the empty one that it would have.
  [[nodiscard]] std::size_t cell_of(const std::uint64_t* key) const {
    return words_ == 2 ? cell_of_pair(key[0], key[1]) : cell_of_any(key);
  }
  [[nodiscard, gnu::always_inline]] std::size_t cell_of_pair(std::uint64_t value,
                                                             std::uint64_t trace) const {
    for (std::size_t at = hash(value, trace) & mask_;; at = (at + 1) & mask_) {
      const std::uint64_t* const cell = &cells_[at * 3];
      if ((cell[0] == value && cell[1] == trace) || cell[2] == 0) [[likely]]
        return at * 3;
    }
  }
  [[nodiscard, gnu::noinline]] std::size_t cell_of_any(const std::uint64_t* key) const {
    for (std::size_t at = hash(key) & mask_;; at = (at + 1) & mask_) {
      const std::uint64_t* const cell = &cells_[at * (words_ + 1)];
      if (cell[words_] == 0 || equal(cell, key)) return at * (words_ + 1);
    }
  }
  [[nodiscard]] bool equal(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

  // `size_` counts it from here on.
  [[nodiscard, gnu::noinline]] std::uint64_t& new_place(const std::uint64_t* key) {
    if ((size_ + 1) * 2 > mask_) grow();
    std::uint64_t* const cell = &cells_[cell_of(key)];
    for (std::size_t i = 0; i < words_; ++i) cell[i] = key[i];
    ++size_;
    return cell[words_];
  }

  [[nodiscard]] std::uint64_t& new_pair(std::uint64_t value, std::uint64_t trace) {
    if (!has_near_trace_ && value < kNear) set_near_trace(trace);
    if (value < kNear && trace == near_trace_) {
      if (!near_.has(value)) {
        near_.numbers_.resize(std::max<std::uint64_t>(16, std::bit_ceil(value + 1)));
        near_.end_ = near_.numbers_.size();
      }
      ++size_;
      return near_[value];
    }
    const std::array<std::uint64_t, 2> key = {value, trace};
    return new_place(key.data());
  }

  void grow() {
    std::vector<std::uint64_t> old(cells_.size() * 2);
    old.swap(cells_);
    mask_ = mask_ * 2 + 1;
    for (std::size_t at = 0; at < old.size(); at += words_ + 1) {
      if (old[at + words_] == 0) continue;
      std::size_t to = hash(&old[at]) & mask_;
      while (cells_[to * (words_ + 1) + words_] != 0) to = (to + 1) & mask_;
      for (std::size_t i = 0; i <= words_; ++i) cells_[to * (words_ + 1) + i] = old[at + i];
    }
  }

  static inline NearKeys none_ = {};  // of traces that have none: never set

  KeyedHash hash_;
  std::size_t words_;
  NearKeys near_ = {};
  bool has_near_trace_ = false;
  std::uint64_t near_trace_ = 0;
  std::vector<std::uint64_t> cells_;  // the words of a key, then its number
  std::size_t mask_;
  std::size_t size_ = 0;
};

}  // namespace tracedeck::timeline
