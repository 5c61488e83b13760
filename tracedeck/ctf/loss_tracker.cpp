#include "tracedeck/ctf/loss_tracker.hpp"

#include <fmt/format.h>

namespace tracedeck::ctf {

PacketLosses LossTracker::take(const Packet& packet, const ClockClass* clock) {
  PacketLosses found{.packets = lost_packets(packet), .events = lost_events(packet)};
  for (std::optional<Loss>* const each : {&found.packets, &found.events}) {
    if (!*each || clock == nullptr) continue;
    Loss& loss = **each;
    if (loss.begin_value) loss.begin = clock->to_nanoseconds(*loss.begin_value);
    if (loss.end_value) loss.end = clock->to_nanoseconds(*loss.end_value);
  }
  if (!any_ && packet.sequence.value_or(0) != 0) found.begins_at = packet.sequence;
  if (discarded_ && packet.discarded && *packet.discarded < *discarded_) {
    found.counter_back =
        fmt::format("the counter of discarded event records goes back from {} to {}", *discarded_,
                    *packet.discarded);
  }
  any_ = true;
  end_ = packet.end ? packet.end : packet.begin;
  if (packet.discarded) discarded_ = packet.discarded;
  if (packet.sequence) sequence_ = packet.sequence;
  return found;
}

std::optional<Loss> LossTracker::lost_packets(const Packet& packet) const {
  if (!sequence_ || !packet.sequence || *packet.sequence <= *sequence_ ||
      *packet.sequence == *sequence_ + 1)
    return {};
  return Loss{.stream = packet.stream,
              .packets = *packet.sequence - *sequence_ - 1,
              .begin_value = end_,
              .end_value = packet.begin};
}

std::optional<Loss> LossTracker::lost_events(const Packet& packet) const {
  if (!packet.discarded) return {};
  if (!any_) {
    if (*packet.discarded == 0) return {};
    // When packets came before, nobody knows how much of the counter is theirs.
    const bool is_first = packet.sequence.value_or(0) == 0;
    return Loss{.stream = packet.stream,
                .events = is_first ? packet.discarded : std::nullopt,
                .begin_value = packet.begin,
                .end_value = packet.end};
  }
  if (!discarded_ || *packet.discarded <= *discarded_) return {};
  return Loss{.stream = packet.stream,
              .events = *packet.discarded - *discarded_,
              .begin_value = end_,
              .end_value = packet.end};
}

}  // namespace tracedeck::ctf
