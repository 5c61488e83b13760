// A vector of small things that is added to and taken from in a few instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace tracedeck::timeline {

// `First`: for how many there is room once there is one.
template <class T, std::size_t First>
class Pile {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  [[nodiscard]] const T* data() const { return room_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] const T& operator[](std::size_t place) const { return room_[place]; }
  // Requires that there is one.
  [[nodiscard]] const T& back() const { return room_[size_ - 1]; }

  // One more, which is not set; valid until the next.
  [[nodiscard, gnu::always_inline]] T& add() {
    if (size_ == capacity_) [[unlikely]]
      grow();
    return room_[size_++];
  }
  [[gnu::always_inline]] void push(T value) { add() = value; }
  void pop() { --size_; }
  // Leaves the first of them, at most as many as there are.
  void cut(std::size_t size) { size_ = size; }
  void clear() { size_ = 0; }

 private:
  [[gnu::noinline]] void grow() {
    capacity_ = std::max(First, capacity_ * 2);
    auto larger = std::make_unique_for_overwrite<T[]>(capacity_);
    std::copy_n(room_.get(), size_, larger.get());
    room_ = std::move(larger);
  }

  std::unique_ptr<T[]> room_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tracedeck::timeline
