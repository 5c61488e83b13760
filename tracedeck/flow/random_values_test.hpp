// Random values for given field classes, as readers put them on the tape, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/base/real.hpp"
#include "tracedeck/flow/random_numbers_test.hpp"
#include "tracedeck/flow/trace_plan_test.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::flow {

class RandomValues {
 public:
  explicit RandomValues(RandomNumbers& random) : random_(random) {}

  // The members of a structure without a head; none if `structure` is null. Lengths and selectors
  // are looked for among the members of the same structure (a relative path of one step).
  PlannedValues members(const FieldClass* structure) {
    PlannedValues values;
    if (structure != nullptr) add_members(*structure->as<StructureClass>(), values);
    return values;
  }

 private:
  static constexpr int kDynamicDepth = 2;

  // What the members that others refer to have to be.
  using Given = std::map<std::string, std::uint64_t, std::less<>>;

  // The member that a location leads to; null: another place, or none.
  static const std::string* name_in(const FieldLocation& location) {
    return location.path.size() == 1 && location.path.front() ? &*location.path.front() : nullptr;
  }
  static const std::string* selector_in(const std::optional<FieldLocation>& location) {
    return location ? name_in(*location) : nullptr;
  }
  static const std::string* length_in(const Extent& extent) {
    const auto* const field = std::get_if<LengthField>(&extent);
    return field == nullptr ? nullptr : name_in(field->location);
  }

  // What the selectors of a member are to be.
  void choose(const FieldClass& member, Given& given) {
    const auto set = [&](const std::string* name, std::uint64_t value) {
      if (name != nullptr) given[*name] = value;
    };
    if (const auto* const array = member.as<ArrayClass>())
      set(length_in(array->extent), random_.below(4));
    if (const auto* const string = member.as<StringClass>())
      set(length_in(string->extent), random_.below(20));
    if (const auto* const blob = member.as<BlobClass>())
      set(length_in(blob->extent), random_.below(20));
    if (const auto* const optional = member.as<OptionalClass>()) {
      const IntegerRanges& ranges = optional->presence.ranges;
      const std::uint64_t present =
          ranges.empty() ? 1 : static_cast<std::uint64_t>(ranges.front().lower);
      set(selector_in(optional->presence.selector), random_.once_in(2) ? present : 0);
    }
    if (const auto* const variant = member.as<VariantClass>())
      set(selector_in(variant->selector),
          static_cast<std::uint64_t>(random_.one_of(variant->options).ranges.front().upper));
  }

  void add_members(const StructureClass& structure, PlannedValues& to) {
    Given given;
    for (const Member& member : structure.members) choose(*member.field_class, given);
    for (const Member& member : structure.members) {
      const auto value = given.find(member.name.view());
      if (value == given.end()) {
        add(*member.field_class, given, to);
      } else {
        const bool boolean = member.field_class->as<BooleanClass>() != nullptr;
        to.slots.push_back(boolean ? boolean_slot(value->second != 0)
                                   : unsigned_slot(value->second));
      }
    }
  }

  void add(const FieldClass& field_class, const Given& given, PlannedValues& to) {
    std::visit([&](const auto& kind) { of(kind, given, to); }, field_class.kind);
  }

  // Adds a head, then what belongs to it.
  template <class Inside>
  static void add_compound(SlotKind kind, std::uint64_t bits, PlannedValues& to, Inside inside) {
    const std::size_t head = to.slots.size();
    to.slots.push_back(head_slot(kind, bits, 0));
    inside();
    to.slots[head].length = static_cast<std::uint32_t>(to.slots.size() - head - 1);
  }

