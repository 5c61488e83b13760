#include "tracedeck/lower/restored_packet.hpp"

#include "tracedeck/spill/slot_codec.hpp"

namespace tracedeck::lower {

const Packet* RestoredPacket::go_on(const DataStream& stream, const PacketValues& values,
                                    OutputBatch& output) {
  const bool goes_on = packet_ != nullptr && !values.empty() &&
                       same_values(packet_->packet.header, values.header) &&
                       same_values(packet_->packet.context, values.context);
  if (!goes_on) {
    end(output);
    if (values.empty()) return nullptr;
    begin(stream, {}, values, output);
  }
  return at_hand(output);
}

void RestoredPacket::begin(const DataStream& stream, const Packet& stored,
                           const PacketValues& values, OutputBatch& output) {
  end(output);
  packet_ = std::make_shared<Made>();
  Packet& packet = packet_->packet;
  packet = stored;
  packet.stream = &stream;
  if (stream.stream_class->default_clock == nullptr) {
    packet.begin.reset();
    packet.end.reset();
  }
  packet.header = values.header;
  packet.context = values.context;
  for (std::vector<Slot>* const slots : {&packet.header, &packet.context}) {
    for (Slot& slot : *slots) {
      if (points_to_bytes(slot)) slot.pointer = packet_->arena.keep(slot.bytes());
    }
  }
  output.pin_lasting(packet_);
  output.add(Record(RecordKind::kPacketBegin, &packet));
}

void RestoredPacket::end_at(const DataStream& stream, std::uint64_t time, OutputBatch& output) {
  PacketValues values;
  if (packet_ != nullptr) {
    values = {.header = packet_->packet.header, .context = packet_->packet.context};
  } else if (stream.stream_class->packet_context != nullptr) {
    // Nobody knows what its context would say.
    return;
  }
  begin(stream, {.end = time}, values, output);
  end(output);
}

const Packet* RestoredPacket::at_hand(OutputBatch& output) {
  if (packet_ == nullptr) return nullptr;
  output.pin_lasting(packet_);
  return &packet_->packet;
}

void RestoredPacket::end(OutputBatch& output) {
  if (packet_ == nullptr) return;
  output.pin_lasting(packet_);
  output.add(Record(RecordKind::kPacketEnd, &packet_->packet));
  packet_.reset();
}

}  // namespace tracedeck::lower
