#include "tracedeck/ctf/metadata/tsdl_bit_fields.hpp"

#include <algorithm>
#include <variant>

namespace tracedeck::ctf::tsdl {
namespace {

constexpr std::uint64_t aligned(std::uint64_t bits, std::uint32_t alignment) {
  return (bits + alignment - 1) & ~(std::uint64_t{alignment} - 1);
}

void align(BitPosition& position, std::uint32_t alignment) {
  if (position.known >= alignment) {
    position.bits = aligned(position.bits, alignment);
  } else {
    position = {.known = alignment};
  }
}

std::uint32_t width_of(const FieldClass& integer) {
  return std::get<FixedLayout>(integer.as<IntegerClass>()->layout).width;
}

}  // namespace

void BitFields::pass(const FieldClass& field_class, BitPosition& position) {
  const Size& size = size_of(field_class);
  align(position, size.alignment);
  position.bits += size.length.bits;
  position.known = std::min(position.known, size.length.known);
}

BitFields::Place BitFields::place(const FieldClass& unit, std::uint32_t width,
                                  const BitPosition& position) {
  const std::uint64_t size = width_of(unit);
  const bool is_power = (size & (size - 1)) == 0;
  if (!is_power || position.known < size) return Place::kUnknown;
  if (position.bits % size + width <= size) return Place::kBehind;
  // Units of a lesser alignment may begin anywhere in the packet.
  return unit.alignment >= size ? Place::kNextUnit : Place::kUnknown;
}

const BitFields::Size& BitFields::size_of(const FieldClass& field_class) {
  const auto known = sizes_.find(&field_class);
  if (known != sizes_.end()) return known->second;
  const Size size = make(field_class);
  return sizes_.emplace(&field_class, size).first->second;
}

BitFields::Size BitFields::make(const FieldClass& field_class) {
  if (const auto* const structure = field_class.as<StructureClass>()) return make(*structure);
  if (const auto* const array = field_class.as<ArrayClass>()) return make(*array);
  if (field_class.as<IntegerClass>() != nullptr)
    return {.alignment = field_class.alignment, .length = {.bits = width_of(field_class)}};
  if (const auto* const real = field_class.as<RealClass>())
    return {.alignment = field_class.alignment, .length = {.bits = real->layout.width}};
  if (const auto* const string = field_class.as<StringClass>()) {
    if (const auto* const length = std::get_if<StaticLength>(&string->extent))
      return {.alignment = 8, .length = {.bits = length->length * 8}};
    return {.alignment = 8, .length = {.known = 8}};
  }
  return {.length = {.known = 1}};
}

BitFields::Size BitFields::make(const StructureClass& structure) {
  Size size{.alignment = structure.minimum_alignment};
  for (const Member& member : structure.members) {
    size.alignment = std::max(size.alignment, size_of(*member.field_class).alignment);
    pass(*member.field_class, size.length);
  }
  return size;
}

BitFields::Size BitFields::make(const ArrayClass& array) {
  const Size& element = size_of(*array.element);
  const BitPosition& part = element.length;
  Size size{.alignment = std::max(array.minimum_alignment, element.alignment)};
  const std::uint64_t stride = aligned(part.bits, element.alignment);
  const auto* const length = std::get_if<StaticLength>(&array.extent);
  if (length != nullptr) {
    const std::uint64_t count = length->length;
    size.length = {.known = part.known, .bits = count == 0 ? 0 : (count - 1) * stride + part.bits};
  } else {
    // A multiple of what an element takes, if there is nothing between them.
    const std::uint64_t factor = part.bits | part.known;
    size.length.known = stride == part.bits ? factor & (~factor + 1) : 1;
  }
  return size;
}

}  // namespace tracedeck::ctf::tsdl
