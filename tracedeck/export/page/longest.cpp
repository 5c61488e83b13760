#include "tracedeck/export/page/longest.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::page {
namespace {

// Of a heap whose front is what is given up first: the shortest, of those the last.
bool before(const NotedSlice& a, const NotedSlice& b) {
  if (a.duration != b.duration) return a.duration > b.duration;
  return a.begin < b.begin || (a.begin == b.begin && a.row < b.row);
}

}  // namespace

Longest::Kept& Longest::kept(NotedKey key) {
  if (key != recent_key_) {
    recent_ = &kept_[key];
    recent_key_ = key;
  }
  return *recent_;
}

bool Longest::wants(NotedKey key, std::uint64_t duration) {
  const std::vector<NotedSlice>& heap = kept(key).longest;
  return heap.size() < each_ || duration > heap.front().duration;
}

void Longest::add(NotedKey key, NotedSlice slice) {
  std::vector<NotedSlice>& heap = kept(key).longest;
  used_ += size_of(slice);
  heap.push_back(std::move(slice));
  std::ranges::push_heap(heap, before);
  if (heap.size() > each_) {
    std::ranges::pop_heap(heap, before);
    used_ -= size_of(heap.back());
    heap.pop_back();
  }
  if (used_ > memory_) keep_fewer();
}

void Longest::note(NotedKey key, NotedSlice slice) {
  if (used_ + size_of(slice) > memory_) {
    ++left_out_;
    return;
  }
  used_ += size_of(slice);
  kept(key).noted.push_back(std::move(slice));
}

void Longest::keep_fewer() {
  constexpr std::size_t kFewest = 8;
  if (each_ <= kFewest) return;
  each_ /= 2;
  for (auto& [key, kept] : kept_) {
    while (kept.longest.size() > each_) {
      std::ranges::pop_heap(kept.longest, before);
      used_ -= size_of(kept.longest.back());
      kept.longest.pop_back();
    }
    kept.longest.shrink_to_fit();
  }
}

std::unordered_map<NotedKey, Longest::Kept>& Longest::sorted() {
  for (auto& [key, kept] : kept_) std::ranges::sort(kept.longest, before);
  return kept_;
}

}  // namespace tracedeck::page
