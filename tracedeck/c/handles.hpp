// Objects by numbers: one that was closed is never found again, whoever got its place.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tracedeck::capi {

// Any thread may call any of it.
template <class Object>
class Handles {
 public:
  [[nodiscard]] std::uint64_t add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    std::uint32_t place = 0;
    if (free_.empty()) {
      place = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    Entry& entry = entries_[place];
    entry.object = std::move(object);
    return std::uint64_t{entry.generation} << 32 | (place + 1);
  }

  // Null: there is no such object.
  [[nodiscard]] std::shared_ptr<Object> find(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    Entry* const entry = entry_of(handle);
    return entry == nullptr ? nullptr : entry->object;
  }

  // Forgets the object and returns it; null: somebody else did.
  [[nodiscard]] std::shared_ptr<Object> remove(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    Entry* const entry = entry_of(handle);
    if (entry == nullptr) return nullptr;
    ++entry->generation;
    free_.push_back(place_of(handle));
    return std::exchange(entry->object, nullptr);
  }

 private:
  struct Entry {
    std::uint32_t generation = 1;
    std::shared_ptr<Object> object = {};
  };

  static std::uint32_t place_of(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle) - 1;
  }
  Entry* entry_of(std::uint64_t handle) {
    const std::uint32_t place = place_of(handle);
    if (place >= entries_.size()) return nullptr;
    Entry& entry = entries_[place];
    return entry.object != nullptr && entry.generation == handle >> 32 ? &entry : nullptr;
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

// The right to work with an object that one thread at a time may have.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& taken) : taken_(taken), is_ours_(!taken.exchange(true)) {}
  ~Turn() {
    if (is_ours_) taken_ = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  [[nodiscard]] explicit operator bool() const { return is_ours_; }

 private:
  std::atomic<bool>& taken_;
  bool is_ours_;
};

}  // namespace tracedeck::capi
