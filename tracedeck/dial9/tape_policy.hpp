// How `decode_fields` stores an event as slots of the model's value tape.
#pragma once

#include <array>

#include "tracedeck/dial9/field_decode.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::dial9 {

// Expands the content of a StringMap, DynamicList or DynamicMap that was checked: `at` is its
// count. Returns the end of the slots written, head included.
[[nodiscard]] Slot* expand_container(Slot* out, FieldType type, const std::uint8_t* at,
                                     const SkipResult& extent, const Pools& pools);

// One slot a field, resolved pool entries included; optional fields have a head slot, maps and
// lists are expanded.
struct TapePolicy {
  using Out = Slot;
  static constexpr bool kReportsOddities = true;
  static constexpr bool kExpandsContainers = true;

  // Two words, the second of which is a constant for scalars.
  static Slot* put(Slot* out, const Slot& slot) {
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(slot);
    std::memcpy(static_cast<void*>(out), words.data(), sizeof words);
    return out + 1;
  }
  static Slot* unsigned_integer(Slot* out, std::uint64_t value, FieldType) {
    return put(out, unsigned_slot(value));
  }
  static Slot* signed_integer(Slot* out, std::int64_t value) {
    return put(out, signed_slot(value));
  }
  static Slot* real(Slot* out, double value) { return put(out, real_slot(value)); }
  static Slot* boolean(Slot* out, bool value) { return put(out, boolean_slot(value)); }
  static Slot* string(Slot* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, bytes_slot(SlotKind::kString, data, size));
  }
  static Slot* blob(Slot* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, bytes_slot(SlotKind::kBlob, data, size));
  }
  static Slot* stack(Slot* out, const std::uint8_t* data, std::uint32_t size) {
    return put(out, packed_slot(PackedElement::kU64Le, data, size, kSlotAddress));
  }
  static Slot* pooled_string(Slot* out, std::uint32_t id, const Pools& pools, bool& odd) {
    const Pool::Entry entry = pools.strings.find(id);
    if (entry.data == nullptr) [[unlikely]] {
      odd = true;
      return put(out, unresolved_slot(id));
    }
    return put(out, bytes_slot(SlotKind::kString, entry.data, entry.size, kSlotInterned));
  }
  static Slot* pooled_stack(Slot* out, std::uint32_t id, const Pools& pools, bool& odd) {
    const Pool::Entry entry = pools.stacks.find(id);
    if (entry.data == nullptr) [[unlikely]] {
      odd = true;
      return put(out, unresolved_slot(id));
    }
    return put(out, packed_slot(PackedElement::kU64Le, entry.data, entry.size,
                                kSlotAddress | kSlotInterned));
  }
  static Slot* container(Slot* out, FieldType type, const std::uint8_t* at,
                         const SkipResult& extent, const Pools& pools, bool after_optional) {
    Slot* const end = expand_container(out, type, at, extent, pools);
    if (after_optional) out[-1].length = static_cast<std::uint32_t>(end - out);
    return end;
  }
  static Slot* absent(Slot* out, FieldType) {
    return put(out, head_slot(SlotKind::kOptional, 0, 0));
  }
  static Slot* present(Slot* out) { return put(out, head_slot(SlotKind::kOptional, 1, 1)); }
};

}  // namespace tracedeck::dial9
