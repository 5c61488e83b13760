// Packets of a data stream file that other threads decode.

#include <algorithm>
#include <memory>
#include <utility>

#include "tracedeck/ctf/stream_file.hpp"

namespace tracedeck::ctf {
namespace {

// Packets that may be decoded ahead at the same time, over all data streams that are merged.
constexpr std::size_t kMostAhead = 8;

}  // namespace

std::size_t packets_ahead(const ReadOptions& options, std::size_t at_once) {
  // A packet that was decoded ahead takes some 14 times its size until it is handed on.
  return std::min(2 * std::size_t{options.jobs},
                  kMostAhead / std::max<std::size_t>(1, at_once * options.side_by_side));
}

// Whether the packet at hand can be decoded by somebody else.
bool StreamFile::can_go_ahead() {
  constexpr std::uint64_t kMostSize = std::uint64_t{4} << 20;
  if (options_.pool == nullptr || options_.packets_ahead == 0 || !head_.has_plausible_size())
    return false;
  const std::uint64_t size = head_.total_bits() / 8;
  if (size > kMostSize) return false;
  return search_ && search_->possible() ? search_->confirms(cursor_, 0, size)
                                        : cursor_.fetch_all(size);
}

void StreamFile::go_ahead() {
  auto job = std::make_shared<PacketJob>();
  const DecodeState& state = decoder_.state();
  job->head = head_;
  job->registers = state.registers;
  job->last_order = state.last_order;
  job->packet = packet_;
  job->window = cursor_.window();
  job->offset = cursor_.offset();
  job->values = options_.read.values;
  job->headers = options_.read.headers;
  job->findings = looks_for_oddities(options_.read, *schema_);
  job->check_text = state.check_text;
  job->max_state = options_.read.max_state;
  job->empty_elements = state.empty_elements;
  job->empty_excess = state.empty_excess;
  job->batches = options_.batches;
  auto decoded = options_.pool->run([job] { return decode_packet(*job); });
  ahead_.push_back({std::exchange(batch_, options_.batches->take()), std::move(job), state_,
                    std::move(decoded)});
  packet_ = nullptr;
  leave_packet();
}

// Takes over what was decoded ahead: the records before it, its events, and what ends it.
void StreamFile::settle(Ahead ahead) {
  const PacketJob& job = *ahead.job;
  DecodedPacket decoded = options_.pool->wait(ahead.decoded);
  const auto held = std::exchange(batch_, std::make_shared<Batch>(std::size_t{0}));
  if (decoded.stop == EventDecoder::Stop::kUnknownClass && schema_.renew(*ahead.job, *batch_))
    decoded = decode_packet(*ahead.job);
  if (decoded.empty_excess > empty_left_) {
    ahead.job->empty_allowed = empty_left_;
    decoded = decode_packet(*ahead.job);
  }
  spend_empty(decoded.empty_elements, decoded.position);
  if (!ahead.before->empty()) ready_.push_back(std::move(ahead.before));
  StreamProgress& progress = ahead.state->progress;
  for (auto& batch : decoded.batches) ready_.push_back(std::move(batch));
  // Of each kind of oddity the first of a packet is reported, and its first event may be one.
  if (options_.read.findings && decoded.first_time && progress.event_time &&
      *decoded.first_time < *progress.event_time) {
    std::erase_if(decoded.oddities,
                  [](const Oddity& each) { return each.rule == StreamRule::kEventOrder; });
    report(RecordKind::kFinding, StreamRule::kEventOrder, job.offset + job.head.bits / 8, 0,
           event_order_text(*decoded.first_time, *progress.event_time));
  }
  if (decoded.last_time) progress.event_time = decoded.last_time;
  progress.clock = clock_behind(job.head, *job.packet, decoded.clock);
  report_oddities(std::move(decoded.oddities), job.offset);
  if (decoded.stop != EventDecoder::Stop::kPacketEnd) {
    const bool unknown = decoded.stop == EventDecoder::Stop::kUnknownClass;
    const DecodeFault fault =
        unknown ? unknown_class(decoded.unknown_class, job.head.class_id(), decoded.position)
                : decoded.fault;
    report_fault(fault, job.offset + decoded.position / 8, job.offset + job.head.total_bits() / 8,
                 true);
  }
  batch_->add_packet(RecordKind::kPacketEnd, job.packet);
  ready_.push_back(std::exchange(batch_, held));
}

}  // namespace tracedeck::ctf
