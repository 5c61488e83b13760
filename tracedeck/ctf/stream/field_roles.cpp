#include "tracedeck/ctf/stream/field_roles.hpp"

#include <algorithm>
#include <cstring>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/bits.hpp"
#include "tracedeck/ctf/clock_update.hpp"
#include "tracedeck/ctf/packet_magic.hpp"
#include "tracedeck/ctf/words.hpp"

namespace tracedeck::ctf {
namespace {

// What roles need of an unsigned slot: its value, or where 64 bits do not hold it, `most`.
std::uint64_t clamped(const Slot& slot, std::uint64_t most) {
  if (slot.kind != SlotKind::kWideUnsigned) return slot.bits;
  std::uint64_t value = 0;
  for (std::size_t i = slot.length; i-- > 0;) {
    if (i >= sizeof value && slot.pointer[i] != 0) return most;
    if (i < sizeof value) value = value << 8 | slot.pointer[i];
  }
  return value;
}
constexpr std::uint64_t kMostId = ~std::uint64_t{0};

// Whether 64 bits do not hold the value of an unsigned slot.
bool is_beyond(const Slot& slot) {
  if (slot.kind != SlotKind::kWideUnsigned) return false;
  const ByteSpan high = slot.bytes().subspan(std::min<std::size_t>(8, slot.length));
  return std::ranges::any_of(high, [](std::uint8_t byte) { return byte != 0; });
}

// A size in bits. One that no data stream can have stays that, and keeps its odd bits.
std::uint64_t size_of(const Slot& slot) {
  constexpr std::uint64_t kMostSize = std::uint64_t{1} << 62;
  const std::uint64_t odd =
      (slot.kind == SlotKind::kWideUnsigned ? slot.pointer[0] : slot.bits) & 7;
  return std::min(clamped(slot, kMostSize), kMostSize) | odd;
}

// The lowest 64 bits.
std::uint64_t low_bits(const Slot& slot) {
  if (slot.kind != SlotKind::kWideUnsigned) return slot.bits;
  std::uint64_t value = 0;
  for (std::size_t i = std::min<std::size_t>(slot.length, sizeof value); i-- > 0;)
    value = value << 8 | slot.pointer[i];
  return value;
}

}  // namespace

void take_role(const Step& step, const Slot& slot, DecodeState& state) {
  const auto which = static_cast<Role>(step.width);
  if (which == Role::kEventClassId) {
    state.event_class_id = clamped(slot, kMostId);
    state.event_class_beyond = is_beyond(slot);
    return;
  }
  if (which == Role::kClock) {
    const std::uint64_t bits = step.a != 0 ? step.a : state.leb128_bits;
    state.clock = updated_clock(state.clock, low_bits(slot), low_bit_mask(bits));
    if (state.packet != nullptr) state.packet->begin = state.clock;
    return;
  }
  if (state.packet == nullptr) return;
  PacketRoles& packet = *state.packet;
  switch (which) {
    case Role::kMagic:
      packet.wrong_magic = slot.bits != kPacketMagic;
      break;
    case Role::kUuid:
      packet.wrong_uuid = state.uuid != nullptr && state.uuid->has_value() &&
                          (slot.length != (*state.uuid)->size() ||
                           std::memcmp(slot.pointer, (*state.uuid)->data(), slot.length) != 0);
      break;
    case Role::kStreamClassId:
      packet.stream_class_id = clamped(slot, kMostId);
      packet.class_beyond = is_beyond(slot);
      break;
    case Role::kStreamId:
      packet.stream_id = clamped(slot, kMostId);
      packet.stream_id_digits =
          slot.kind == SlotKind::kWideUnsigned ? decimal(slot.bytes()) : std::string();
      break;
    case Role::kTotalSize:
      packet.total_bits = size_of(slot);
      break;
    case Role::kContentSize:
      packet.content_bits = size_of(slot);
      break;
    case Role::kPacketBegin:
      state.clock = low_bits(slot);
      packet.begin = state.clock;
      break;
    case Role::kPacketEnd:
      packet.end = low_bits(slot);
      break;
    case Role::kDiscarded:
      packet.discarded = low_bits(slot);
      break;
    case Role::kSequence:
      packet.sequence = low_bits(slot);
      break;
    case Role::kEventClassId:
    case Role::kClock:
      break;
  }
}

}  // namespace tracedeck::ctf
