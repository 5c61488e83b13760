#include "tracedeck/heph/attribute.hpp"

#include <algorithm>

namespace tracedeck::heph {

std::string_view AttributeValue::fault() const {
  if (type_ == type_byte(ValueType::kString) && count_ > kMaxLength)
    return "is a string of more than 65,535 bytes";
  if ((type_ & kArrayMarker) == 0) return {};
  if (count_ > kMaxLength) return "is an array of more than 65,535 elements";
  if (is_wire_ || type_ != type_byte(ValueType::kString, true)) return {};
  const auto* const texts = static_cast<const std::string_view*>(pointer_);
  const bool fits = std::all_of(texts, texts + count_,
                                [](std::string_view text) { return text.size() <= kMaxLength; });
  return fits ? "" : "has an element of more than 65,535 bytes";
}

std::size_t AttributeValue::array_size() const {
  if (is_wire_) return kLengthSize + wire_size_;
  if (type_ != type_byte(ValueType::kString, true)) return kLengthSize + count_ * kScalarSize;
  const auto* const texts = static_cast<const std::string_view*>(pointer_);
  std::size_t size = kLengthSize;
  for (std::size_t i = 0; i < count_; ++i) size += kLengthSize + texts[i].size();
  return size;
}

std::uint8_t* AttributeValue::put_array(std::uint8_t* to) const {
  store_be(to, static_cast<std::uint16_t>(count_));
  to += kLengthSize;
  if (is_wire_) {
    if (wire_size_ != 0) std::memcpy(to, pointer_, wire_size_);
    return to + wire_size_;
  }
  if (type_ == type_byte(ValueType::kString, true)) {
    const auto* const texts = static_cast<const std::string_view*>(pointer_);
    for (std::size_t i = 0; i < count_; ++i) to = detail::put_text(to, texts[i]);
    return to;
  }
  // Numbers of all three types are 8 bytes in the order of the machine.
  const auto* const numbers = static_cast<const std::uint8_t*>(pointer_);
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, numbers + i * kScalarSize, sizeof bits);
    store_be(to, bits);
    to += kScalarSize;
  }
  return to;
}

}  // namespace tracedeck::heph
