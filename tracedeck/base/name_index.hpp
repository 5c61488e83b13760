// Finds the entries of a list by their names, in 5 to 11 bytes an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck {

// A hash table of indices into a list that its user keeps. `name_of(index)` is the name of an
// entry, which stays what it was when the entry was added.
class NameIndex {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // kNone: there is no entry of that name.
  template <class NameOf>
  [[nodiscard]] std::size_t find(std::string_view name, const NameOf& name_of) const {
    return slots_.empty() ? kNone : index_at(slot_of(name, name_of));
  }
  // Adds an entry, unless there is one of its name. Returns that of the name.
  template <class NameOf>
  std::size_t add(std::size_t index, const NameOf& name_of) {
    if (4 * (count_ + 1) > 3 * slots_.size()) grow(name_of);
    const std::size_t slot = slot_of(name_of(index), name_of);
    if (slots_[slot] == kFree) {
      slots_[slot] = static_cast<std::uint32_t>(index);
      ++count_;
    }
    return slots_[slot];
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kFirstSlots = 8;

  [[nodiscard]] std::size_t index_at(std::size_t slot) const {
    return slots_[slot] == kFree ? kNone : slots_[slot];
  }
  // Where a name is, or would be.
  template <class NameOf>
  [[nodiscard]] std::size_t slot_of(std::string_view name, const NameOf& name_of) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_(name) & mask;
    while (slots_[slot] != kFree && std::string_view(name_of(slots_[slot])) != name)
      slot = (slot + 1) & mask;
    return slot;
  }
  template <class NameOf>
  void grow(const NameOf& name_of) {
    std::vector<std::uint32_t> before(slots_.empty() ? kFirstSlots : 2 * slots_.size(), kFree);
    before.swap(slots_);
    for (const std::uint32_t index : before)
      if (index != kFree) slots_[slot_of(name_of(index), name_of)] = index;
  }

  KeyedHash hash_;
  std::vector<std::uint32_t> slots_;  // a power of two; at most three quarters are taken
  std::size_t count_ = 0;
};

}  // namespace tracedeck
