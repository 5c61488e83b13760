#include "tracedeck/ctf/stream/packet_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tracedeck::ctf {
namespace {

bool points_to_bytes(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kString:
    case SlotKind::kBlob:
    case SlotKind::kPackedArray:
      return true;
    default:
      return false;
  }
}

}  // namespace

RunStatus PacketHeadDecoder::fill(const Program& program, std::uint64_t max_state,
                                  std::vector<Slot>& slots) {
  const std::uint64_t begin = state_.position;
  const std::uint64_t clock = state_.clock;
  const std::uint64_t empty_elements = state_.empty_elements;
  slots.resize(64);
  for (;;) {
    state_.position = begin;
    state_.clock = clock;
    state_.depth = 0;
    state_.promised = 0;
    state_.empty_elements = empty_elements;
    state_.out = state_.out_begin = slots.data();
    state_.out_end = slots.data() + slots.size();
    RunStatus status = run(program, state_);
    if (status == RunStatus::kDone && state_.position > state_.limit) {
      state_.needed = state_.position;
      state_.fault = {StreamRule::kPacketCut, begin,
                      "the data stream ends within the padding that aligns the packet's fields"};
      return RunStatus::kNeedBytes;
    }
    if (status != RunStatus::kNeedSlots) {
      if (status == RunStatus::kDone)
        slots.resize(static_cast<std::size_t>(state_.out - slots.data()));
      return status;
    }
    const std::uint64_t wanted = std::max<std::uint64_t>(state_.needed, 2 * slots.size());
    if (wanted > max_state / sizeof(Slot)) {
      state_.fault = {StreamRule::kLimitState, begin,
                      "the packet's header and context do not fit into --max-state"};
      return RunStatus::kFault;
    }
    slots.resize(wanted);
  }
}

RunStatus PacketHeadDecoder::header(const TraceSchema& schema, PaddedView bytes,
                                    std::uint64_t max_state, PacketHead& head) {
  head = {};
  head.packet = std::make_shared<OwnedPacket>();
  state_.registers.resize(schema.register_count);
  state_.base = reinterpret_cast<std::uintptr_t>(bytes.data);
  state_.limit = std::uint64_t{bytes.size} * 8;
  state_.content = DecodeState::kEndless;
  state_.position = 0;
  state_.clock = 0;
  state_.packet = &head.roles;
  state_.uuid = &schema.uuid;
  state_.arena.reset();
  state_.empty_elements = 0;
  state_.empty_excess = 0;
  const RunStatus status = fill(schema.packet_header, max_state, head.packet->header);
  head.bits = state_.position;
  head.header_bits = head.bits;
  if (status != RunStatus::kDone) return status;
  const auto found = schema.streams.find(head.class_id());
  if (found != schema.streams.end() && !head.roles.class_beyond) head.stream = found->second;
  const bool says_no_class = !head.roles.stream_class_id && !head.roles.class_beyond;
  if (head.stream == nullptr && says_no_class && schema.dialect == Dialect::kCtf1 &&
      schema.streams.size() == 1) {
    // CTF 1.8.3, 5.1: without `stream_id` there is one class, whatever its id.
    head.roles.stream_class_id = schema.streams.begin()->first;
    head.stream = schema.streams.begin()->second;
  }
  return status;
}

RunStatus PacketHeadDecoder::context(PaddedView bytes, std::uint64_t max_state, std::uint64_t clock,
                                     PacketHead& head) {
  state_.base = reinterpret_cast<std::uintptr_t>(bytes.data);
  state_.limit = std::uint64_t{bytes.size} * 8;
  state_.position = head.bits;
  state_.clock = clock;
  state_.packet = &head.roles;
  const RunStatus status = fill(head.stream->packet_context, max_state, head.packet->context);
  if (status != RunStatus::kDone) return status;
  head.complete = true;
  head.bits = state_.position;
  head.clock = state_.clock;
  Packet& packet = *head.packet;
  const PacketRoles& roles = head.roles;
  packet.begin = roles.begin;
  packet.end = roles.end;
  packet.sequence = roles.sequence;
  packet.discarded = roles.discarded;
  if (head.total_bits() != DecodeState::kEndless) packet.total_size = head.total_bits() / 8;
  if (head.content_bits() != DecodeState::kEndless) packet.content_size = head.content_bits();
  return status;
}

void PacketHeadDecoder::own(PaddedView bytes, PacketHead& head) {
  state_.packet = nullptr;
  OwnedPacket& packet = *head.packet;
  packet.arena = std::exchange(state_.arena, nullptr);
  const std::size_t size = std::min<std::size_t>(bytes.size, (head.bits + 7) / 8);
  packet.bytes.assign(size + kPadding, 0);
  std::copy_n(bytes.data, size, packet.bytes.data());
  for (std::vector<Slot>* const slots : {&packet.header, &packet.context}) {
    for (Slot& slot : *slots) {
      if (!points_to_bytes(slot) || slot.pointer < bytes.data || slot.pointer > bytes.data + size)
        continue;
      slot.pointer = packet.bytes.data() + (slot.pointer - bytes.data);
    }
  }
}

std::shared_ptr<const StreamSchema> decode_again(const TraceSchema& schema,
                                                 const OwnedPacket& packet, std::uint64_t max_state,
                                                 std::vector<Register>& registers) {
  const PaddedView bytes{packet.bytes.data(), packet.bytes.size() - kPadding};
  DecodeState state;
  PacketHeadDecoder decoder(state);
  PacketHead head;
  if (decoder.header(schema, bytes, max_state, head) != RunStatus::kDone ||
      head.stream == nullptr || decoder.context(bytes, max_state, 0, head) != RunStatus::kDone)
    return nullptr;
  registers = std::move(state.registers);
  return head.stream;
}

std::optional<DecodeFault> check_sizes(const PacketHead& head) {
  const std::uint64_t total = head.total_bits();
  const std::uint64_t content = head.content_bits();
  if (total == DecodeState::kEndless) return {};
  const auto fault = [&](StreamRule rule, std::string text) {
    return DecodeFault{rule, head.bits, std::move(text)};
  };
  if (total == 0)
    return fault(StreamRule::kPacketEmpty, "the packet's size is 0; it has at least a byte");
  if (total % 8 != 0) {
    return fault(
        StreamRule::kPacketSize,
        fmt::format("the packet's total size is {} bits, which are no whole bytes", total));
  }
  if (content > total) {
    return fault(StreamRule::kPacketSize,
                 fmt::format("the packet's content size, {} bits, is more than its total size, {}",
                             content, total));
  }
  if (content < head.bits) {
    return fault(StreamRule::kContentSize,
                 fmt::format("the packet's content size is {} bits, its header and context take {}",
                             content, head.bits));
  }
  return {};
}

std::uint64_t clock_behind(const PacketHead& head, const Packet& packet, std::uint64_t last) {
  return packet.end ? *packet.end - head.clock_correction : last;
}

}  // namespace tracedeck::ctf
