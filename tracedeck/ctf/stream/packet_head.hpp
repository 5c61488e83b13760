// The header and the context of a packet, decoded (pkt-dec).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/stream/machine.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

// A packet and everything that the slots of its header and context point to.
struct OwnedPacket : Packet {
  std::shared_ptr<const DataStream> stream_owner = {};
  std::shared_ptr<const TraceDescription> description = {};
  std::vector<std::uint8_t> bytes = {};  // header and context as they lay, and padding
  std::shared_ptr<Arena> arena = {};
};

struct PacketHead {
  PacketRoles roles = {};
  std::shared_ptr<const StreamSchema> stream = {};  // null: there is no such class
  std::shared_ptr<OwnedPacket> packet = {};         // `stream` member not set
  bool complete = false;                            // the context is decoded
  std::uint64_t bits = 0;                           // header and context, alignment included
  std::uint64_t header_bits = 0;                    // the header alone
  std::uint64_t clock = 0;                          // DEF_CLK_VAL behind them
  // To add to clock values, which those of `packet` have been.
  std::uint64_t clock_correction = 0;

  [[nodiscard]] std::uint64_t class_id() const { return roles.stream_class_id.value_or(0); }
  // PKT_TOTAL_SZ and PKT_CONTENT_SZ; kEndless: to the end of the data stream.
  [[nodiscard]] std::uint64_t total_bits() const {
    return roles.total_bits.value_or(roles.content_bits.value_or(DecodeState::kEndless));
  }
  [[nodiscard]] std::uint64_t content_bits() const {
    return roles.content_bits.value_or(roles.total_bits.value_or(DecodeState::kEndless));
  }
  // Whether the sizes say where the next packet begins.
  [[nodiscard]] bool has_plausible_size() const {
    return (complete || roles.total_bits) && total_bits() != DecodeState::kEndless &&
           total_bits() % 8 == 0 && total_bits() != 0 && total_bits() >= bits &&
           total_bits() >= content_bits();
  }
};

// DEF_CLK_VAL behind a packet; `last`: behind its last event record.
[[nodiscard]] std::uint64_t clock_behind(const PacketHead& head, const Packet& packet,
                                         std::uint64_t last);

// Decodes packet headers and contexts into `state`, whose registers then hold what events refer to.
class PacketHeadDecoder {
 public:
  explicit PacketHeadDecoder(DecodeState& state) : state_(state) {}

  // `bytes` begin with the packet's; `max_state`: bytes that a header may come to. kNeedBytes:
  // `state.needed`. kFault: `state.fault`; `head` then holds what was learnt until then. The data
  // stream class may be unknown (`head.stream` is null): that is no fault here.
  [[nodiscard]] RunStatus header(const TraceSchema& schema, PaddedView bytes,
                                 std::uint64_t max_state, PacketHead& head);
  // Then the context. `clock`: DEF_CLK_VAL before it. Requires `head.stream`.
  [[nodiscard]] RunStatus context(PaddedView bytes, std::uint64_t max_state, std::uint64_t clock,
                                  PacketHead& head);
  // Copies what the head's slots point to out of the input. Call when everything is decoded.
  void own(PaddedView bytes, PacketHead& head);

 private:
  [[nodiscard]] RunStatus fill(const Program& program, std::uint64_t max_state,
                               std::vector<Slot>& slots);

  DecodeState& state_;
};

// The same header and context by a schema that has grown: sets `registers` to what events refer to
// by then, and returns the data stream class. Null, and nothing set, when they do not decode.
[[nodiscard]] std::shared_ptr<const StreamSchema> decode_again(const TraceSchema& schema,
                                                               const OwnedPacket& packet,
                                                               std::uint64_t max_state,
                                                               std::vector<Register>& registers);

// What is wrong with the sizes of a packet.
[[nodiscard]] std::optional<DecodeFault> check_sizes(const PacketHead& head);

}  // namespace tracedeck::ctf
