#include "tracedeck/timeline/kept_event.hpp"

#include <algorithm>

#include "tracedeck/flow/slot_codec.hpp"

namespace tracedeck::timeline {
namespace {

std::size_t bytes_of(std::span<const Slot> slots) {
  std::size_t size = 0;
  for (const Slot& slot : slots) {
    if (flow::points_to_bytes(slot)) size += slot.bytes().size();
  }
  return size;
}

}  // namespace

KeptEvent::KeptEvent(const Event& event)
    : event_(event), slots_(event.slots, event.slots + event.slot_count) {
  event_.slots = slots_.data();
  event_.header_count = 0;
  event_.stream = nullptr;
  if (event.packet != nullptr) {
    packet_.context = event.packet->context;
    event_.packet = &packet_;
  }
  // Never moved: slots point into it.
  bytes_.reserve(bytes_of(slots_) + bytes_of(packet_.context));
  take_bytes(slots_);
  take_bytes(packet_.context);
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (stream_class != nullptr && stream_class->trace != nullptr)
    description_ = stream_class->trace->weak_from_this().lock();
}

void KeptEvent::take_bytes(std::span<Slot> slots) {
  for (Slot& slot : slots) {
    if (!flow::points_to_bytes(slot)) continue;
    const ByteSpan bytes = slot.bytes();
    slot.pointer = bytes_.data() + bytes_.size();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
}

}  // namespace tracedeck::timeline
