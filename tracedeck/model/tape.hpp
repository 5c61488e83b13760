// The value tape: a decoded event as a flat run of 16-byte slots in field order.
//
// Scalars lie inline. Strings, blobs and arrays of fixed-width scalars are a pointer and a byte
// length into the input window (or into the batch's arena when they were transcoded). A compound
// value is a head slot that says how many slots after it belong to it, so that a walk can skip
// what it does not want. Every slot says its own kind: a renderer needs the field class for
// names, labels and display bases only.
//
//   head              followed by
//   kArray            `bits` elements
//   kStructure        its members
//   kStringMap, kMap  `bits` pairs: key, value, key, value ...
//   kOptional         its value if `bits` is 1, nothing if 0
//   kVariant          the value of the option with index `bits`
//
// Slots are valid as long as the batch that holds them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

enum class SlotKind : std::uint8_t {
  kBoolean,       // bits: 0 or 1
  kUnsigned,      // bits; detail: width on the wire where no field class says, 0: variable;
                  // length: with kSlotNamed, the number of the value's name
  kSigned,        // integer
  kReal,          // real
  kString,        // pointer, length: UTF-8, possibly invalid
  kBlob,          // pointer, length
  kPackedArray,   // pointer, length in bytes; detail: PackedElement
  kWideUnsigned,  // pointer, length: more than 64 bits, little-endian magnitude
  kWideSigned,    // the same, two's complement
  kWideReal,      // pointer, length: the bytes of a real of another width than 64, little-endian
  kUnresolved,    // bits: the id of a pool entry that is not known; detail is the reader's own
  kArray,         // heads of compound values from here on: length is the number of slots after
  kStructure,     // the head that belong to it
  kStringMap,
  kMap,
  kOptional,
  kVariant,
};
inline constexpr SlotKind kFirstCompound = SlotKind::kArray;

// The elements of a kPackedArray.
enum class PackedElement : std::uint8_t {
  kU8,
  kU16Le,
  kU32Le,
  kU64Le,
  kI8,
  kI16Le,
  kI32Le,
  kI64Le,
  kF32Le,
  kF64Le,
  kU16Be,
  kU32Be,
  kU64Be,
  kI16Be,
  kI32Be,
  kI64Be,
  kF32Be,
  kF64Be,
};
// Bytes an element takes.
[[nodiscard]] std::uint32_t element_size(PackedElement element);

// Flags of a slot.
inline constexpr std::uint8_t kSlotInterned = 1;  // came from a pool: worth interning again
inline constexpr std::uint8_t kSlotAddress = 2;   // machine addresses: shown in hexadecimal
inline constexpr std::uint8_t kSlotNamed = 4;     // the trace has a name for the value

struct Slot {
  union {
    std::uint64_t bits;
    std::int64_t integer;
    double real;
    const std::uint8_t* pointer;
  };
  std::uint32_t length;
  SlotKind kind;
  std::uint8_t flags;
  std::uint8_t detail;
  std::uint8_t reserved;

  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(pointer), length};
  }
  [[nodiscard]] ByteSpan bytes() const { return {pointer, length}; }
  // The number of the value's name in `TraceDescription::value_names`; 0: it has none.
  [[nodiscard]] std::uint32_t name() const { return (flags & kSlotNamed) != 0 ? length : 0; }
  // How many slots after this one belong to it.
  [[nodiscard]] std::uint32_t extent() const { return kind >= kFirstCompound ? length : 0; }
  // The slot after this value, skipping what belongs to it.
  [[nodiscard]] const Slot* next() const { return this + 1 + extent(); }
};
static_assert(sizeof(Slot) == 16);

// Slots of each kind. `flags` are the kSlot flags.
[[nodiscard]] inline Slot boolean_slot(bool value) {
  return {.bits = value ? 1U : 0U,
          .length = 0,
          .kind = SlotKind::kBoolean,
          .flags = 0,
          .detail = 0,
          .reserved = 0};
}
[[nodiscard]] inline Slot unsigned_slot(std::uint64_t value, std::uint8_t flags = 0) {
  return {.bits = value,
          .length = 0,
          .kind = SlotKind::kUnsigned,
          .flags = flags,
          .detail = 0,
          .reserved = 0};
}
// With the number of its name, 0 for none.
[[nodiscard]] inline Slot named_slot(std::uint64_t value, std::uint32_t name) {
  return {.bits = value,
          .length = name,
          .kind = SlotKind::kUnsigned,
          .flags = name == 0 ? std::uint8_t{0} : kSlotNamed,
          .detail = 0,
          .reserved = 0};
}
[[nodiscard]] inline Slot signed_slot(std::int64_t value) {
  return {.integer = value,
          .length = 0,
          .kind = SlotKind::kSigned,
          .flags = 0,
          .detail = 0,
          .reserved = 0};
}
[[nodiscard]] inline Slot real_slot(double value) {
  return {
      .real = value, .length = 0, .kind = SlotKind::kReal, .flags = 0, .detail = 0, .reserved = 0};
}
// `kind` is kString or kBlob.
[[nodiscard]] inline Slot bytes_slot(SlotKind kind, const std::uint8_t* pointer,
                                     std::uint32_t length, std::uint8_t flags = 0) {
  return {.pointer = pointer,
          .length = length,
          .kind = kind,
          .flags = flags,
          .detail = 0,
          .reserved = 0};
}
[[nodiscard]] inline Slot packed_slot(PackedElement element, const std::uint8_t* pointer,
                                      std::uint32_t length, std::uint8_t flags = 0) {
  return {.pointer = pointer,
          .length = length,
          .kind = SlotKind::kPackedArray,
          .flags = flags,
          .detail = static_cast<std::uint8_t>(element),
          .reserved = 0};
}
[[nodiscard]] inline Slot unresolved_slot(std::uint64_t id) {
  return {.bits = id,
          .length = 0,
          .kind = SlotKind::kUnresolved,
          .flags = 0,
          .detail = 0,
          .reserved = 0};
}
// `kind` is a compound kind; `bits` and `extent` as the table above says.
[[nodiscard]] inline Slot head_slot(SlotKind kind, std::uint64_t bits, std::uint32_t extent) {
  return {.bits = bits, .length = extent, .kind = kind, .flags = 0, .detail = 0, .reserved = 0};
}

// Element `index` of a packed array as a scalar slot of its own (address flag kept).
[[nodiscard]] Slot packed_element(const Slot& array, std::size_t index);
// The number of elements of a packed array.
[[nodiscard]] inline std::size_t packed_count(const Slot& array) {
  return array.length / element_size(static_cast<PackedElement>(array.detail));
}

// Whether two runs of slots hold the same values: strings, blobs and arrays by content. Reals
// compare by bits. A packed array equals a kArray of the same scalars; interning makes no
// difference.
[[nodiscard]] bool same_values(std::span<const Slot> a, std::span<const Slot> b);

}  // namespace tracedeck
