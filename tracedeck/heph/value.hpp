// Attribute values as the visitor of `decode` sees them, and how the decoder stores them.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "tracedeck/heph/packet.hpp"

namespace tracedeck::heph {

// A decoded attribute value. What it points to lives as long as the trace's bytes.
struct Value {
  std::uint8_t type = 0;    // the type byte
  std::uint32_t count = 0;  // of an array: elements
  union {
    std::uint64_t bits = 0;       // of a number
    const std::uint8_t* pointer;  // of a string, or an array as it lies in the packet
  };
  std::uint32_t size = 0;  // bytes at `pointer`

  [[nodiscard]] bool is_array() const { return (type & kArrayMarker) != 0; }
  [[nodiscard]] ValueType value_type() const {
    return static_cast<ValueType>(type & ~kArrayMarker);
  }
  [[nodiscard]] std::uint64_t unsigned_integer() const { return bits; }
  [[nodiscard]] std::int64_t signed_integer() const { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] double real() const { return std::bit_cast<double>(bits); }
  [[nodiscard]] std::string_view text() const { return as_text({pointer, size}); }
  // The bits of element `index` of an array of numbers.
  [[nodiscard]] std::uint64_t element(std::size_t index) const {
    return load_be<std::uint64_t>(pointer + kScalarSize * index);
  }
  [[nodiscard]] StringArray strings() const { return {pointer, count}; }
};

// One value an attribute.
struct ValuePolicy {
  using Out = Value;
  static constexpr bool kReportsOddities = true;
  // Whether an event's values are stored behind those before it, so that there may be no room.
  static constexpr bool kAdvances = false;

  static Value* head(Value* out, const EventHead&) { return out; }
  static Value* number(Value* out, ValueType type, std::uint64_t bits) {
    *out = {.type = static_cast<std::uint8_t>(type), .bits = bits};
    return out + 1;
  }
  static Value* string(Value* out, const std::uint8_t* data, std::uint32_t size) {
    *out = {.type = static_cast<std::uint8_t>(ValueType::kString), .pointer = data, .size = size};
    return out + 1;
  }
  static Value* numbers(Value* out, ValueType type, const std::uint8_t* data, std::uint32_t count) {
    *out = {.type = static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) | kArrayMarker),
            .count = count,
            .pointer = data,
            .size = static_cast<std::uint32_t>(count * kScalarSize)};
    return out + 1;
  }
  static Value* strings(Value* out, const std::uint8_t* data, std::uint32_t count,
                        std::uint32_t size) {
    *out = {.type = static_cast<std::uint8_t>(ValueType::kString) | kArrayMarker,
            .count = count,
            .pointer = data,
            .size = size};
    return out + 1;
  }
  // The visitor walks the packet itself.
  static Value* described(Value* out, const std::uint8_t*, std::size_t) { return out; }
};

// Checks packets and stores nothing.
template <bool Findings>
struct SkippingPolicy {
  using Out = char;
  static constexpr bool kReportsOddities = Findings;
  static constexpr bool kAdvances = false;

  static char* head(char* out, const EventHead&) { return out; }
  static char* number(char* out, ValueType, std::uint64_t) { return out; }
  static char* string(char* out, const std::uint8_t*, std::uint32_t) { return out; }
  static char* numbers(char* out, ValueType, const std::uint8_t*, std::uint32_t) { return out; }
  static char* strings(char* out, const std::uint8_t*, std::uint32_t, std::uint32_t) { return out; }
  static char* described(char* out, const std::uint8_t*, std::size_t) { return out; }
};

}  // namespace tracedeck::heph
