#include "tracedeck/timeline/kept_event.hpp"

#include <algorithm>

#include "tracedeck/spill/kept_values.hpp"

namespace tracedeck::timeline {
KeptEvent::KeptEvent(const Event& event, const DataStream* stream)
    : event_(event), slots_(event.slots, event.slots + event.slot_count) {
  event_.slots = slots_.data();
  event_.header_count = 0;
  event_.stream = stream;
  if (event.packet != nullptr) {
    packet_.context = event.packet->context;
    event_.packet = &packet_;
  }
  // Never moved: slots point into it.
  bytes_.resize(bytes_behind(slots_) + bytes_behind(packet_.context));
  keep_bytes(packet_.context, keep_bytes(slots_, bytes_.data()));
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (stream_class != nullptr && stream_class->trace != nullptr)
    description_ = stream_class->trace->weak_from_this().lock();
}

}  // namespace tracedeck::timeline
