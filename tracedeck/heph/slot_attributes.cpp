#include "tracedeck/heph/slot_attributes.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::heph {
namespace {

ValueType type_of(SlotKind kind) {
  if (kind == SlotKind::kString) return ValueType::kString;
  if (kind == SlotKind::kReal) return ValueType::kReal;
  return kind == SlotKind::kSigned ? ValueType::kSigned : ValueType::kUnsigned;
}

// Of arrays without elements; those of events that describe themselves have no class.
ValueType type_of(const Slot& head, const FieldClass* element) {
  if (element == nullptr) return static_cast<ValueType>(head.detail);
  if (element->as<StringClass>() != nullptr) return ValueType::kString;
  if (element->as<RealClass>() != nullptr) return ValueType::kReal;
  const auto* const integer = element->as<IntegerClass>();
  return integer != nullptr && integer->is_signed ? ValueType::kSigned : ValueType::kUnsigned;
}

// The array of numbers whose bits, big-endian, `values` are.
AttributeValue number_array(ValueType type, const std::vector<std::uint64_t>& values) {
  return AttributeValue::from_wire(
      type, values.size(),
      {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * kScalarSize});
}

std::uint64_t on_wire(std::uint64_t bits) {
  return std::endian::native == std::endian::big ? bits : byte_swap(bits);
}

}  // namespace

void SlotAttributes::begin_event() {
  attributes_.clear();
  if (!numbers_.empty()) numbers_.clear();
  if (!strings_.empty()) strings_.clear();
}

void SlotAttributes::add_members(std::span<const Slot> slots, const StructureClass& structure) {
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const Member& member : structure.members) {
    if (slot == end) break;
    add(member.name.view(), *slot, member.field_class.get());
    slot = slot->next();
  }
}

void SlotAttributes::add_pairs(const Slot& map) {
  const Slot* slot = &map + 1;
  for (std::uint64_t i = 0; i < map.bits; ++i) {
    add(slot[0].text(), slot[1], nullptr);
    slot = slot[1].next();
  }
}

void SlotAttributes::add(std::string_view name, const Slot& slot, const FieldClass* field_class) {
  switch (slot.kind) {
    case SlotKind::kSigned:
      attributes_.emplace_back(name, slot.integer);
      break;
    case SlotKind::kReal:
      attributes_.emplace_back(name, slot.real);
      break;
    case SlotKind::kString:
      attributes_.emplace_back(name, slot.text());
      break;
    case SlotKind::kPackedArray:
      attributes_.emplace_back(name, packed(slot));
      break;
    case SlotKind::kArray:
      attributes_.emplace_back(name, array(slot, element_class(field_class)));
      break;
    case SlotKind::kOptional:
      if (slot.bits != 0) add(name, *(&slot + 1), field_class);
      break;
    default:
      attributes_.emplace_back(name, slot.bits);
  }
}

AttributeValue SlotAttributes::packed(const Slot& slot) {
  const std::size_t count = packed_count(slot);
  switch (static_cast<PackedElement>(slot.detail)) {
    case PackedElement::kU64Be:
      return AttributeValue::from_wire(ValueType::kUnsigned, count, slot.bytes());
    case PackedElement::kI64Be:
      return AttributeValue::from_wire(ValueType::kSigned, count, slot.bytes());
    case PackedElement::kF64Be:
      return AttributeValue::from_wire(ValueType::kReal, count, slot.bytes());
    default:
      break;
  }
  std::vector<std::uint64_t>& values = numbers_.emplace_back();
  for (std::size_t i = 0; i < count; ++i) values.push_back(on_wire(packed_element(slot, i).bits));
  // What the elements are does not depend on how many there are.
  static constexpr std::array<std::uint8_t, kScalarSize> kOne = {};
  const Slot one = packed_slot(static_cast<PackedElement>(slot.detail), kOne.data(), kScalarSize);
  return number_array(type_of(packed_element(one, 0).kind), values);
}

AttributeValue SlotAttributes::array(const Slot& head, const FieldClass* element) {
  const Slot* const first = &head + 1;
  const ValueType type = head.bits == 0 ? type_of(head, element) : type_of(first->kind);
  if (type == ValueType::kString) {
    std::vector<std::string_view>& values = strings_.emplace_back();
    for (std::uint64_t i = 0; i < head.bits; ++i) values.push_back(first[i].text());
    return values;
  }
  std::vector<std::uint64_t>& values = numbers_.emplace_back();
  for (std::uint64_t i = 0; i < head.bits; ++i) values.push_back(on_wire(first[i].bits));
  return number_array(type, values);
}

}  // namespace tracedeck::heph
