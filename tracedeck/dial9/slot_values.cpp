#include "tracedeck/dial9/slot_values.hpp"

#include <algorithm>

#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/make_value.hpp"

namespace tracedeck::dial9 {
namespace {

using Wire = std::vector<std::uint8_t>;

template <std::unsigned_integral T>
void append(Wire& wire, T value) {
  wire.resize(wire.size() + sizeof value);
  store_le(wire.data() + wire.size() - sizeof value, value);
}

void append_counted(Wire& wire, ByteSpan bytes, std::uint32_t element_size = 1) {
  append(wire, static_cast<std::uint32_t>(bytes.size() / element_size));
  wire.insert(wire.end(), bytes.begin(), bytes.end());
}

void append_varint(Wire& wire, std::uint64_t value) {
  std::uint8_t bytes[kMaxLeb128Size + 6];
  wire.insert(wire.end(), bytes, encode_leb128(bytes, value));
}

// The wire type of an element of a list or map.
FieldType element_type(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return FieldType::kBool;
    case SlotKind::kUnsigned:
      if (slot.detail == 8) return FieldType::kU8;
      if (slot.detail == 16) return FieldType::kU16;
      if (slot.detail == 32) return FieldType::kU32;
      return FieldType::kVarint;
    case SlotKind::kSigned:
      return FieldType::kI64;
    case SlotKind::kReal:
      return FieldType::kF64;
    case SlotKind::kString:
      return (slot.flags & kSlotInterned) != 0 ? FieldType::kPooledString : FieldType::kString;
    case SlotKind::kPackedArray:
      return (slot.flags & kSlotInterned) != 0 ? FieldType::kPooledStackFrames
                                               : FieldType::kStackFrames;
    case SlotKind::kUnresolved:
      return slot.detail == static_cast<std::uint8_t>(FieldType::kPooledStackFrames)
                 ? FieldType::kPooledStackFrames
                 : FieldType::kPooledString;
    case SlotKind::kArray:
      return FieldType::kDynamicList;
    case SlotKind::kStringMap:
      return FieldType::kStringMap;
    case SlotKind::kMap:
      return FieldType::kDynamicMap;
    default:
      return FieldType::kBytes;
  }
}

}  // namespace

Result<Value> SlotValues::convert(const FieldDefinition& field, const Slot& slot) {
  if (!field.optional) return convert_present(field.type, slot);
  if (slot.bits == 0) return make_absent(field.type);
  return convert_present(field.type, *(&slot + 1));
}

Result<Value> SlotValues::convert_present(FieldType type, const Slot& slot) {
  if (slot.kind == SlotKind::kUnresolved) return unresolved(type, slot);
  switch (type) {
    case FieldType::kI64:
    case FieldType::kF64:
    case FieldType::kBool:
    case FieldType::kVarint:
    case FieldType::kU8:
    case FieldType::kU16:
    case FieldType::kU32:
      return detail::scalar(type, slot.bits);
    case FieldType::kString:
    case FieldType::kBytes:
    case FieldType::kStackFrames:
      return detail::extent(type, slot.bytes());
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames: {
      const Result<std::uint32_t> id = intern(type, slot);
      if (!id) return std::unexpected(id.error());
      return detail::scalar(type, *id);
    }
    case FieldType::kStringMap:
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      break;
  }
  if (containers_used_ == containers_.size()) containers_.emplace_back();
  Wire& wire = containers_[containers_used_++];
  wire.clear();
  if (Result<void> put = put_container(wire, slot); !put) return std::unexpected(put.error());
  const std::size_t size = wire.size() - sizeof(std::uint32_t);
  wire.resize(wire.size() + kPadding);
  return detail::extent(type, {wire.data() + sizeof(std::uint32_t), size});
}

Value SlotValues::unresolved(FieldType type, const Slot& slot) {
  if (type == FieldType::kStackFrames) return detail::extent(type, {});
  const std::uint64_t defined = type == FieldType::kPooledString ? strings_ : stacks_;
  if (slot.bits >= defined) return detail::scalar(type, slot.bits);
  ++renumbered_;
  return detail::scalar(type, 0xFFFF'FFFF);
}

Result<std::uint32_t> SlotValues::intern(FieldType type, const Slot& slot) {
  const bool is_string = type == FieldType::kPooledString;
  std::uint32_t id = 0;
  if (is_string) {
    const auto interned = encoder_.intern_string(slot.text());
    if (!interned) return std::unexpected(interned.error());
    id = interned->id;
  } else {
    const auto interned = encoder_.intern_stack(StackFrames::from_wire(slot.bytes()));
    if (!interned) return std::unexpected(interned.error());
    id = interned->id;
  }
  std::uint64_t& defined = is_string ? strings_ : stacks_;
  defined = std::max(defined, std::uint64_t{id} + 1);
  return id;
}

Result<void> SlotValues::put_container(Wire& wire, const Slot& head) {
  append(wire, static_cast<std::uint32_t>(head.bits));
  // The slots that belong to a head are its elements in wire order, nested heads before theirs, so
  // one walk from front to back writes them all.
  const bool tagged = head.kind != SlotKind::kStringMap;
  const Slot* const end = head.next();
  for (const Slot* slot = &head + 1; slot < end;) {
    if (!tagged) {
      append_counted(wire, slot->bytes());
      ++slot;
      continue;
    }
    wire.push_back(static_cast<std::uint8_t>(element_type(*slot)));
    if (slot->kind == SlotKind::kStringMap) {
      if (Result<void> put = put_container(wire, *slot); !put) return put;
      slot = slot->next();
      continue;
    }
    if (Result<void> put = put_element(wire, *slot); !put) return put;
    ++slot;
  }
  return {};
}

Result<void> SlotValues::put_element(Wire& wire, const Slot& slot) {
  const FieldType type = element_type(slot);
  switch (type) {
    case FieldType::kBool:
    case FieldType::kU8:
      append(wire, static_cast<std::uint8_t>(slot.bits));
      break;
    case FieldType::kU16:
      append(wire, static_cast<std::uint16_t>(slot.bits));
      break;
    case FieldType::kU32:
      append(wire, static_cast<std::uint32_t>(slot.bits));
      break;
    case FieldType::kVarint:
      append_varint(wire, slot.bits);
      break;
    case FieldType::kI64:
    case FieldType::kF64:
      append(wire, slot.bits);
      break;
    case FieldType::kString:
    case FieldType::kBytes:
      append_counted(wire, slot.bytes());
      break;
    case FieldType::kStackFrames:
      append_counted(wire, slot.bytes(), 8);
      break;
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames: {
      if (slot.kind == SlotKind::kUnresolved) {
        append(wire, static_cast<std::uint32_t>(unresolved(type, slot).bits));
        break;
      }
      const Result<std::uint32_t> id = intern(type, slot);
      if (!id) return std::unexpected(id.error());
      append(wire, *id);
      break;
    }
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      append(wire, static_cast<std::uint32_t>(slot.bits));
      break;
    case FieldType::kStringMap:
      break;
  }
  return {};
}

}  // namespace tracedeck::dial9
