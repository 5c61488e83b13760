// The slices of each name that are worth a look, with what is known about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::page {

struct NotedSlice {
  std::uint64_t duration = 0;
  std::int64_t begin = 0;  // as it is drawn
  std::int64_t end = 0;
  std::uint32_t row = 0;
  std::uint64_t index = 0;  // in the row
  std::uint32_t flags = 0;
  std::string arguments = {};  // JSON members, or nothing
};

// A kind of row and a name, as one number.
using NotedKey = std::uint64_t;

class Longest {
 public:
  static constexpr std::size_t kEach = 1'000;

  // `memory`: bytes for all names; where that is not enough, all keep fewer.
  explicit Longest(std::size_t memory) : memory_(memory) {}

  // Whether a slice with that duration would be kept now, so that its arguments are wanted.
  [[nodiscard]] bool wants(NotedKey key, std::uint64_t duration);
  // Keeps it as one of the longest of `key`; of equally long ones those that came first.
  void add(NotedKey key, NotedSlice slice);
  // Keeps it whatever its duration is, as far as there is memory.
  void note(NotedKey key, NotedSlice slice);

  struct Kept {
    std::vector<NotedSlice> longest;  // a heap: the shortest in front
    std::vector<NotedSlice> noted;
  };
  // Sorts: the longest first.
  [[nodiscard]] std::unordered_map<NotedKey, Kept>& sorted();
  // How many of each name are kept.
  [[nodiscard]] std::size_t each() const { return each_; }
  // Noted ones for which there was no memory.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  static std::size_t size_of(const NotedSlice& slice) {
    return sizeof(NotedSlice) + slice.arguments.capacity();
  }
  void keep_fewer();

  std::size_t memory_;
  std::size_t used_ = 0;
  std::size_t each_ = kEach;
  std::uint64_t left_out_ = 0;
  std::unordered_map<NotedKey, Kept> kept_;
  NotedKey recent_key_ = ~NotedKey{0};
  Kept* recent_ = nullptr;

  Kept& kept(NotedKey key);
};

}  // namespace tracedeck::page
