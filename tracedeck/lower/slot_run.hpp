// The slots of an event that is made from another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/model/tape.hpp"

namespace tracedeck::lower {

// Collects them. What stays as it is is copied in runs, and where all of it does and lies in one
// piece, nothing is copied.
class SlotRun {
 public:
  // `made`: where slots are copied to or made, behind what is there. It must outlive this.
  explicit SlotRun(std::vector<Slot>& made) : made_(made) {}

  // Slots that stay as they are; they must outlive the result.
  void keep(const Slot* begin, const Slot* end) {
    if (begin != end_) {
      settle();
      begin_ = begin;
    }
    end_ = end;
  }
  void add(const Slot& slot) {
    settle();
    made_.push_back(slot);
  }

  // Adds the head of a compound value, which is closed behind what belongs to it. Returns its place
  // among the slots that are made.
  std::size_t open(const Slot& head) {
    add(head);
    return made_.size() - 1;
  }
  void close(std::size_t head) {
    settle();
    made_[head].length = static_cast<std::uint32_t>(made_.size() - head - 1);
  }

  [[nodiscard]] std::size_t size() const {
    return made_.size() + static_cast<std::size_t>(end_ - begin_);
  }
  // All slots, as copies.
  [[nodiscard]] std::vector<Slot>& settled() {
    settle();
    return made_;
  }
  // All slots, where they lie.
  [[nodiscard]] std::span<const Slot> slots() {
    if (made_.empty()) return {begin_, end_};
    return settled();
  }

 private:
  void settle() {
    if (begin_ != end_) copy(std::exchange(begin_, nullptr), std::exchange(end_, nullptr));
  }
  [[gnu::noinline]] void copy(const Slot* slot, const Slot* end) {
    // A few are copied in fewer instructions by themselves.
    constexpr std::ptrdiff_t kFew = 8;
    if (end - slot > kFew) {
      made_.insert(made_.end(), slot, end);
      return;
    }
    for (; slot != end; ++slot) made_.push_back(*slot);
  }

  std::vector<Slot>& made_;
  const Slot* begin_ = nullptr;  // of the run at hand, which is not copied yet
  const Slot* end_ = nullptr;
};

}  // namespace tracedeck::lower
