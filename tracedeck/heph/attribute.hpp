// Attributes as the encoder takes them.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/heph/wire.hpp"

namespace tracedeck::heph {

namespace detail {

template <class T>
inline constexpr auto kElementType = ValueType{};
template <>
inline constexpr auto kElementType<std::uint64_t> = ValueType::kUnsigned;
template <>
inline constexpr auto kElementType<std::int64_t> = ValueType::kSigned;
template <>
inline constexpr auto kElementType<double> = ValueType::kReal;
template <>
inline constexpr auto kElementType<std::string_view> = ValueType::kString;

template <class Range>
concept ArrayOfValues =
    std::ranges::contiguous_range<const Range&> && std::ranges::sized_range<const Range&> &&
    kElementType<std::ranges::range_value_t<const Range&>> != ValueType{};

// A length and the text. Returns the end.
inline std::uint8_t* put_text(std::uint8_t* to, std::string_view text) {
  store_be(to, static_cast<std::uint16_t>(text.size()));
  if (!text.empty()) std::memcpy(to + kLengthSize, text.data(), text.size());
  return to + kLengthSize + text.size();
}

}  // namespace detail

// The value of an attribute: a number, text, or an array of one of them. Refers to text and arrays,
// which must live as long as it. Made from any integer, floating-point number, text, and array or
// span of std::uint64_t, std::int64_t, double or std::string_view:
//
//   encoder.write(head, "read", {{"bytes", 512}, {"path", path}, {"times", times}});
class AttributeValue {
 public:
  template <std::unsigned_integral T>
  AttributeValue(T value)  // NOLINT(google-explicit-constructor): plain widening
      : bits_(value), type_(type_byte(ValueType::kUnsigned)) {}
  template <std::signed_integral T>
  AttributeValue(T value)  // NOLINT(google-explicit-constructor)
      : bits_(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))),
        type_(type_byte(ValueType::kSigned)) {}
  template <std::floating_point T>
    requires(sizeof(T) <= sizeof(double))
  AttributeValue(T value)  // NOLINT(google-explicit-constructor)
      : bits_(std::bit_cast<std::uint64_t>(static_cast<double>(value))),
        type_(type_byte(ValueType::kReal)) {}
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  AttributeValue(const T& text)  // NOLINT(google-explicit-constructor)
      : AttributeValue(std::string_view(text)) {}
  AttributeValue(std::string_view text)  // NOLINT(google-explicit-constructor)
      : pointer_(text.data()), count_(text.size()), type_(type_byte(ValueType::kString)) {}

  template <class Range>
    requires detail::ArrayOfValues<Range>
  AttributeValue(const Range& values)  // NOLINT(google-explicit-constructor)
      : AttributeValue(std::ranges::data(values), std::ranges::size(values),
                       detail::kElementType<std::ranges::range_value_t<Range>>) {}

  // An array as it lies on the wire, without its count: `count` elements in `wire`, which is not
  // checked.
  [[nodiscard]] static AttributeValue from_wire(ValueType element, std::size_t count,
                                                ByteSpan wire) {
    AttributeValue value(wire.data(), count, element);
    value.wire_size_ = wire.size();
    value.is_wire_ = true;
    return value;
  }

  // The type byte.
  [[nodiscard]] std::uint8_t type() const { return type_; }
  // Why it cannot be encoded: a text or an array that is too long. Empty when it can be.
  [[nodiscard]] std::string_view fault() const;
  // Bytes on the wire, length or count included. Requires that there is no fault.
  [[nodiscard]] std::size_t wire_size() const {
    switch (type_) {
      case type_byte(ValueType::kUnsigned):
      case type_byte(ValueType::kSigned):
      case type_byte(ValueType::kReal):
        return kScalarSize;
      case type_byte(ValueType::kString):
        return kLengthSize + count_;
      default:
        return array_size();
    }
  }
  // Encodes it, without the type byte. Returns the end.
  [[nodiscard]] std::uint8_t* put(std::uint8_t* to) const {
    switch (type_) {
      case type_byte(ValueType::kUnsigned):
      case type_byte(ValueType::kSigned):
      case type_byte(ValueType::kReal):
        store_be(to, bits_);
        return to + kScalarSize;
      case type_byte(ValueType::kString):
        return detail::put_text(to, {static_cast<const char*>(pointer_), count_});
      default:
        return put_array(to);
    }
  }
  // Whether the length or count is too large, of arrays perhaps not all there is to know.
  [[nodiscard]] bool may_be_faulty() const {
    return type_ >= type_byte(ValueType::kString) &&
           (count_ > kMaxLength || type_ == type_byte(ValueType::kString, true));
  }

 private:
  AttributeValue(const void* pointer, std::size_t count, ValueType element)
      : pointer_(pointer), count_(count), type_(type_byte(element, true)) {}

  [[nodiscard]] std::size_t array_size() const;
  [[nodiscard]] std::uint8_t* put_array(std::uint8_t* to) const;

  std::uint64_t bits_ = 0;         // of a number
  const void* pointer_ = nullptr;  // to a text or elements
  std::size_t count_ = 0;          // bytes of a text, elements of an array
  std::size_t wire_size_ = 0;      // of an array that is on the wire already
  std::uint8_t type_;
  bool is_wire_ = false;
};

struct Attribute {
  std::string_view name;
  AttributeValue value;
};

}  // namespace tracedeck::heph
