#include "tracedeck/lower/packed_array.hpp"

#include <cstdint>
#include <variant>

#include "tracedeck/model/packed_elements.hpp"

namespace tracedeck::lower {
namespace {

bool is_big(const FieldClass& element) {
  const auto* const real = element.as<RealClass>();
  const auto* const integer = element.as<IntegerClass>();
  const FixedLayout& layout =
      real != nullptr ? real->layout : std::get<FixedLayout>(integer->layout);
  return layout.byte_order == ByteOrder::kBig;
}

}  // namespace

void pack_array(std::vector<Slot>& slots, std::size_t head, const FieldClass& element,
                ByteArena& arena) {
  const auto packed = packed_element_of(element);
  if (!packed) return;
  const std::size_t size = element_size(*packed);
  // Of 32 bits, a number that is none could come out as another.
  if (element.as<RealClass>() != nullptr && size == 4) return;
  const bool big = is_big(element);
  std::vector<std::uint8_t> bytes;
  bytes.reserve((slots.size() - head - 1) * size);
  for (std::size_t i = head + 1; i < slots.size(); ++i) {
    const std::uint64_t bits = slots[i].bits;
    for (std::size_t byte = 0; byte < size; ++byte)
      bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * (big ? size - 1 - byte : byte)));
  }
  const auto* const integer = element.as<IntegerClass>();
  const bool is_address = integer != nullptr && integer->form == IntegerClass::Form::kAddress;
  const std::uint8_t* const kept = arena.keep(bytes);
  slots.resize(head);
  slots.push_back(packed_slot(*packed, kept, static_cast<std::uint32_t>(bytes.size()),
                              is_address ? kSlotAddress : std::uint8_t{0}));
}

}  // namespace tracedeck::lower
