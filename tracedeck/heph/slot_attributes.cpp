#include "tracedeck/heph/slot_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tracedeck/base/real.hpp"
#include "tracedeck/base/utf8.hpp"

namespace tracedeck::heph {
namespace {

std::string hexadecimal(ByteSpan bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

// Of an integer, least significant byte first.
std::string wide_text(ByteSpan bytes) {
  std::vector<std::uint8_t> reversed(bytes.rbegin(), bytes.rend());
  return "0x" + hexadecimal(reversed);
}

bool is_number(SlotKind kind) {
  return kind == SlotKind::kUnsigned || kind == SlotKind::kSigned || kind == SlotKind::kReal;
}

// The array of numbers whose bits `values` are.
AttributeValue number_array(SlotKind kind, const std::vector<std::uint64_t>& values) {
  ValueType type = ValueType::kUnsigned;
  if (kind == SlotKind::kSigned) type = ValueType::kSigned;
  if (kind == SlotKind::kReal) type = ValueType::kReal;
  return AttributeValue::from_wire(
      type, values.size(),
      {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * kScalarSize});
}

std::uint64_t on_wire(std::uint64_t bits) {
  return std::endian::native == std::endian::big ? bits : byte_swap(bits);
}

const FieldClass* inner_class(const FieldClass* field_class) {
  const auto* const optional = field_class == nullptr ? nullptr : field_class->as<OptionalClass>();
  return optional == nullptr ? nullptr : optional->value.get();
}

// The kind that elements of a class have, for arrays without any.
SlotKind element_kind(const Slot& head, const FieldClass* element) {
  if (element == nullptr) {
    const auto type = static_cast<ValueType>(head.detail);
    if (type == ValueType::kSigned) return SlotKind::kSigned;
    if (type == ValueType::kReal) return SlotKind::kReal;
    return type == ValueType::kString ? SlotKind::kString : SlotKind::kUnsigned;
  }
  if (element->as<StringClass>() != nullptr) return SlotKind::kString;
  if (element->as<RealClass>() != nullptr) return SlotKind::kReal;
  const auto* const integer = element->as<IntegerClass>();
  return integer != nullptr && integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
}

}  // namespace

void SlotAttributes::begin_event() {
  attributes_.clear();
  texts_.clear();
  numbers_.clear();
  strings_.clear();
}

std::string_view SlotAttributes::fitting(std::string_view text) {
  if (text.size() <= kMaxLength) return text;
  adaptations_.add(Adaptation::kTooLong);
  // Not in the middle of a character.
  std::size_t size = kMaxLength;
  while (size > kMaxLength - 3 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

std::size_t SlotAttributes::fitting_count(std::size_t count) {
  if (count <= kMaxLength) return count;
  adaptations_.add(Adaptation::kTooLong);
  return kMaxLength;
}

void SlotAttributes::add_members(std::span<const Slot> slots, const FieldClass* structure,
                                 std::string_view prefix) {
  if (structure == nullptr) return;
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const Member& member : structure->as<StructureClass>()->members) {
    if (slot == end) break;
    const std::string_view name = prefix.empty()
                                      ? member.name.view()
                                      : keep(fmt::format("{}.{}", prefix, member.name.view()));
    slot = add(name, slot, member.field_class.get());
  }
}

void SlotAttributes::add_pairs(const Slot& map) {
  const Slot* slot = &map + 1;
  for (std::uint64_t i = 0; i < map.bits; ++i) {
    const std::string_view name = slot->text();
    slot = add(name, slot->next(), nullptr);
  }
}

const Slot* SlotAttributes::add(std::string_view name, const Slot* slot,
                                const FieldClass* field_class) {
  switch (slot->kind) {
    case SlotKind::kPackedArray:
      add_packed(name, *slot);
      break;
    case SlotKind::kArray: {
      const auto* const array = field_class == nullptr ? nullptr : field_class->as<ArrayClass>();
      add_array(name, *slot, array == nullptr ? nullptr : array->element.get());
      break;
    }
    case SlotKind::kStructure:
      adaptations_.add(Adaptation::kParts);
      add_members({slot + 1, slot->extent()}, field_class, name);
      break;
    case SlotKind::kStringMap:
    case SlotKind::kMap: {
      const auto* const map = field_class == nullptr ? nullptr : field_class->as<MapClass>();
      add_map(name, *slot, map == nullptr ? nullptr : map->value.get());
      break;
    }
    case SlotKind::kOptional:
      if (slot->bits == 0) {
        adaptations_.add(Adaptation::kAbsent);
      } else {
        add(name, slot + 1, inner_class(field_class));
      }
      break;
    case SlotKind::kVariant: {
      const auto* const variant =
          field_class == nullptr ? nullptr : field_class->as<VariantClass>();
      add(name, slot + 1,
          variant == nullptr ? nullptr : variant->options[slot->bits].field_class.get());
      break;
    }
    default:
      add_scalar(name, *slot, field_class);
  }
  return slot->next();
}

void SlotAttributes::add_scalar(std::string_view name, const Slot& slot,
                                const FieldClass* field_class) {
  const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
  if (integer != nullptr && !integer->mappings.empty()) adaptations_.add(Adaptation::kLabels);
  switch (slot.kind) {
    case SlotKind::kBoolean:
      adaptations_.add(Adaptation::kBoolean);
      return put(name, slot.bits);
    case SlotKind::kUnresolved:
      adaptations_.add(Adaptation::kUnresolved);
      return put(name, slot.bits);
    case SlotKind::kSigned:
      return put(name, slot.integer);
    case SlotKind::kReal:
      return put(name, slot.real);
    case SlotKind::kString:
      return put(name, fitting(slot.text()));
    case SlotKind::kBlob:
      adaptations_.add(Adaptation::kBlob);
      return put(name, fitting(keep(hexadecimal(slot.bytes()))));
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
      adaptations_.add(Adaptation::kWide);
      return put(name, fitting(keep(wide_text(slot.bytes()))));
    case SlotKind::kWideReal: {
      const NearestReal real = nearest_real(slot.bytes());
      if (!real.exact) adaptations_.add(Adaptation::kRoundedReal);
      return put(name, real.value);
    }
    default:
      return put(name, slot.bits);
  }
}

void SlotAttributes::add_packed(std::string_view name, const Slot& slot) {
  const std::size_t count = fitting_count(packed_count(slot));
  switch (static_cast<PackedElement>(slot.detail)) {
    case PackedElement::kU64Be:
      return put(name, AttributeValue::from_wire(ValueType::kUnsigned, count,
                                                 slot.bytes().first(count * kScalarSize)));
    case PackedElement::kI64Be:
      return put(name, AttributeValue::from_wire(ValueType::kSigned, count,
                                                 slot.bytes().first(count * kScalarSize)));
    case PackedElement::kF64Be:
      return put(name, AttributeValue::from_wire(ValueType::kReal, count,
                                                 slot.bytes().first(count * kScalarSize)));
    default:
      break;
  }
  std::vector<std::uint64_t>& values = numbers_.emplace_back();
  SlotKind kind = SlotKind::kUnsigned;
  const auto element = static_cast<PackedElement>(slot.detail);
  if (element == PackedElement::kF32Le || element == PackedElement::kF64Le ||
      element == PackedElement::kF32Be)
    kind = SlotKind::kReal;
  for (std::size_t i = 0; i < count; ++i) {
    const Slot value = packed_element(slot, i);
    kind = value.kind;
    values.push_back(on_wire(value.bits));
  }
  put(name, number_array(kind, values));
}

void SlotAttributes::add_array(std::string_view name, const Slot& head, const FieldClass* element) {
  const Slot* const first = &head + 1;
  const SlotKind kind = head.bits == 0 ? element_kind(head, element) : first->kind;
  const Slot* const end = head.next();
  bool all_same = true;
  for (const Slot* slot = first; slot < end && all_same; slot = slot->next())
    all_same = slot->kind == kind;
  if (all_same && is_number(kind)) return add_numbers(name, head, kind);
  if (all_same && kind == SlotKind::kString) return add_strings(name, head);
  adaptations_.add(Adaptation::kParts);
  std::size_t index = 0;
  for (const Slot* slot = first; slot < end; ++index)
    slot = add(keep(fmt::format("{}[{}]", name, index)), slot, element);
}

void SlotAttributes::add_numbers(std::string_view name, const Slot& head, SlotKind kind) {
  std::vector<std::uint64_t>& values = numbers_.emplace_back();
  const std::size_t count = fitting_count(head.bits);
  for (std::size_t i = 0; i < count; ++i) values.push_back(on_wire((&head)[1 + i].bits));
  put(name, number_array(kind, values));
}

void SlotAttributes::add_strings(std::string_view name, const Slot& head) {
  std::vector<std::string_view>& values = strings_.emplace_back();
  const std::size_t count = fitting_count(head.bits);
  for (std::size_t i = 0; i < count; ++i) values.push_back(fitting((&head)[1 + i].text()));
  put(name, values);
}

void SlotAttributes::add_map(std::string_view name, const Slot& head, const FieldClass* value) {
  adaptations_.add(Adaptation::kParts);
  const Slot* slot = &head + 1;
  for (std::uint64_t i = 0; i < head.bits; ++i) {
    std::string key;
    if (slot->kind == SlotKind::kString) {
      key = fmt::format("{}.{}", name, slot->text());
    } else if (slot->kind == SlotKind::kSigned) {
      key = fmt::format("{}.{}", name, slot->integer);
    } else if (slot->kind == SlotKind::kReal) {
      key = fmt::format("{}.{}", name, slot->real);
    } else if (slot->kind == SlotKind::kUnsigned || slot->kind == SlotKind::kBoolean) {
      key = fmt::format("{}.{}", name, slot->bits);
    } else {
      key = fmt::format("{}.#{}", name, i);
    }
    slot = add(keep(std::move(key)), slot->next(), value);
  }
}

}  // namespace tracedeck::heph