  static void add_bytes(SlotKind kind, std::string bytes, PlannedValues& to,
                        std::uint8_t flags = 0) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    to.slots.push_back(bytes_slot(kind, to.keep(std::move(bytes)), size, flags));
  }

  std::uint64_t length_of(const Extent& extent, const Given& given, std::uint64_t longest) {
    if (const auto* const fixed = std::get_if<StaticLength>(&extent)) return fixed->length;
    const std::string* const name = length_in(extent);
    const auto value = name == nullptr ? given.end() : given.find(*name);
    return value == given.end() ? random_.below(longest + 1) : value->second;
  }

  void of(const BooleanClass&, const Given&, PlannedValues& to) {
    to.slots.push_back(boolean_slot(random_.once_in(2)));
  }

  void of(const IntegerClass& integer, const Given&, PlannedValues& to) {
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    // LEB128 of more than 64 bits is rare.
    const std::uint32_t width = fixed != nullptr ? fixed->width : random_.once_in(20) ? 91 : 64;
    if (width > 64) return add_wide(integer.is_signed, width, to);
    const std::uint64_t bits = random_.of_bits(width);
    if (!integer.is_signed) {
      const bool address = integer.form == IntegerClass::Form::kAddress;
      return to.slots.push_back(unsigned_slot(bits, address ? kSlotAddress : std::uint8_t{0}));
    }
    const std::uint32_t unused = 64 - width;
    to.slots.push_back(signed_slot(static_cast<std::int64_t>(bits << unused) >> unused));
  }

  void add_wide(bool is_signed, std::uint32_t width, PlannedValues& to) {
    std::string bytes = random_.bytes((width + 7) / 8);
    // Bits above the width repeat the sign.
    const std::uint32_t used = (width - 1) % 8 + 1;
    auto top = static_cast<std::uint8_t>(bytes.back());
    const bool negative = is_signed && (top >> (used - 1) & 1U) != 0;
    const auto above = static_cast<std::uint8_t>(0xFFU << used);
    top = static_cast<std::uint8_t>(negative ? top | above : top & ~above);
    bytes.back() = static_cast<char>(top);
    add_bytes(is_signed ? SlotKind::kWideSigned : SlotKind::kWideUnsigned, std::move(bytes), to);
  }

  void of(const RealClass& real, const Given&, PlannedValues& to) {
    if (real.layout.width > 64)
      return add_bytes(SlotKind::kWideReal, random_.bytes(real.layout.width / 8), to);
    to.slots.push_back(real_slot(real_of(real.layout.width)));
  }

  double real_of(std::uint32_t width) {
    static constexpr std::array<double, 5> kOdd = {
        0.0, -0.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    if (random_.once_in(6)) return random_.one_of(kOdd);
    if (width == 64) return std::bit_cast<double>(random_.any());
    if (width == 16) return half_to_double(static_cast<std::uint16_t>(random_.below(0x7C00)));
    return static_cast<double>(
        std::bit_cast<float>(static_cast<std::uint32_t>(random_.below(0x7F80'0000))));
  }

  void of(const StringClass& string, const Given& given, PlannedValues& to) {
    const std::uint8_t flags = string.interned ? kSlotInterned : std::uint8_t{0};
    std::uint64_t size = length_of(string.extent, given, 20);
    if (string.encoding != TextEncoding::kUtf8)
      return add_bytes(SlotKind::kString, random_.letters(size / 4), to, flags);
    std::string text = random_.once_in(8) ? random_.bytes(size) : random_.letters(size);
    // Only those with a length before them can hold a NUL.
    if (!std::holds_alternative<LengthPrefixed>(string.extent))
      std::ranges::replace(text, '\0', '0');
    add_bytes(SlotKind::kString, std::move(text), to, flags);
  }

  void of(const BlobClass& blob, const Given& given, PlannedValues& to) {
    add_bytes(SlotKind::kBlob, random_.bytes(length_of(blob.extent, given, 20)), to);
  }

  void of(const ArrayClass& array, const Given& given, PlannedValues& to) {
    const std::uint64_t count = length_of(array.extent, given, 3);
    const auto* const integer = array.element->as<IntegerClass>();
    // Stacks always come packed.
    const bool addresses = integer != nullptr && integer->form == IntegerClass::Form::kAddress;
    const std::optional<PackedElement> packed =
        addresses ? PackedElement::kU64Le : packed_element_of(*array.element);
    if (packed && (addresses || random_.once_in(2))) {
      std::string bytes = random_.bytes(count * element_size(*packed));
      const auto size = static_cast<std::uint32_t>(bytes.size());
      return to.slots.push_back(packed_slot(*packed, to.keep(std::move(bytes)), size,
                                            addresses ? kSlotAddress : std::uint8_t{0}));
    }
    add_compound(SlotKind::kArray, count, to, [&] {
      for (std::uint64_t i = 0; i < count; ++i) add(*array.element, {}, to);
    });
  }

  static std::optional<PackedElement> packed_element_of(const FieldClass& element) {
    const auto* const integer = element.as<IntegerClass>();
    if (integer == nullptr || integer->form != IntegerClass::Form::kNumber) return {};
    const auto* const layout = std::get_if<FixedLayout>(&integer->layout);
    if (layout == nullptr) return {};
    switch (layout->width) {
      case 8:
        return integer->is_signed ? PackedElement::kI8 : PackedElement::kU8;
      case 16:
        return integer->is_signed ? PackedElement::kI16Le : PackedElement::kU16Le;
      case 32:
        return integer->is_signed ? PackedElement::kI32Le : PackedElement::kU32Le;
      case 64:
        return integer->is_signed ? PackedElement::kI64Le : PackedElement::kU64Le;
      default:
        return {};
    }
  }

  void of(const StructureClass& structure, const Given&, PlannedValues& to) {
    add_compound(SlotKind::kStructure, 0, to, [&] { add_members(structure, to); });
  }

  void of(const MapClass& map, const Given&, PlannedValues& to) {
    const bool texts =
        map.key->as<StringClass>() != nullptr && map.value->as<StringClass>() != nullptr;
    const std::uint64_t pairs = random_.below(4);
    add_compound(texts ? SlotKind::kStringMap : SlotKind::kMap, pairs, to, [&] {
      for (std::uint64_t i = 0; i < pairs; ++i) {
        add(*map.key, {}, to);
        add(*map.value, {}, to);
      }
    });
  }

  void of(const OptionalClass& optional, const Given& given, PlannedValues& to) {
    const std::string* const name = selector_in(optional.presence.selector);
    const auto value = name == nullptr ? given.end() : given.find(*name);
    const bool present = value == given.end() ? random_.once_in(2) : value->second != 0;
    add_compound(SlotKind::kOptional, present ? 1 : 0, to, [&] {
      if (present) add(*optional.value, {}, to);
    });
  }

  void of(const VariantClass& variant, const Given& given, PlannedValues& to) {
    const std::string* const name = selector_in(variant.selector);
    const auto value = name == nullptr ? given.end() : given.find(*name);
    std::size_t index = random_.below(variant.options.size());
    if (value != given.end()) {
      index = 0;
      while (!variant.options[index].ranges.contains(Integer::from(value->second))) ++index;
    }
    add_compound(SlotKind::kVariant, index, to,
                 [&] { add(*variant.options[index].field_class, {}, to); });
  }

  void of(const DynamicClass&, const Given&, PlannedValues& to) { add_dynamic(kDynamicDepth, to); }

  void add_dynamic(int depth, PlannedValues& to) {
    const std::uint64_t count = random_.below(3);
    switch (random_.below(depth == 0 ? 6 : 8)) {
      case 0:
        return to.slots.push_back(boolean_slot(random_.once_in(2)));
      case 1: {
        static constexpr std::array<std::uint8_t, 4> kWidths = {0, 8, 16, 32};
        const std::uint8_t width = random_.one_of(kWidths);
        Slot slot = unsigned_slot(random_.of_bits(width == 0 ? 64 : width));
        slot.detail = width;
        return to.slots.push_back(slot);
      }
      case 2:
        return to.slots.push_back(signed_slot(static_cast<std::int64_t>(random_.any())));
      case 3:
        return to.slots.push_back(real_slot(real_of(64)));
      case 4:
        return add_bytes(SlotKind::kString, random_.bytes(count), to);
      case 5:
        return add_bytes(SlotKind::kBlob, random_.bytes(count), to);
      case 6:
        return add_compound(SlotKind::kArray, count, to, [&] {
          for (std::uint64_t i = 0; i < count; ++i) add_dynamic(depth - 1, to);
        });
      default:
        return add_compound(SlotKind::kMap, count, to, [&] {
          for (std::uint64_t i = 0; i < 2 * count; ++i) add_dynamic(depth - 1, to);
        });
    }
  }

  RandomNumbers& random_;
};

}  // namespace tracedeck::flow
