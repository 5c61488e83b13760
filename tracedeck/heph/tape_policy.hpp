// How the decoder stores an event as slots of the model's value tape.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "tracedeck/heph/value.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::heph {

// Substream and counter, then the attributes. A string or a number is one slot, an array of numbers
// too; an array of strings is a head and its strings. Of a type that there is no room for, the
// attributes are the description and a map (see `described`).
struct TapePolicy {
  using Out = Slot;
  static constexpr bool kReportsOddities = true;
  static constexpr bool kAdvances = true;
  static constexpr std::size_t kHeadRoom = 2;

  // Two words, the second of which is a constant for scalars.
  static Slot* put(Slot* out, const Slot& slot) {
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(slot);
    std::memcpy(static_cast<void*>(out), words.data(), sizeof words);
    return out + 1;
  }
  static Slot* head(Slot* out, const EventHead& head) {
    return put(put(out, unsigned_slot(head.substream)), unsigned_slot(head.counter));
  }
  static Slot* number(Slot* out, ValueType type, std::uint64_t bits) {
    Slot slot = unsigned_slot(bits);
    slot.kind = scalar_kind(type);
    return put(out, slot);
  }
  static Slot* string(Slot* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, bytes_slot(SlotKind::kString, data, size));
  }
  static Slot* numbers(Slot* out, ValueType type, const std::uint8_t* data, std::uint32_t count) {
    return put(out, packed_slot(packed_element(type), data,
                                static_cast<std::uint32_t>(count * kScalarSize)));
  }
  static Slot* strings(Slot* out, const std::uint8_t* data, std::uint32_t count, std::uint32_t) {
    out = put(out, head_slot(SlotKind::kArray, count, count));
    StringArray strings(data, count);
    std::string_view text;
    while (strings.next(text)) {
      out = string(out, as_bytes(text).data(), static_cast<std::uint32_t>(text.size()));
    }
    return out;
  }
  // The description, and a map of names and values; arrays element by element.
  static Slot* described(Slot* out, const std::uint8_t* packet, std::size_t size);
  // Slots of `described`.
  static std::size_t described_room(const std::uint8_t* packet, std::size_t size);
  // Slots of the attributes of a packet.
  static std::size_t room(const std::uint8_t* packet, std::size_t size);

  static SlotKind scalar_kind(ValueType type) {
    if (type == ValueType::kUnsigned) return SlotKind::kUnsigned;
    return type == ValueType::kSigned ? SlotKind::kSigned : SlotKind::kReal;
  }
  static PackedElement packed_element(ValueType type) {
    if (type == ValueType::kUnsigned) return PackedElement::kU64Be;
    return type == ValueType::kSigned ? PackedElement::kI64Be : PackedElement::kF64Be;
  }
};

}  // namespace tracedeck::heph
