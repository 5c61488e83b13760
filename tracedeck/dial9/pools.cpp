#include "tracedeck/dial9/pools.hpp"

#include <algorithm>
#include <cstring>

namespace tracedeck::dial9 {
namespace {

constexpr std::size_t kChunkSize = 4096;
constexpr std::size_t kDenseHeadroom = 1024;
// Redefinitions leave their old bytes in the arena; from this much waste on it is copied anew.
constexpr std::size_t kWorthCompacting = std::size_t{1} << 20;

constexpr std::uint8_t kNothing[1] = {0};

}  // namespace

Pool::Entry Pool::find_sparse(std::uint32_t id) const {
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? Entry{} : found->second;
}

bool Pool::define(std::uint32_t id, ByteSpan content) {
  Entry* entry = nullptr;
  if (id < dense_.size()) {
    entry = &dense_[id];
  } else if (id < 2 * count_ + kDenseHeadroom && !sparse_.contains(id)) {
    grow_dense(std::max<std::size_t>(id + std::size_t{1},
                                     std::min(dense_.size() * 2, 2 * count_ + kDenseHeadroom)));
    entry = &dense_[id];
  } else {
    entry = &sparse_[id];
  }
  const bool redefined = entry->data != nullptr;
  if (redefined) {
    live_size_ -= entry->size;
  } else {
    ++count_;
  }
  *entry = {store(content), static_cast<std::uint32_t>(content.size())};
  live_size_ += content.size();
  if (arena_size_ > 2 * live_size_ + kWorthCompacting) compact();
  return redefined;
}

void Pool::grow_dense(std::size_t size) {
  const std::size_t old_size = dense_.size();
  dense_.resize(size);
  for (std::size_t id = old_size; id < size && !sparse_.empty(); ++id) {
    const auto found = sparse_.find(static_cast<std::uint32_t>(id));
    if (found == sparse_.end()) continue;
    dense_[id] = found->second;
    sparse_.erase(found);
  }
}

void Pool::clear() {
  dense_.clear();
  sparse_.clear();
  arena_.reset();
  arena_size_ = live_size_ = count_ = 0;
}

const std::uint8_t* Pool::store(ByteSpan content) {
  if (arena_ == nullptr) {
    arena_ = std::make_shared<Arena>();
    ++generation_;
  }
  if (content.empty()) return kNothing;
  Arena& arena = *arena_;
  if (content.size() > arena.left) {
    const std::size_t size = std::max(kChunkSize, content.size());
    arena.chunks.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
    arena.position = arena.chunks.back().get();
    arena.left = size;
    arena_size_ += size;
  }
  std::uint8_t* const at = arena.position;
  std::memcpy(at, content.data(), content.size());
  arena.position += content.size();
  arena.left -= content.size();
  return at;
}

void Pool::compact() {
  const std::shared_ptr<Arena> old = std::move(arena_);
  arena_size_ = 0;
  const auto move_over = [this](Entry& entry) {
    if (entry.data != nullptr) entry.data = store({entry.data, entry.size});
  };
  for (Entry& entry : dense_) move_over(entry);
  for (auto& [id, entry] : sparse_) move_over(entry);
}

}  // namespace tracedeck::dial9
