#include "tracedeck/ctf/packet_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tracedeck::ctf {
namespace {

std::shared_ptr<Batch> new_batch(const PacketJob& job) {
  auto batch = job.batches->take();
  batch->pin(std::shared_ptr<const io::Window>(job.window));
  batch->pin(std::shared_ptr<const Packet>(job.packet));
  return batch;
}

std::optional<std::uint64_t> first_time_of(const std::vector<std::shared_ptr<Batch>>& batches) {
  for (const auto& batch : batches) {
    for (const Record& record : batch->records()) {
      if (record.kind == RecordKind::kEvent && record.event.has_time()) return record.event.time;
    }
  }
  return {};
}

}  // namespace

DecodedPacket decode_packet(const PacketJob& job) {
  DecodedPacket result;
  EventDecoder decoder(job.values, job.headers, job.findings);
  decoder.state().registers = job.registers;
  decoder.state().check_text = job.check_text;
  decoder.state().last_order = job.last_order;
  decoder.state().empty_elements = job.empty_elements;
  decoder.state().empty_excess = job.empty_excess;
  decoder.state().empty_allowed = job.empty_allowed;
  decoder.begin(*job.head.stream, job.head, *job.packet, job.offset, {});
  const io::Window& window = *job.window;
  const std::uint64_t skip = job.offset - window.offset();
  const std::uint64_t size =
      std::min<std::uint64_t>(window.size() - skip, job.head.total_bits() / 8);
  const PaddedView bytes{window.view().data + skip, size};
  auto batch = new_batch(job);
  for (;;) {
    result.stop = decoder.run(*batch, bytes, 0, true);
    if (result.stop == EventDecoder::Stop::kBatchFull) {
      result.batches.push_back(std::exchange(batch, new_batch(job)));
    } else if (result.stop == EventDecoder::Stop::kNeedSlots) {
      if (!batch->tape_unused()) {
        result.batches.push_back(std::exchange(batch, new_batch(job)));
        continue;
      }
      if (decoder.needed() > job.max_state / sizeof(Slot)) {
        result.stop = EventDecoder::Stop::kFault;
        result.fault = {StreamRule::kLimitState, decoder.position(),
                        fmt::format("an event record of {} values does not fit into --max-state",
                                    decoder.needed())};
        break;
      }
      batch->grow_tape(std::max<std::uint64_t>(decoder.needed(), 2 * batch->tape_capacity()));
    } else {
      if (result.stop == EventDecoder::Stop::kFault) result.fault = decoder.fault();
      break;
    }
  }
  if (!batch->empty()) result.batches.push_back(std::move(batch));
  result.unknown_class = decoder.unknown_class();
  result.position = decoder.position();
  result.oddities = decoder.take_oddities();
  result.first_time = first_time_of(result.batches);
  if (result.first_time) *result.first_time -= job.head.clock_correction;
  result.last_time = decoder.previous();
  result.clock = decoder.clock();
  result.empty_elements = decoder.state().empty_elements;
  result.empty_excess = decoder.state().empty_excess;
  return result;
}

}  // namespace tracedeck::ctf
