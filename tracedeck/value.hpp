// A value of an event, as the type that the caller asks for.
//
// A `Value` looks into the batch that the event came in and lives as long as that: in a loop over
// a `Trace` as long as the loop stands at the event. Text and blobs that are to be kept are copied
// by asking for a `std::string`, whole events by holding their batch (`EventView::batch`).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/path_steps.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// What `Value::get` can be asked for: integers of up to 128 bits, reals, bool, text and bytes.
template <class T>
concept ValueInteger = (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                        !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                        !std::same_as<T, char16_t> && !std::same_as<T, char32_t>) ||
                       std::same_as<T, Int128> || std::same_as<T, Uint128>;
template <class T>
concept ValueType =
    ValueInteger<T> || std::floating_point<T> || std::same_as<T, bool> ||
    std::same_as<T, std::string_view> || std::same_as<T, std::string> || std::same_as<T, ByteSpan>;

class Value {
 public:
  class Iterator;
  struct Named;

  enum class Kind : std::uint8_t {
    kNone,  // there is no value
    kBoolean,
    kSigned,  // integers of any width; an enumeration is its integer
    kUnsigned,
    kReal,
    kText,
    kBytes,
    kArray,
    kStructure,
    kMap,
    kUnresolved,  // an entry of a pool that is not known
  };

  // No value: of a field that the event does not have, or that is left out.
  Value() = default;
  // `slot` is a value on the tape, `field_class` its class, null where it carries its type with it.
  // An optional stands for what it holds, a variant for what was chosen.
  Value(const Slot* slot, const FieldClass* field_class) {
    if (slot->kind >= kFirstCompound) [[unlikely]] {
      set_compound(slot, field_class);
    } else {
      slot_ = *slot;
      class_ = field_class;
      there_ = true;
    }
  }

  // Whether there is a value.
  [[nodiscard]] explicit operator bool() const { return there_; }

  [[nodiscard]] Kind kind() const;
  // Calls `visitor` with what the value is, and returns what that does: a bool; a std::int64_t or
  // std::uint64_t, of wider integers an Int128 or Uint128; a double; a std::string_view; a
  // ByteSpan; and where C++ has no such type the value itself: arrays, structures, maps, integers
  // beyond 128 bits, entries that are not known, and no value.
  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const;

  // The value as a T. Absent if there is none, if it is of another kind, or if T cannot hold it:
  // an integer of more bits, a negative one as unsigned. Integers are also had as reals, rounded.
  // Views live as long as the event.
  template <ValueType T>
  [[nodiscard]] std::optional<T> get() const;
  // The same, or `otherwise`.
  template <ValueType T>
  [[nodiscard]] T get_or(T otherwise) const {
    const std::optional<T> value = get<T>();
    return value ? *value : otherwise;
  }

  // The labels of an enumeration's or bit map's value, in the order of the metadata.
  [[nodiscard]] std::vector<std::string_view> labels() const;
  // The first of them, or "".
  [[nodiscard]] std::string_view label() const;

  // Elements of an array, members of a structure, pairs of a map; 0 of anything else.
  [[nodiscard]] std::size_t size() const;
  // Element `index` of an array; no value where there is none.
  [[nodiscard]] Value operator[](std::size_t index) const;
  // What lies at a path inside: "member", "member.deeper[3]", "list[-1]", "key" or ["odd key"] of a
  // map (see `model/path_steps.hpp`). No value where nothing does. Looks names up at each call;
  // `EventView` does so once a class.
  [[nodiscard]] Value operator[](std::string_view path) const;
  // The same of a path that was parsed.
  [[nodiscard]] Value at(std::span<const PathStep> path) const;
  // The members of a structure, and the pairs of a map with strings as keys, in their order.
  [[nodiscard]] std::vector<Named> members() const;

  // The elements of an array; of anything else none.
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  // What lies on the tape: elements of packed arrays have slots of their own.
  [[nodiscard]] const Slot& slot() const { return slot_; }
  // Null where the value carries its type with it, or is none.
  [[nodiscard]] const FieldClass* field_class() const { return class_; }

