// Packets of a data stream that is restored: made up, so that events have the values that packets
// said, or made of those that are stored.
#pragma once

#include <memory>
#include <vector>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::lower {

// Values of a packet header and context, user members only; none: the event is in no packet.
struct PacketValues {
  std::vector<Slot> header = {};
  std::vector<Slot> context = {};

  [[nodiscard]] bool empty() const { return header.empty() && context.empty(); }
  void clear() {
    header.clear();
    context.clear();
  }
};

// The packet of a data stream at hand. Who adds records to a batch sees to it that the batch keeps
// the data stream.
class RestoredPacket {
 public:
  // Of the event that comes next, null if it is in none. Events of which packets say the same, one
  // after the other, are in one packet.
  [[nodiscard]] const Packet* take(const DataStream& stream, const PacketValues& values,
                                   OutputBatch& output) {
    return packet_ == nullptr && values.empty() ? nullptr : go_on(stream, values, output);
  }
  // The same of a packet that is stored: it begins now, and has these values.
  void begin(const DataStream& stream, const Packet& stored, const PacketValues& values,
             OutputBatch& output);
  // Ends the data stream's packets at that clock value, by another one without events.
  void end_at(const DataStream& stream, std::uint64_t time, OutputBatch& output);
  // The one that goes on, or null.
  [[nodiscard]] const Packet* at_hand(OutputBatch& output);
  void end(OutputBatch& output);

 private:
  [[nodiscard]] const Packet* go_on(const DataStream& stream, const PacketValues& values,
                                    OutputBatch& output);

  struct Made {
    Packet packet;
    ReusedArena arena;  // of its values
  };

  std::shared_ptr<Made> packet_;
};

}  // namespace tracedeck::lower
