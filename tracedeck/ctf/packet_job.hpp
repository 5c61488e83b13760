// The events of one packet that is at hand as a whole, decoded on whatever thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tracedeck/ctf/batch_pool.hpp"
#include "tracedeck/ctf/stream/event_decoder.hpp"
#include "tracedeck/ctf/stream/packet_head.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"
#include "tracedeck/io/window.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

struct PacketJob {
  PacketHead head;
  std::vector<Register> registers;  // as the header and context have set them
  ByteOrder last_order = ByteOrder::kLittle;
  std::shared_ptr<const Packet> packet;
  io::WindowPtr window;      // with all bytes of the packet
  std::uint64_t offset = 0;  // of the packet in its file
  bool values = true;
  bool headers = false;
  bool findings = true;
  bool check_text = true;
  std::uint64_t max_state = 0;
  // As in DecodeState: of the packet's header and context, and what the packet may come to.
  std::uint64_t empty_elements = 0;
  std::uint64_t empty_excess = 0;
  std::uint64_t empty_allowed = DecodeState::kMostEmptyElements;
  std::shared_ptr<BatchPool> batches;
};

struct DecodedPacket {
  std::vector<std::shared_ptr<Batch>> batches = {};
  EventDecoder::Stop stop = EventDecoder::Stop::kPacketEnd;  // or kFault, kUnknownClass
  DecodeFault fault = {};
  std::uint64_t unknown_class = 0;  // kUnknownClass: its id
  std::uint64_t position = 0;       // bits up to which it is decoded
  std::vector<Oddity> oddities = {};
  std::optional<std::uint64_t> first_time = {};
  std::optional<std::uint64_t> last_time = {};
  std::uint64_t clock = 0;
  std::uint64_t empty_elements = 0;  // as in DecodeState
  std::uint64_t empty_excess = 0;
};

[[nodiscard]] DecodedPacket decode_packet(const PacketJob& job);

}  // namespace tracedeck::ctf
