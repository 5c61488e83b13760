// Values as bytes, for data that does not leave the process: unchecked.
//
// A slot is a byte with its kind and flags, then an integer as a varint, a real as 8 bytes, or a
// length and the bytes that the slot points to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck {

// The first byte of a slot: its kind in the low bits, then its flags.
inline constexpr unsigned kSlotKindMask = 0x1F;
inline constexpr unsigned kSlotFlagsShift = 5;

// What a slot takes at most without the bytes it points to.
inline constexpr std::size_t kSlotBound = 2 + 2 * kMaxVarint;

// What a slot holds beside its kind and flags.
enum class SlotContent : std::uint8_t { kBits, kInteger, kReal, kBytes, kPacked, kHead };

inline constexpr std::array<SlotContent, 17> kSlotContents = {
    SlotContent::kBits,  // kBoolean
    SlotContent::kBits,  // kUnsigned
    SlotContent::kInteger, SlotContent::kReal,
    SlotContent::kBytes,  // kString
    SlotContent::kBytes,  // kBlob
    SlotContent::kPacked,
    SlotContent::kBytes,  // kWideUnsigned
    SlotContent::kBytes,  // kWideSigned
    SlotContent::kBytes,  // kWideReal
    SlotContent::kBits,   // kUnresolved
    SlotContent::kHead,   // kArray and the other compound kinds
    SlotContent::kHead,    SlotContent::kHead, SlotContent::kHead,
    SlotContent::kHead,    SlotContent::kHead,
};
static_assert(std::to_underlying(SlotKind::kVariant) + 1 == kSlotContents.size());

inline SlotContent content_of(SlotKind kind) { return kSlotContents[std::to_underlying(kind)]; }

inline bool points_to_bytes(const Slot& slot) {
  const SlotContent content = content_of(slot.kind);
  return content == SlotContent::kBytes || content == SlotContent::kPacked;
}

template <class T>
std::uint8_t* put_raw(std::uint8_t* to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

template <class T>
T take_raw(const std::uint8_t*& from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

inline std::uint8_t* put_bytes(std::uint8_t* to, ByteSpan bytes) {
  to = put_varint(to, bytes.size());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

inline ByteSpan take_bytes(const std::uint8_t*& from) {
  const std::size_t size = take_varint(from);
  const ByteSpan bytes{from, size};
  from += size;
  return bytes;
}

inline std::uint8_t* pack_slot(const Slot& slot, std::uint8_t* to) {
  *to++ = static_cast<std::uint8_t>(std::to_underlying(slot.kind) |
                                    static_cast<unsigned>(slot.flags) << kSlotFlagsShift);
  switch (content_of(slot.kind)) {
    case SlotContent::kBits:
      to = put_varint(to, slot.bits);
      return slot.name() != 0 ? put_varint(to, slot.name()) : to;
    case SlotContent::kInteger:
      return put_varint(to, zigzag(slot.integer));
    case SlotContent::kReal:
      return put_raw(to, slot.bits);
    case SlotContent::kPacked:
      *to++ = slot.detail;
      return put_bytes(to, slot.bytes());
    case SlotContent::kBytes:
      return put_bytes(to, slot.bytes());
    case SlotContent::kHead:
      break;
  }
  return put_varint(put_varint(to, slot.bits), slot.length);
}

// A slot whose pointer, if it has one, points into the packed bytes.
[[gnu::always_inline]] inline Slot unpack_slot(const std::uint8_t*& from) {
  const unsigned head = *from++;
  Slot slot = unsigned_slot(0, static_cast<std::uint8_t>(head >> kSlotFlagsShift));
  slot.kind = static_cast<SlotKind>(head & kSlotKindMask);
  switch (content_of(slot.kind)) {
    case SlotContent::kBits:
      slot.bits = take_varint(from);
      if ((slot.flags & kSlotNamed) != 0)
        slot.length = static_cast<std::uint32_t>(take_varint(from));
      break;
    case SlotContent::kInteger:
      slot.integer = unzigzag(take_varint(from));
      break;
    case SlotContent::kReal:
      slot.bits = take_raw<std::uint64_t>(from);
      break;
    case SlotContent::kPacked:
      slot.detail = *from++;
      [[fallthrough]];
    case SlotContent::kBytes: {
      const ByteSpan bytes = take_bytes(from);
      slot.pointer = bytes.data();
      slot.length = static_cast<std::uint32_t>(bytes.size());
      break;
    }
    case SlotContent::kHead:
      slot.bits = take_varint(from);
      slot.length = static_cast<std::uint32_t>(take_varint(from));
      break;
  }
  return slot;
}

}  // namespace tracedeck
