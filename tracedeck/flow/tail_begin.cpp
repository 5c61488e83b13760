#include "tracedeck/flow/tail_begin.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tracedeck/flow/packet_survey.hpp"
#include "tracedeck/flow/trace_source.hpp"

namespace tracedeck::flow {
namespace {

// Bytes that are read first, and how much more each further time. All readings together take a
// little more than the last.
constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesOfEvent = 64;
constexpr std::uint64_t kGrowth = 8;

// All of a trace, silently. Null: it cannot be read.
RecordSourcePtr open_silently(const PipelineContext& context, const TracePlace& place,
                              bool packets_only) {
  TraceSource trace(context, place,
                    {.values = false, .silent = true, .packets_only = packets_only});
  if (!trace.open()) return nullptr;
  if (packets_only && !says_its_packets(*trace.description())) return nullptr;
  return std::move(trace.take_sources(false, true).front());
}

// The latest first. Empty: not all traces say their packets.
std::vector<PacketStretch> survey(const PipelineContext& context,
                                  std::span<const TracePlace> places) {
  PacketSurvey survey;
  for (const TracePlace& place : places) {
    if (place.failure) continue;
    if (!place.reopens()) return {};
    const RecordSourcePtr source = open_silently(context, place, true);
    if (source == nullptr || !survey.add(*source)) return {};
  }
  std::vector<PacketStretch> stretches = survey.finish();
  std::ranges::sort(stretches, std::ranges::greater(), &PacketStretch::begin);
  return stretches;
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
  const std::vector<PacketStretch> stretches = survey(context, places);
  PipelineContext part{context.options, context.observer, context.stop};
  part.options.selection.tail.reset();
  std::uint64_t wanted =
      std::max(kFirstBytes, kBytesOfEvent * std::min(events, ~std::uint64_t{0} / kBytesOfEvent));
  std::uint64_t bytes = 0;
  for (const PacketStretch& stretch : stretches) {
    bytes += stretch.bytes;
    if (bytes < wanted) continue;
    part.options.selection.tail_begin = stretch.begin;
    if (has_events(part, places, events)) return stretch.begin;
    wanted = kGrowth * std::max(bytes, wanted);
  }
  return std::nullopt;
}

}  // namespace tracedeck::flow
