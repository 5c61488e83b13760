#include "tracedeck/flow/summary.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::flow {

Summarizer::Summarizer(std::shared_ptr<const TraceDescription> description) : traces_(description) {
  side_.description = std::move(description);
}

void Summarizer::add(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) [[unlikely]] {
      add_side_record(record);
      continue;
    }
    const Event& event = record.event;
    ClassCount& count = counts_[*event.event_class];
    ++count.events;
    count.first = std::min(count.first, event.time);
    count.last = std::max(count.last, std::max(event.time, event.end_time));
    if (event.stream != stream_) {
      stream_ = event.stream;
      stream_times_ = times_of(stream_);
    }
    if (stream_times_ != nullptr && event.event_class->has_real_time())
      stream_times_->add(event.event_class->clock, event.time,
                         std::max(event.time, event.end_time));
  }
}

// Events of one data stream have one clock.
void Summarizer::StreamTimes::add(const ClockClass* of, std::uint64_t begin, std::uint64_t end) {
  const bool is_first = clock == nullptr;
  if (!is_first && clock != of) return;
  clock = of;
  first = is_first ? begin : std::min(first, begin);
  last = is_first ? end : std::max(last, end);
}

Summarizer::StreamTimes* Summarizer::times_of(const DataStream* stream) {
  if (stream == nullptr) return nullptr;
  const auto found = std::ranges::find(times_, stream->entity, &StreamTimes::entity);
  return found == times_.end() ? nullptr : &*found;
}

void Summarizer::see_packet(const Packet& packet) {
  ++side_.packets;
  if (packet.stream == nullptr || packet.stream->stream_class == nullptr) return;
  const ClockClass* const clock = packet.stream->stream_class->default_clock;
  StreamTimes* const times = times_of(packet.stream);
  if (times == nullptr || clock == nullptr || !packet.begin) return;
  times->add(clock, *packet.begin, std::max(*packet.begin, packet.end.value_or(0)));
}

void Summarizer::add_side_record(const Record& record) {
  switch (record.kind) {
    case RecordKind::kStreamBegin:
      traces_.see(record);
      ++side_.streams;
      if (side_.first_streams.size() < TraceSummary::kListed) {
        side_.first_streams.push_back({*record.stream});
        times_.push_back({.entity = record.stream->entity});
      }
      // It may lie where another one did.
      stream_ = nullptr;
      stream_times_ = nullptr;
      break;
    case RecordKind::kPacketBegin:
      see_packet(*record.packet);
      break;
    case RecordKind::kLoss:
      losses_.add(*record.loss);
      break;
    case RecordKind::kProblem: {
      ProblemSummary& problems = side_.problems;
      ++problems.count;
      problems.bytes += record.notice->finding.length;
      if (problems.first.size() < TraceSummary::kListed) problems.first.push_back(*record.notice);
      break;
    }
    case RecordKind::kFinding:
      add_finding(*record.notice);
      break;
    case RecordKind::kEvent:
    case RecordKind::kStreamEnd:
    case RecordKind::kPacketEnd:
    case RecordKind::kDescription:
      break;
  }
}

void Summarizer::add_finding(const Notice& notice) {
  const Rule* const rule = notice.finding.rule;
  for (RuleSummary& known : side_.findings) {
    if (known.rule == rule) {
      ++known.count;
      return;
    }
  }
  side_.findings.push_back({.rule = rule, .count = 1, .first = notice});
}

TraceSummary Summarizer::finish() const {
  TraceSummary summary = side_;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const StreamTimes& times = times_[i];
    if (times.clock != nullptr)
      summary.first_streams[i].time = {times.clock->to_nanoseconds(times.first),
                                       times.clock->to_nanoseconds(times.last)};
  }
  summary.losses = losses_.totals();
  summary.others.assign(traces_.list().begin() + 1, traces_.list().end());
  GroupNumbers groups;
  const auto group_of = [&](const EventClass& event_class) -> ClassSummary& {
    const std::size_t number = groups[event_class];
    return number == summary.classes.size() ? summary.classes.emplace_back()
                                            : summary.classes[number];
  };

  // Room that nothing is put into takes no memory.
  summary.classes.reserve(summary.description->event_classes().size());
  for (const EventClass& event_class : summary.description->event_classes()) {
    join(group_of(event_class), event_class);
  }
  for (const ClassCount& count : counts_.entries()) {
    ClassSummary& group = group_of(*count.event_class);
    if (group.event_class == nullptr) join(group, *count.event_class);
    group.events += count.events;
    summary.events += count.events;
    const ClockClass* const clock = count.event_class->clock;
    if (clock == nullptr) summary.timeless_events += count.events;
    if (count.event_class->has_real_time()) {
      std::optional<TimeRange> time = group.time;
      widen(time, TimeRange{clock->to_nanoseconds(count.first), clock->to_nanoseconds(count.last)});
      group.time = time;
    }
  }
  for (const ClassSummary& group : summary.classes) widen(summary.time, group.time);
  return summary;
}

}  // namespace tracedeck::flow
