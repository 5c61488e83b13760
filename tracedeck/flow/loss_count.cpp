#include "tracedeck/flow/loss_count.hpp"

namespace tracedeck::flow {

void LossCount::add(const Loss& loss) {
  // Only events come after all, and each has its data stream.
  const bool may_come = loss.stream != nullptr && loss.events && !loss.packets;
  std::uint64_t events = loss.events.value_or(0);
  if (loss.taken_back) {
    if (!may_come) return;
    const LateEvents::Came came = late_.come(loss.stream->entity, events);
    events_ -= came.events;
    places_ -= came.places;
    return;
  }
  if (may_come && events != 0) {
    events = late_.lose(loss.stream->entity, events);
    if (events == 0) return;
  }
  events_ += events;
  packets_ += loss.packets.value_or(0);
  ++places_;
  if (!loss.events && !loss.packets) ++unknown_;
}

}  // namespace tracedeck::flow
