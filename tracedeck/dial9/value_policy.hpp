// How `decode_fields` stores native values, or nothing at all.
#pragma once

#include "tracedeck/dial9/field_decode.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

// One `Value` a field; pool ids unresolved, lists and maps as their wire bytes.
template <bool Findings>
struct ValuePolicy {
  using Out = Value;
  static constexpr bool kReportsOddities = Findings;
  static constexpr bool kExpandsContainers = false;

  // A value is stored as two words, the second of which is a constant for scalars.
  static Value* put(Value* out, std::uint64_t bits, FieldType type, std::uint32_t length = 0,
                    bool present = true) {
    struct Rest {
      std::uint32_t length;
      FieldType type;
      bool present;
      std::uint16_t reserved;
    };
    static_assert(sizeof(Rest) == sizeof(Value) - sizeof bits);
    const auto rest = std::bit_cast<std::uint64_t>(Rest{length, type, present, 0});
    out->bits = bits;
    std::memcpy(&out->length, &rest, sizeof rest);
    return out + 1;
  }
  static Value* put(Value* out, const std::uint8_t* pointer, FieldType type, std::uint32_t length) {
    Value* const end = put(out, std::uint64_t{0}, type, length);
    out->pointer = pointer;
    return end;
  }

  static Value* unsigned_integer(Value* out, std::uint64_t value, FieldType type) {
    return put(out, value, type);
  }
  static Value* signed_integer(Value* out, std::int64_t value) {
    return put(out, static_cast<std::uint64_t>(value), FieldType::kI64);
  }
  static Value* real(Value* out, double value) {
    return put(out, std::bit_cast<std::uint64_t>(value), FieldType::kF64);
  }
  static Value* boolean(Value* out, bool value) {
    return put(out, value ? 1U : 0U, FieldType::kBool);
  }
  static Value* pooled_string(Value* out, std::uint32_t id, const Pools&, bool&) {
    return put(out, id, FieldType::kPooledString);
  }
  static Value* pooled_stack(Value* out, std::uint32_t id, const Pools&, bool&) {
    return put(out, id, FieldType::kPooledStackFrames);
  }
  static Value* string(Value* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, data, FieldType::kString, size);
  }
  static Value* blob(Value* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, data, FieldType::kBytes, size);
  }
  static Value* stack(Value* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, data, FieldType::kStackFrames, size);
  }
  static Value* container(Value* out, FieldType type, const std::uint8_t* at,
                          const SkipResult& extent, const Pools&, bool) {
    return put(out, at + 4, type, static_cast<std::uint32_t>(extent.end - at - 4));
  }
  static Value* absent(Value* out, FieldType type) {
    return put(out, std::uint64_t{0}, type, 0, false);
  }
  static Value* present(Value* out) { return out; }
};

// Checks and skips the fields without storing them.
template <bool Findings>
struct SkippingPolicy {
  struct Out {};
  static constexpr bool kReportsOddities = Findings;
  static constexpr bool kExpandsContainers = false;

  static Out* unsigned_integer(Out* out, std::uint64_t, FieldType) { return out; }
  static Out* signed_integer(Out* out, std::int64_t) { return out; }
  static Out* real(Out* out, double) { return out; }
  static Out* boolean(Out* out, bool) { return out; }
  static Out* pooled_string(Out* out, std::uint32_t id, const Pools& pools, bool& odd) {
    if constexpr (Findings) odd |= pools.strings.find(id).data == nullptr;
    return out;
  }
  static Out* pooled_stack(Out* out, std::uint32_t id, const Pools& pools, bool& odd) {
    if constexpr (Findings) odd |= pools.stacks.find(id).data == nullptr;
    return out;
  }
  static Out* string(Out* out, const std::uint8_t*, std::uint32_t) { return out; }
  static Out* blob(Out* out, const std::uint8_t*, std::uint32_t) { return out; }
  static Out* stack(Out* out, const std::uint8_t*, std::uint32_t) { return out; }
  static Out* container(Out* out, FieldType, const std::uint8_t*, const SkipResult&, const Pools&,
                        bool) {
    return out;
  }
  static Out* absent(Out* out, FieldType) { return out; }
  static Out* present(Out* out) { return out; }
};
using SkipPolicy = SkippingPolicy<false>;

}  // namespace tracedeck::dial9
