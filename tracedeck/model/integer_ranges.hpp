// Sets of integers as ranges: of a label, of a variant's option, of an optional field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "tracedeck/base/integer.hpp"

namespace tracedeck {

struct IntegerRange {
  Integer lower = 0;
  Integer upper = 0;  // inclusive

  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

// Ranges in their order. An enumeration may have a million labels, nearly all with one range of a
// few values: that one takes 16 bytes, and none elsewhere. Ranges are handed out by value.
class IntegerRanges {
 public:
  using value_type = IntegerRange;

  class const_iterator {  // NOLINT(readability-identifier-naming): as of a container
   public:
    using value_type = IntegerRange;
    using difference_type = std::ptrdiff_t;
    using reference = IntegerRange;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    const_iterator() = default;
    const_iterator(const IntegerRanges& of, std::size_t index) : of_(&of), index_(index) {}
    IntegerRange operator*() const { return (*of_)[index_]; }
    const_iterator& operator++() {
      ++index_;
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const const_iterator& a, const const_iterator& b) {
      return a.index_ == b.index_;
    }

   private:
    const IntegerRanges* of_ = nullptr;
    std::size_t index_ = 0;
  };

  IntegerRanges() = default;
  IntegerRanges(std::initializer_list<IntegerRange> ranges) {
    for (const IntegerRange& range : ranges) push_back(range);
  }
  IntegerRanges(const IntegerRanges& other)
      : value_(other.value_), span_(other.span_), form_(other.form_) {
    if (form_ == Form::kList) value_.list = new std::vector<IntegerRange>(*other.value_.list);
  }
  IntegerRanges(IntegerRanges&& other) noexcept { swap(other); }
  IntegerRanges& operator=(const IntegerRanges& other) {
    IntegerRanges copy(other);
    swap(copy);
    return *this;
  }
  IntegerRanges& operator=(IntegerRanges&& other) noexcept {
    IntegerRanges taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~IntegerRanges() {
    if (form_ == Form::kList) delete value_.list;
  }

  [[nodiscard]] bool empty() const { return form_ == Form::kNone; }
  [[nodiscard]] std::size_t size() const {
    return form_ == Form::kList ? value_.list->size() : form_ == Form::kOne ? 1 : 0;
  }
  // `index`: less than `size()`.
  [[nodiscard]] IntegerRange operator[](std::size_t index) const {
    if (form_ == Form::kList) return (*value_.list)[index];
    return {value_.lower, Int128{value_.lower} + span_};
  }
  [[nodiscard]] IntegerRange front() const { return (*this)[0]; }
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, size()}; }

  // Whether one of them has a value.
  [[nodiscard]] bool contains(Int128 value) const {
    if (form_ == Form::kOne) [[likely]]
      return static_cast<Uint128>(value) - static_cast<Uint128>(Int128{value_.lower}) <= span_;
    return form_ == Form::kList && is_listed(value);
  }
  [[nodiscard]] bool contains(const Integer& value) const {
    return value.fits_signed() ? contains(static_cast<Int128>(value))
                               : form_ == Form::kList && is_listed(value);
  }

  void push_back(const IntegerRange& range) {
    if (form_ == Form::kNone && is_small(range)) {
      value_.lower = static_cast<std::int64_t>(range.lower);
      span_ = static_cast<std::uint32_t>(static_cast<Int128>(range.upper) -
                                         static_cast<Int128>(range.lower));
      form_ = Form::kOne;
      return;
    }
    if (form_ != Form::kList) {
      auto list = std::make_unique<std::vector<IntegerRange>>();
      list->reserve(size() + 1);
      if (form_ == Form::kOne) list->push_back((*this)[0]);
      value_.list = list.release();
      form_ = Form::kList;
    }
    value_.list->push_back(range);
  }

  void append(const IntegerRanges& others) {
    for (const IntegerRange& range : others) push_back(range);
  }

  friend bool operator==(const IntegerRanges& a, const IntegerRanges& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  enum class Form : std::uint32_t { kNone, kOne, kList };

  [[nodiscard]] bool is_listed(const Integer& value) const {
    for (const IntegerRange& range : *value_.list)
      if (range.lower <= value && value <= range.upper) return true;
    return false;
  }
  static bool is_small(const IntegerRange& range) {
    return range.lower >= INT64_MIN && range.lower <= INT64_MAX && range.upper >= range.lower &&
           range.upper <= Integer(static_cast<Int128>(range.lower) + UINT32_MAX);
  }
  void swap(IntegerRanges& other) noexcept {
    std::swap(value_, other.value_);
    std::swap(span_, other.span_);
    std::swap(form_, other.form_);
  }

  union Value {
    std::int64_t lower;               // kOne
    std::vector<IntegerRange>* list;  // kList, owned
  };
  Value value_ = {.lower = 0};
  std::uint32_t span_ = 0;  // kOne: `upper - lower`
  Form form_ = Form::kNone;
};

}  // namespace tracedeck
