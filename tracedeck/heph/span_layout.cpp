#include "tracedeck/heph/span_layout.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "tracedeck/heph/attribute.hpp"
#include "tracedeck/heph/wire.hpp"

namespace tracedeck::heph {
namespace {

// Literals are copied in pieces of this size, so they may be read and written beyond their end.
constexpr std::size_t kPiece = 16;

// The type byte of a number by the kind of its slot; 0: it is none.
constexpr auto kNumberTypes = [] {
  std::array<std::uint8_t, 256> types = {};
  types[std::to_underlying(SlotKind::kBoolean)] = type_byte(ValueType::kUnsigned);
  types[std::to_underlying(SlotKind::kUnsigned)] = type_byte(ValueType::kUnsigned);
  types[std::to_underlying(SlotKind::kSigned)] = type_byte(ValueType::kSigned);
  types[std::to_underlying(SlotKind::kReal)] = type_byte(ValueType::kReal);
  return types;
}();

std::uint8_t array_type(PackedElement element) {
  static constexpr std::array<std::uint8_t, 8> kOne = {};
  const Slot one = packed_slot(element, kOne.data(), element_size(element));
  return kNumberTypes[std::to_underlying(packed_element(one, 0).kind)] | kArrayMarker;
}

std::uint8_t* put_array(std::uint8_t* to, const Slot& slot) {
  const auto element = static_cast<PackedElement>(slot.detail);
  const std::size_t count = packed_count(slot);
  *to++ = array_type(element);
  store_be(to, static_cast<std::uint16_t>(count));
  to += kLengthSize;
  if (element == PackedElement::kU64Le) {
    for (std::size_t i = 0; i < count; ++i, to += kScalarSize)
      store_be(to, load_le<std::uint64_t>(slot.pointer + i * kScalarSize));
    return to;
  }
  for (std::size_t i = 0; i < count; ++i, to += kScalarSize)
    store_be(to, packed_element(slot, i).bits);
  return to;
}

}  // namespace

SpanLayout::SpanLayout(const EventClass& event_class) : event_class_(event_class) {
  keep(event_class.name ? std::string_view(*event_class.name) : "");
  if (!event_class.self_described) {
    std::size_t begin = 0;
    for (const Member& member : event_class.payload->as<StructureClass>()->members) {
      keep(member.name.view());
      sizes_.push_back(static_cast<std::uint32_t>(literals_.size() - begin));
      begin = literals_.size();
    }
  }
  room_ = kLeastEventSize + literals_.size() + sizes_.size() * (1 + kScalarSize) + kPiece;
  literals_.resize(literals_.size() + kPiece);
}

void SpanLayout::keep(std::string_view text) {
  const std::size_t begin = literals_.size();
  literals_.resize(begin + kLengthSize + text.size());
  static_cast<void>(detail::put_text(literals_.data() + begin, text));
}

std::size_t SpanLayout::room(std::span<const Slot> payload) const {
  if (payload.size() != sizes_.size() || event_class_.self_described) return 0;
  std::size_t room = room_;
  for (const Slot& slot : payload) {
    if (kNumberTypes[std::to_underlying(slot.kind)] != 0) [[likely]]
      continue;
    const bool is_array = slot.kind == SlotKind::kPackedArray;
    if (!is_array && slot.kind != SlotKind::kString) return 0;
    const std::size_t count = is_array ? packed_count(slot) : slot.length;
    if (count > kMaxLength) return 0;
    room += kLengthSize + count * (is_array ? kScalarSize : 1);
  }
  return room <= kMaxPacketSize ? room : 0;
}

std::uint8_t* SpanLayout::put(std::uint8_t* to, const EventHead& head,
                              std::span<const Slot> payload) const {
  store_be(to, kEventMagic);
  store_be(to + kStreamOffset, head.stream);
  store_be(to + kCounterOffset, head.counter);
  store_be(to + kSubstreamOffset, head.substream);
  store_be(to + kStartOffset, head.start);
  store_be(to + kEndOffset, head.end);
  std::uint8_t* at = to + kDescriptionOffset;
  const std::uint8_t* literal = literals_.data();
  const auto put_literal = [&](std::size_t size) {
    std::uint8_t* const end = at + size;
    for (const std::uint8_t* from = literal; at < end; from += kPiece, at += kPiece)
      std::memcpy(at, from, kPiece);
    literal += size;
    at = end;
  };
  if (sizes_.empty()) put_literal(literals_.size() - kPiece);
  const std::uint32_t* size = sizes_.data();
  for (const Slot& slot : payload) {
    put_literal(*size++);
    const std::uint8_t type = kNumberTypes[std::to_underlying(slot.kind)];
    if (type != 0) [[likely]] {
      *at = type;
      store_be(at + 1, slot.bits);
      at += 1 + kScalarSize;
    } else if (slot.kind == SlotKind::kString) {
      *at++ = type_byte(ValueType::kString);
      at = detail::put_text(at, slot.text());
    } else {
      at = put_array(at, slot);
    }
  }
  store_be(to + kSizeOffset, static_cast<std::uint32_t>(at - to));
  return at;
}

}  // namespace tracedeck::heph
