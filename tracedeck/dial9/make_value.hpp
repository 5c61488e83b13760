// Makes the values that `Encoder::write_event` takes.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/field_codec.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

namespace detail {

[[nodiscard]] inline Value scalar(FieldType type, std::uint64_t bits) {
  return {.bits = bits, .length = 0, .type = type, .present = true, .reserved = 0};
}

// What is longer than a Value can say has no type, and no encoder accepts it.
[[nodiscard]] inline Value extent(FieldType type, ByteSpan bytes) {
  return {.pointer = bytes.data(),
          .length = static_cast<std::uint32_t>(bytes.size()),
          .type = bytes.size() <= kMaxLength ? type : FieldType{},
          .present = true,
          .reserved = 0};
}

}  // namespace detail

[[nodiscard]] inline Value make_u8(std::uint8_t value) {
  return detail::scalar(FieldType::kU8, value);
}
[[nodiscard]] inline Value make_u16(std::uint16_t value) {
  return detail::scalar(FieldType::kU16, value);
}
[[nodiscard]] inline Value make_u32(std::uint32_t value) {
  return detail::scalar(FieldType::kU32, value);
}
[[nodiscard]] inline Value make_varint(std::uint64_t value) {
  return detail::scalar(FieldType::kVarint, value);
}
[[nodiscard]] inline Value make_i64(std::int64_t value) {
  return detail::scalar(FieldType::kI64, static_cast<std::uint64_t>(value));
}
[[nodiscard]] inline Value make_f64(double value) {
  return detail::scalar(FieldType::kF64, std::bit_cast<std::uint64_t>(value));
}
[[nodiscard]] inline Value make_bool(bool value) {
  return detail::scalar(FieldType::kBool, value ? 1 : 0);
}
[[nodiscard]] inline Value make_pooled_string(InternedString value) {
  return detail::scalar(FieldType::kPooledString, value.id);
}
[[nodiscard]] inline Value make_pooled_stack(InternedStack value) {
  return detail::scalar(FieldType::kPooledStackFrames, value.id);
}
// An optional field of the given type that is absent.
[[nodiscard]] inline Value make_absent(FieldType type) {
  return {.bits = 0, .length = 0, .type = type, .present = false, .reserved = 0};
}

// These point to what they are given. At most 2^32-1 bytes.
[[nodiscard]] inline Value make_string(std::string_view text) {
  return detail::extent(FieldType::kString, as_bytes(text));
}
[[nodiscard]] inline Value make_bytes(ByteSpan bytes) {
  return detail::extent(FieldType::kBytes, bytes);
}
[[nodiscard]] inline Value make_stack(StackFrames frames) {
  return detail::extent(FieldType::kStackFrames, frames.wire());
}

// A string map, dynamic list or dynamic map, and the memory that its value points into. At most
// 2^32-1 bytes, nested at most `kMaxNesting` deep; what is more gives a value that no encoder
// accepts.
class ContainerValue {
 public:
  explicit ContainerValue(const StringMap& map) : ContainerValue(FieldCodec<StringMap>{}, map) {}
  explicit ContainerValue(const DynamicList& list)
      : ContainerValue(FieldCodec<DynamicList>{}, list) {}
  explicit ContainerValue(const DynamicMap& map) : ContainerValue(FieldCodec<DynamicMap>{}, map) {}

  [[nodiscard]] Value value() const {
    return {.pointer = wire_.data() + 4,
            .length = length_,
            .type = type_,
            .present = true,
            .reserved = 0};
  }

 private:
  template <class Codec, class Container>
  ContainerValue(Codec, const Container& container) : type_(Codec::kType) {
    const std::size_t size = Codec::size(container);
    const bool fits = size <= detail::kMaxLength;
    if (!fits) type_ = FieldType{};
    wire_.resize(4 + (fits ? size : 0) + kPadding);
    if (!fits) return;
    const std::uint8_t* const end = Codec::put(wire_.data(), container);
    length_ = static_cast<std::uint32_t>(end - wire_.data() - 4);
    wire_.resize(static_cast<std::size_t>(end - wire_.data()));
    wire_.resize(wire_.size() + kPadding);  // zeros, also where wide stores went beyond the end
  }

  FieldType type_;
  std::uint32_t length_ = 0;
  std::vector<std::uint8_t> wire_;
};

}  // namespace tracedeck::dial9
