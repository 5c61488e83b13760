// A vector of small things that is added to and taken from in a few instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tracedeck::timeline {

// `First`: for how many there is room once there is one.
template <class T, std::size_t First>
class Pile {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  [[nodiscard]] const T* data() const { return room_.get(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(next_ - room_.get()); }
  [[nodiscard]] bool empty() const { return next_ == room_.get(); }
  // Whether one more takes more room.
  [[nodiscard]] bool full() const { return next_ == end_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return next_; }
  [[nodiscard]] const T& operator[](std::size_t place) const { return room_[place]; }
  // Requires that there is one.
  [[nodiscard]] const T& back() const { return next_[-1]; }
  [[nodiscard]] T& back() { return next_[-1]; }

  // One more, which is not set; valid until the next.
  [[nodiscard, gnu::always_inline]] T& add() {
    if (full()) [[unlikely]]
      make_room();
    return add_there();
  }
  [[gnu::always_inline]] void push(T value) { add() = value; }
  // The same where it is not full.
  [[nodiscard, gnu::always_inline]] T& add_there() { return *next_++; }
  [[gnu::always_inline]] void push_there(T value) { add_there() = value; }
  void pop() { --next_; }
  // Leaves the first of them, at most as many as there are.
  void cut(std::size_t size) { next_ = room_.get() + size; }
  void clear() { next_ = room_.get(); }

  // Of one that is full, room for more.
  [[gnu::noinline, gnu::cold]] void make_room() { reserve(std::max(First, size() * 2)); }
  // Room for as many at least.
  void reserve(std::size_t many) {
    if (many <= static_cast<std::size_t>(end_ - room_.get())) return;
    const std::size_t size = this->size();
    const std::size_t capacity = std::max(First, std::bit_ceil(many));
    auto larger = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(room_.get(), size, larger.get());
    room_ = std::move(larger);
    next_ = room_.get() + size;
    end_ = room_.get() + capacity;
  }

 private:
  std::unique_ptr<T[]> room_;
  T* next_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace tracedeck::timeline
