// The values of a column: a growing run of plain ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tracedeck::columns {

// As `std::vector`, for what may be copied byte by byte. It grows in place where the system moves
// pages instead of bytes, and `grow` leaves what it adds unset. Throws std::bad_alloc when memory
// is exhausted.
template <class T>
class Values {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = T*;

  Values() = default;
  Values(std::initializer_list<T> values) { append(values); }
  Values(const Values& other) { append(other); }
  Values(Values&& other) noexcept { swap(other); }
  Values& operator=(Values other) noexcept {
    swap(other);
    return *this;
  }
  ~Values() { std::free(data_); }  // NOLINT(cppcoreguidelines-no-malloc): grown by realloc

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  // Whether the next value needs more memory; true before the first.
  [[nodiscard]] bool full() const { return size_ == capacity_; }
  // REQUIRES of these: it is not empty.
  [[nodiscard]] const T& front() const { return data_[0]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  void pop_back() { --size_; }
  // Keeps the memory.
  void clear() { size_ = 0; }

  void reserve(std::size_t count) {
    if (count > capacity_) make_room(count - size_);
  }
  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]]
      make_room(1);
    data_[size_++] = value;
  }
  // Adds `count` values that the caller sets, and returns where they are.
  T* grow(std::size_t count) {
    if (count > capacity_ - size_) [[unlikely]]
      make_room(count);
    T* const added = data_ + size_;
    size_ += count;
    return added;
  }
  void append(std::size_t count, T value) { std::fill_n(grow(count), count, value); }
  void append(std::span<const T> values) {
    if (!values.empty()) std::memcpy(grow(values.size()), values.data(), values.size_bytes());
  }

 private:
  void swap(Values& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[gnu::noinline]] void make_room(std::size_t count) {
    constexpr std::size_t kLeast = 64 / sizeof(T);
    // Pages that are not written to take no memory: larger steps copy less.
    constexpr std::size_t kMany = 16'384 / sizeof(T);
    const std::size_t factor = capacity_ < kMany ? 2 : 8;
    const std::size_t capacity =
        std::bit_ceil(std::max({size_ + count, capacity_ * factor, kLeast}));
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): nothing else grows in place
    void* const moved = std::realloc(data_, capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tracedeck::columns
