#include "tracedeck/heph/tape_policy.hpp"

namespace tracedeck::heph {

std::size_t TapePolicy::room(const std::uint8_t* packet, std::size_t size) {
  AttributeWalk walk(packet, packet + size);
  AttributePlace attribute;
  std::size_t slots = 0;
  while (walk.next(attribute)) {
    ++slots;
    if (attribute.value_type() == ValueType::kString) slots += attribute.count;
  }
  return slots;
}

std::size_t TapePolicy::described_room(const std::uint8_t* packet, std::size_t size) {
  AttributeWalk walk(packet, packet + size);
  AttributePlace attribute;
  std::size_t slots = 2;
  while (walk.next(attribute)) slots += 2 + std::size_t{attribute.count};
  return slots;
}

Slot* TapePolicy::described(Slot* out, const std::uint8_t* packet, std::size_t size) {
  AttributeWalk walk(packet, packet + size);
  const auto put_text = [](Slot* to, std::string_view text) {
    return string(to, as_bytes(text).data(), static_cast<std::uint32_t>(text.size()));
  };
  out = put_text(out, walk.description());
  Slot* const map = out++;
  AttributePlace attribute;
  std::uint64_t pairs = 0;
  while (walk.next(attribute)) {
    ++pairs;
    out = put_text(out, attribute.name);
    const ValueType type = attribute.value_type();
    if (!attribute.is_array()) {
      out = type == ValueType::kString ? string(out, attribute.value, attribute.size)
                                       : number(out, type, load_be<std::uint64_t>(attribute.value));
    } else if (type == ValueType::kString) {
      Slot* const head = out;
      out = strings(out, attribute.value, attribute.count, attribute.size);
      // An array without elements keeps their type.
      head->detail = static_cast<std::uint8_t>(type);
    } else {
      Slot head = head_slot(SlotKind::kArray, attribute.count, attribute.count);
      head.detail = static_cast<std::uint8_t>(type);
      out = put(out, head);
      for (std::uint32_t i = 0; i < attribute.count; ++i) {
        out = number(out, type, load_be<std::uint64_t>(attribute.value + i * kScalarSize));
      }
    }
  }
  put(map, head_slot(SlotKind::kMap, pairs, static_cast<std::uint32_t>(out - map - 1)));
  return out;
}

}  // namespace tracedeck::heph
