// Lists that are nearly always empty, and take the space of a pointer then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace tracedeck {

// As a std::vector, as far as it is needed. What is changed moves its elements as there.
template <class T>
class RareList {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  RareList() = default;
  RareList(std::initializer_list<T> elements) { assign(elements.begin(), elements.end()); }
  RareList(const RareList& other) { assign(other.begin(), other.end()); }
  RareList(RareList&& other) noexcept = default;
  RareList& operator=(const RareList& other) {
    RareList copy(other);
    list_ = std::move(copy.list_);
    return *this;
  }
  RareList& operator=(RareList&& other) noexcept = default;
  ~RareList() = default;

  [[nodiscard]] bool empty() const { return list_ == nullptr || list_->empty(); }
  [[nodiscard]] std::size_t size() const { return list_ == nullptr ? 0 : list_->size(); }
  [[nodiscard]] T* data() { return list_ == nullptr ? nullptr : list_->data(); }
  [[nodiscard]] const T* data() const { return list_ == nullptr ? nullptr : list_->data(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }
  [[nodiscard]] T& operator[](std::size_t index) { return (*list_)[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return (*list_)[index]; }
  [[nodiscard]] T& at(std::size_t index) { return made().at(index); }
  [[nodiscard]] const T& at(std::size_t index) const { return list_->at(index); }
  [[nodiscard]] T& front() { return list_->front(); }
  [[nodiscard]] const T& front() const { return list_->front(); }
  [[nodiscard]] T& back() { return list_->back(); }
  [[nodiscard]] const T& back() const { return list_->back(); }

  void push_back(T element) { made().push_back(std::move(element)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return made().emplace_back(std::forward<Arguments>(arguments)...);
  }
  template <class Iterator>
  void insert(const T* before, Iterator first, Iterator last) {
    if (first == last) return;
    const auto at = before - data();
    made().insert(list_->begin() + at, first, last);
  }
  T* insert(const T* before, T element) {
    const auto at = before - data();
    return &*made().insert(list_->begin() + at, std::move(element));
  }
  T* erase(const T* element) { return erase(element, element + 1); }
  T* erase(const T* first, const T* last) {
    const auto at = first - data();
    if (first != last) list_->erase(list_->begin() + at, list_->begin() + (last - data()));
    if (list_ != nullptr && list_->empty()) list_ = nullptr;
    return data() + at;
  }
  void clear() { list_ = nullptr; }

  friend bool operator==(const RareList& a, const RareList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    if (first != last) list_ = std::make_unique<std::vector<T>>(first, last);
  }
  std::vector<T>& made() {
    if (list_ == nullptr) list_ = std::make_unique<std::vector<T>>();
    return *list_;
  }

  std::unique_ptr<std::vector<T>> list_;
};

}  // namespace tracedeck
