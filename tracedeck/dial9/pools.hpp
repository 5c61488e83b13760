// The string pool and the stack pool of a segment (String Pool Frame; stack pool frames of 0.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::dial9 {

// Maps pool ids to bytes: UTF-8 text, or addresses as u64 little-endian. The bytes are copied into
// an arena that batches can keep alive, so that a redefinition or the end of the segment leaves
// what was resolved before intact. One thread at a time; the arena may be read by others.
class Pool {
 public:
  struct Entry {
    const std::uint8_t* data = nullptr;  // null: not defined
    std::uint32_t size = 0;              // bytes
  };

  // Null data when `id` is not defined. Entries stay valid as long as `arena()`.
  [[nodiscard]] Entry find(std::uint32_t id) const {
    if (id < dense_.size()) return dense_[id];
    return find_sparse(id);
  }

  // Defines `id`, over an earlier definition if there is one; returns whether there was.
  bool define(std::uint32_t id, ByteSpan content);

  // Forgets everything. Arenas that somebody holds live on.
  void clear();

  // What holds the bytes of all entries at hand.
  [[nodiscard]] std::shared_ptr<const void> arena() const { return arena_; }
  // Counts the arenas begun so far: changes whenever `arena` does.
  [[nodiscard]] std::uint64_t arena_generation() const { return generation_; }
  // Bytes the index takes for an entry, at most.
  static constexpr std::size_t kEntryMemory = 64;
  // Bytes this pool takes, index included.
  [[nodiscard]] std::size_t memory() const {
    return arena_size_ + dense_.capacity() * sizeof(Entry) + sparse_.size() * kEntryMemory;
  }
  [[nodiscard]] std::size_t size() const { return count_; }

  // Calls `visit(id, Entry)` for every defined entry, in ascending order of dense ids first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t id = 0; id < dense_.size(); ++id) {
      if (dense_[id].data != nullptr) visit(static_cast<std::uint32_t>(id), dense_[id]);
    }
    for (const auto& [id, entry] : sparse_) visit(id, entry);
  }

 private:
  struct Arena {
    std::vector<std::unique_ptr<std::uint8_t[]>> chunks;
    std::uint8_t* position = nullptr;
    std::size_t left = 0;
  };

  // Apart, so that the loop over events keeps its registers.
  [[nodiscard, gnu::noinline]] Entry find_sparse(std::uint32_t id) const;
  // Makes room for ids below `size`, moving over those that were sparse.
  void grow_dense(std::size_t size);
  const std::uint8_t* store(ByteSpan content);
  void compact();

  std::vector<Entry> dense_;  // ids below twice the number of entries, as encoders count from 0
  NumberMap<std::uint32_t, Entry> sparse_;
  std::shared_ptr<Arena> arena_;
  std::size_t arena_size_ = 0;
  std::size_t live_size_ = 0;
  std::size_t count_ = 0;
  std::uint64_t generation_ = 0;
};

// The two id spaces of a segment; string id 0 and stack id 0 coexist.
struct Pools {
  Pool strings;
  Pool stacks;
};

}  // namespace tracedeck::dial9
