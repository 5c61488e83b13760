#include "tracedeck/flow/packet_survey.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tracedeck/flow/time_bounds.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::size_t kMostStretches = std::size_t{1} << 20;
// Of a packet that does not say its size.
constexpr std::uint64_t kUnknownSize = std::uint64_t{1} << 20;
// How many more packets are read each further time, as those before had no events.
constexpr std::size_t kPacketGrowth = 8;

std::optional<TimeRange> range_of(const OpenPart& open, const TrimRange& part) {
  const std::unique_ptr<Reader> reader = open(false, part);
  return reader == nullptr ? std::nullopt : survey_times(*reader, reader->description());
}

// The first (last) time of the events. `bounds` are the times at which packets begin (end), `order`
// sorts the earliest (latest) first; `read(bound)` returns the first (last) time in the packets
// that begin (end) at `bound` or before (behind) it.
template <class Order, class Read>
std::optional<Nanoseconds> extreme(std::vector<Nanoseconds> bounds, Order order, const Read& read) {
  std::ranges::sort(bounds, order);
  for (std::size_t packets = 1;; packets *= kPacketGrowth) {
    const bool all = packets >= bounds.size();
    const std::optional<Nanoseconds> found = read(all ? bounds.back() : bounds[packets - 1]);
    if (found) {
      // Only a packet that was not read and does not lie beyond it may hold another.
      const bool is_sure = all || !order(bounds[packets], *found);
      return is_sure ? found : read(*found);
    }
    if (all) return std::nullopt;
  }
}

std::optional<TimeRange> range_by_packets(const std::vector<PacketStretch>& stretches,
                                          const OpenPart& open) {
  if (stretches.empty()) return std::nullopt;
  std::vector<Nanoseconds> begins;
  std::vector<Nanoseconds> ends;
  for (const PacketStretch& each : stretches) {
    begins.push_back(each.begin);
    ends.push_back(each.end);
  }
  const auto first =
      extreme(std::move(begins), std::less(), [&](Nanoseconds end) -> std::optional<Nanoseconds> {
        const auto range = range_of(open, {.end = end});
        return range ? std::optional(range->first) : std::nullopt;
      });
  if (!first) return std::nullopt;
  const auto last = extreme(std::move(ends), std::greater(),
                            [&](Nanoseconds begin) -> std::optional<Nanoseconds> {
                              const auto range = range_of(open, {.begin = begin});
                              return range ? std::optional(range->last) : std::nullopt;
                            });
  return last ? std::optional(TimeRange{*first, *last}) : std::nullopt;
}

}  // namespace

bool says_its_packets(const TraceDescription& description) {
  if (!description.stored_as().empty()) return description.has_ordered_packets();
  const Format* const format = find_format(description.format());
  return format != nullptr && format->info().packets_apart;
}

bool PacketSurvey::add(RecordSource& source) {
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

bool PacketSurvey::add(const Packet& packet) {
  const ClockClass* const clock = packet.stream->stream_class->default_clock;
  if (clock == nullptr || !packet.begin || !packet.end) return false;
  const auto [last, is_first] = last_ends_.try_emplace(packet.stream->entity, *packet.begin);
  if (*packet.begin < last->second || *packet.end < *packet.begin) return false;
  last->second = *packet.end;
  if (stretches_.size() == kMostStretches) halve();
  stretches_.push_back({clock->to_nanoseconds(*packet.begin), clock->to_nanoseconds(*packet.end),
                        packet.total_size.value_or(kUnknownSize)});
  return true;
}

void PacketSurvey::halve() {
  for (std::size_t i = 0; i + 1 < stretches_.size(); i += 2) {
    const PacketStretch& one = stretches_[i];
    const PacketStretch& next = stretches_[i + 1];
    stretches_[i / 2] = {std::min(one.begin, next.begin), std::max(one.end, next.end),
                         one.bytes + next.bytes};
  }
  stretches_.resize(stretches_.size() / 2);
}

std::optional<TimeRange> common_time(RecordSource& source) {
  std::unordered_map<EntityId, TimeRange, EntityIdHash> streams;
  for (;;) {
    const auto batch = source.next();
    if (!batch) return std::nullopt;
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kEvent) return std::nullopt;
      if (record.kind != RecordKind::kPacketBegin) continue;
      const Packet& packet = *record.packet;
      const ClockClass* const clock = packet.stream->stream_class->default_clock;
      if (clock == nullptr || !packet.begin || !packet.end) return std::nullopt;
      const TimeRange of = {clock->to_nanoseconds(*packet.begin),
                            clock->to_nanoseconds(*packet.end)};
      TimeRange& range = streams.try_emplace(packet.stream->entity, of).first->second;
      range = {std::min(range.first, of.first), std::max(range.last, of.last)};
    }
  }
  if (streams.size() < 2) return std::nullopt;
  TimeRange common = streams.begin()->second;
  for (const auto& [stream, range] : streams)
    common = {std::max(common.first, range.first), std::min(common.last, range.last)};
  return common;
}

std::optional<TimeRange> range_of_events(const OpenPart& open) {
  std::unique_ptr<Reader> reader = open(true, {});
  if (reader == nullptr) return std::nullopt;
  const std::shared_ptr<const TraceDescription> description = reader->description();
  const bool says_packets = says_its_packets(*description);
  // A format without packets yields its events all the same.
  if (!says_packets && description->stored_as().empty()) return survey_times(*reader, description);
  PacketSurvey survey;
  const bool is_told = says_packets && survey.add(*reader);
  reader.reset();
  const std::optional<TimeRange> range =
      is_told ? range_by_packets(survey.finish(), open) : std::nullopt;
  return range ? range : range_of(open, {});
}

}  // namespace tracedeck::flow
