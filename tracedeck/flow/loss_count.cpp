#include "tracedeck/flow/loss_count.hpp"

namespace tracedeck::flow {

void LossCount::add(const Loss& loss) {
  // Only events come after all, and each has its data stream.
  const bool may_come = loss.stream != nullptr && loss.events && !loss.packets;
  std::uint64_t events = loss.events.value_or(0);
  if (loss.taken_back) {
    if (!may_come) return;
    const LateEvents::Came came = late_.come(loss.stream->entity, events);
    totals_.events -= came.events;
    totals_.places -= came.places;
    return;
  }
  if (may_come && events != 0) {
    events = late_.lose(loss.stream->entity, events);
    if (events == 0) return;
  }
  totals_.events += events;
  totals_.packets += loss.packets.value_or(0);
  ++totals_.places;
  if (!loss.events && !loss.packets) ++totals_.places_of_unknown_size;
}

}  // namespace tracedeck::flow
