#include "tracedeck/flow/tail_begin.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/flow/trace_source.hpp"

namespace tracedeck::flow {
namespace {

// A packet, or several that follow one another in a data stream.
struct Stretch {
  Nanoseconds begin;
  std::uint64_t bytes;
};

// Bytes that are read first, and how much more each further time. All readings together take a
// little more than the last.
constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesOfEvent = 64;
constexpr std::uint64_t kGrowth = 8;
// Beyond so many, neighbours are taken together.
constexpr std::size_t kMostStretches = std::size_t{1} << 20;

bool says_its_packets(const TraceDescription& description) {
  if (!description.stored_as().empty()) return description.has_ordered_packets();
  const Format* const format = find_format(description.format());
  return format != nullptr && format->info().packets_apart;
}

// Collects the packets of all traces.
class PacketSurvey {
 public:
  // Whether all packets of the trace say their times, and none begins before the one before it in
  // its data stream has ended.
  bool add(RecordSource& source) {
    last_ends_.clear();
    for (;;) {
      const auto batch = source.next();
      if (!batch) return false;
      if (*batch == nullptr) return true;
      for (const Record& record : (*batch)->records()) {
        if (record.kind == RecordKind::kEvent) return false;
        if (record.kind == RecordKind::kPacketBegin && !add(*record.packet)) return false;
      }
    }
  }

  // The latest first.
  [[nodiscard]] std::vector<Stretch> finish() {
    std::ranges::sort(stretches_, std::ranges::greater(), &Stretch::begin);
    return std::move(stretches_);
  }

 private:
  bool add(const Packet& packet) {
    const ClockClass* const clock = packet.stream->stream_class->default_clock;
    if (clock == nullptr || !packet.begin || !packet.end) return false;
    const auto [last, is_first] = last_ends_.try_emplace(packet.stream->entity, *packet.begin);
    if (*packet.begin < last->second || *packet.end < *packet.begin) return false;
    last->second = *packet.end;
    if (stretches_.size() == kMostStretches) halve();
    stretches_.push_back(
        {clock->to_nanoseconds(*packet.begin), packet.total_size.value_or(kFirstBytes)});
    return true;
  }

  void halve() {
    for (std::size_t i = 0; i + 1 < stretches_.size(); i += 2) {
      stretches_[i / 2] = {std::min(stretches_[i].begin, stretches_[i + 1].begin),
                           stretches_[i].bytes + stretches_[i + 1].bytes};
    }
    stretches_.resize(stretches_.size() / 2);
  }

  std::vector<Stretch> stretches_;
  std::unordered_map<EntityId, std::uint64_t, EntityIdHash> last_ends_;
};

// All of a trace, silently. Null: it cannot be read.
RecordSourcePtr open_silently(const PipelineContext& context, const TracePlace& place,
                              bool packets_only) {
  TraceSource trace(context, place,
                    {.values = false, .silent = true, .packets_only = packets_only});
  if (!trace.open()) return nullptr;
  if (packets_only && !says_its_packets(*trace.description())) return nullptr;
  return std::move(trace.take_sources(false, true).front());
}

std::vector<Stretch> survey(const PipelineContext& context, std::span<const TracePlace> places) {
  PacketSurvey survey;
  for (const TracePlace& place : places) {
    if (place.failure) continue;
    if (!place.reopens()) return {};
    const RecordSourcePtr source = open_silently(context, place, true);
    if (source == nullptr || !survey.add(*source)) return {};
  }
  return survey.finish();
}

// Whether there are `events` from the begin of the context's tail on.
bool has_events(const PipelineContext& context, std::span<const TracePlace> places,
                std::uint64_t events) {
  for (const TracePlace& place : places) {
    if (place.failure) continue;
    const RecordSourcePtr source = open_silently(context, place, false);
    while (source != nullptr) {
      const auto batch = source->next();
      if (!batch || *batch == nullptr) break;
      for (const Record& record : (*batch)->records()) {
        if (record.kind == RecordKind::kEvent && --events == 0) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<Nanoseconds> begin_of_tail(const PipelineContext& context,
                                         std::span<const TracePlace> places) {
  const Selection& selection = context.options.selection;
  const std::uint64_t events = *selection.tail;
  if (selection.order == Order::kRecorded || events == 0) return std::nullopt;
  const std::vector<Stretch> stretches = survey(context, places);
  PipelineContext part{context.options, context.observer, context.stop};
  part.options.selection.tail.reset();
  std::uint64_t wanted =
      std::max(kFirstBytes, kBytesOfEvent * std::min(events, ~std::uint64_t{0} / kBytesOfEvent));
  std::uint64_t bytes = 0;
  for (const Stretch& stretch : stretches) {
    bytes += stretch.bytes;
    if (bytes < wanted) continue;
    part.options.selection.tail_begin = stretch.begin;
    if (has_events(part, places, events)) return stretch.begin;
    wanted = kGrowth * std::max(bytes, wanted);
  }
  return std::nullopt;
}

}  // namespace tracedeck::flow