 private:
  explicit Value(const Slot& scalar, const FieldClass* field_class)
      : slot_(scalar), class_(field_class), there_(true) {}

  void set_compound(const Slot* slot, const FieldClass* field_class);
  [[nodiscard]] std::optional<Int128> wide_integer() const;
  [[nodiscard]] std::optional<Uint128> wide_unsigned() const;
  [[nodiscard]] std::optional<double> real() const;
  [[nodiscard]] const FieldClass* element_class() const;
  [[nodiscard]] Value element(std::span<const PathStep> path) const;

  template <ValueInteger T, class From>
  static std::optional<T> narrowed(From value);

  Slot slot_{};
  const Slot* inside_ = nullptr;  // of a compound value: the slot after its head
  const FieldClass* class_ = nullptr;
  bool there_ = false;
};

// A member and its name, a pair of a map and its key.
struct Value::Named {
  std::string_view name;
  Value value;
};

class Value::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  [[nodiscard]] Value operator*() const;
  Iterator& operator++() {
    if (at_ != nullptr) at_ = at_->next();
    ++index_;
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  friend class Value;
  Iterator(const Slot& array, const Slot* at, const FieldClass* element, std::size_t index)
      : array_(array), at_(at), element_(element), index_(index) {}

  Slot array_{};              // of packed elements
  const Slot* at_ = nullptr;  // null: the elements are packed
  const FieldClass* element_ = nullptr;
  std::size_t index_ = 0;
};

// Inline, because it is called for each event.

template <ValueInteger T, class From>
std::optional<T> Value::narrowed(From value) {
  const auto narrow = static_cast<T>(value);
  if (static_cast<From>(narrow) != value || (narrow < T{}) != (value < From{})) return {};
  return narrow;
}

template <class Visitor>
decltype(auto) Value::visit(Visitor&& visitor) const {
  if (!there_) return visitor(*this);
  switch (slot_.kind) {
    case SlotKind::kBoolean:
      return visitor(slot_.bits != 0);
    case SlotKind::kUnsigned:
      return visitor(std::uint64_t{slot_.bits});
    case SlotKind::kSigned:
      return visitor(std::int64_t{slot_.integer});
    case SlotKind::kReal:
      return visitor(double{slot_.real});
    case SlotKind::kString:
      return visitor(slot_.text());
    case SlotKind::kBlob:
      return visitor(slot_.bytes());
    case SlotKind::kWideReal:
      return visitor(*real());
    case SlotKind::kWideUnsigned:
      if (const auto wide = wide_unsigned()) return visitor(*wide);
      return visitor(*this);
    case SlotKind::kWideSigned:
      if (const auto wide = wide_integer()) return visitor(*wide);
      return visitor(*this);
    default:
      return visitor(*this);
  }
}

template <ValueType T>
std::optional<T> Value::get() const {
  if (!there_) return {};
  if constexpr (std::same_as<T, bool>) {
    if (slot_.kind == SlotKind::kBoolean) return slot_.bits != 0;
  } else if constexpr (ValueInteger<T>) {
    if (slot_.kind == SlotKind::kUnsigned) return narrowed<T>(slot_.bits);
    if (slot_.kind == SlotKind::kSigned) return narrowed<T>(slot_.integer);
    if (slot_.kind == SlotKind::kWideUnsigned) {
      if (const auto wide = wide_unsigned()) return narrowed<T>(*wide);
    } else if (slot_.kind == SlotKind::kWideSigned) {
      if (const auto wide = wide_integer()) return narrowed<T>(*wide);
    }
  } else if constexpr (std::floating_point<T>) {
    if (slot_.kind == SlotKind::kReal) return static_cast<T>(slot_.real);
    if (const auto value = real()) return static_cast<T>(*value);
  } else if constexpr (std::same_as<T, ByteSpan>) {
    if (slot_.kind == SlotKind::kBlob) return slot_.bytes();
  } else {
    if (slot_.kind == SlotKind::kString) return T(slot_.text());
  }
  return {};
}

}  // namespace tracedeck
