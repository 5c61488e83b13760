// Lists that grow and never move what they hold.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tracedeck {

// As a std::deque to which elements are only added behind. Takes next to nothing while it has few
// elements: its pieces have room for 1, 2, 4 ... of them.
template <class T>
class StableList {
  template <class Element, class List>
  class Iterator;

 public:
  using value_type = T;
  using iterator = Iterator<T, StableList>;
  using const_iterator = Iterator<const T, const StableList>;

  StableList() = default;
  StableList(StableList&& other) noexcept
      : pieces_(std::move(other.pieces_)), size_(std::exchange(other.size_, 0)) {}
  StableList& operator=(StableList&& other) noexcept {
    pieces_.swap(other.pieces_);
    std::swap(size_, other.size_);
    return *this;
  }
  StableList(const StableList&) = delete;
  StableList& operator=(const StableList&) = delete;
  ~StableList() {
    for (T& element : *this) std::destroy_at(&element);
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t index) { return *place_of(index); }
  [[nodiscard]] const T& operator[](std::size_t index) const { return *place_of(index); }
  // Throws std::out_of_range.
  [[nodiscard]] const T& at(std::size_t index) const {
    if (index >= size_) throw std::out_of_range("StableList::at");
    return *place_of(index);
  }
  [[nodiscard]] T& front() { return *place_of(0); }
  [[nodiscard]] const T& front() const { return *place_of(0); }
  [[nodiscard]] T& back() { return *place_of(size_ - 1); }
  [[nodiscard]] const T& back() const { return *place_of(size_ - 1); }
  [[nodiscard]] iterator begin() { return {this, 0}; }
  [[nodiscard]] iterator end() { return {this, size_}; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, size_}; }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    const std::size_t piece = piece_of(size_);
    if (piece == pieces_.size())
      pieces_.push_back(std::make_unique_for_overwrite<Room[]>(std::size_t{1} << piece));
    T* const made = std::construct_at(place_of(size_), std::forward<Arguments>(arguments)...);
    ++size_;
    return *made;
  }

 private:
  struct Room {
    alignas(T) std::byte bytes[sizeof(T)];
  };

  // Piece n holds the elements from 2^n - 1 on.
  static std::size_t piece_of(std::size_t index) {
    return static_cast<std::size_t>(std::bit_width(index + 1)) - 1;
  }
  [[nodiscard]] T* place_of(std::size_t index) const {
    const std::size_t piece = piece_of(index);
    Room& room = pieces_[piece][index + 1 - (std::size_t{1} << piece)];
    return reinterpret_cast<T*>(room.bytes);
  }

  std::vector<std::unique_ptr<Room[]>> pieces_;
  std::size_t size_ = 0;
};

template <class T>
template <class Element, class List>
class StableList<T>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;

  Iterator() = default;
  Iterator(List* list, std::size_t index) : list_(list), index_(index) {}

  reference operator*() const { return (*list_)[index_]; }
  pointer operator->() const { return &(*list_)[index_]; }
  reference operator[](difference_type by) const { return *(*this + by); }
  Iterator& operator+=(difference_type by) {
    index_ += static_cast<std::size_t>(by);
    return *this;
  }
  Iterator& operator-=(difference_type by) { return *this += -by; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this += -1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this + -1); }
  friend Iterator operator+(Iterator at, difference_type by) { return at += by; }
  friend Iterator operator+(difference_type by, Iterator at) { return at += by; }
  friend Iterator operator-(Iterator at, difference_type by) { return at -= by; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
  friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.index_ <=> b.index_; }

 private:
  List* list_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace tracedeck
