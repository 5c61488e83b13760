// What the packets of a data stream say of losses, by their counter of discarded event records and
// their sequence numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/model/clock.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

// What one packet adds to what those before it said.
struct PacketLosses {
  std::optional<Loss> packets = {};  // between the packet before and this one
  std::optional<Loss> events = {};   // until the end of this one
  // The data stream's first packet has this sequence number, which is not 0.
  std::optional<std::uint64_t> begins_at = {};
  std::string counter_back = {};  // how the counter of discarded event records goes back, or ""
};

// Takes the packets of one data stream in order, those that are not read included.
class LossTracker {
 public:
  // `clock`: the data stream's default clock; null: the losses have no times.
  [[nodiscard]] PacketLosses take(const Packet& packet, const ClockClass* clock);

  [[nodiscard]] bool has_packets() const { return any_; }

 private:
  [[nodiscard]] std::optional<Loss> lost_packets(const Packet& packet) const;
  [[nodiscard]] std::optional<Loss> lost_events(const Packet& packet) const;

  bool any_ = false;                       // there was a packet
  std::optional<std::uint64_t> end_ = {};  // of the one before, or its begin
  std::optional<std::uint64_t> discarded_ = {};
  std::optional<std::uint64_t> sequence_ = {};
};

}  // namespace tracedeck::ctf
