#include "tracedeck/flow/statistics.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::flow {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

std::optional<double> TraceStatistics::rate(const ClassStatistics& of) const {
  if (!of.time || !begins || begins->first == begins->last) return std::nullopt;
  const auto span = static_cast<double>((begins->last - begins->first).magnitude());
  return static_cast<double>(of.events) / span * kNanosecondsPerSecond;
}

void StatisticsCollector::add(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const Event& event = record.event;
    ClassCount& count = counts_[*event.event_class];
    ++count.events;
    count.bytes += event.size;
    count.first = std::min(count.first, event.time);
    count.last_begin = std::max(count.last_begin, event.time);
    count.last = std::max(count.last, std::max(event.time, event.end_time));
    count.fields.add(event);
  }
  const auto& counts = counts_.entries();
  if (counts.size() < ClassTable<ClassCount>::kMany) return;
  // Only when there are traces that were not there the last time: those that are read at the same
  // time are not counted anew again and again.
  const std::uint64_t newest = counts.back().event_class->entity.trace;
  if (newest <= folded_trace_ || newest == counts.front().event_class->entity.trace) return;
  folded_trace_ = newest;
  fold();
}

TraceStatistics StatisticsCollector::finish() {
  fold();
  return std::move(groups_.statistics);
}

void StatisticsCollector::fold() {
  TraceStatistics& result = groups_.statistics;
  for (ClassCount& count : counts_.entries()) {
    const EventClass& event_class = *count.event_class;
    const std::size_t number = groups_.numbers[event_class];
    if (number == result.classes.size()) {
      result.classes.emplace_back().fields = count.fields.finish();
    } else {
      const std::vector<FieldStatistics> fields = count.fields.finish();
      std::vector<FieldStatistics>& known = result.classes[number].fields;
      for (std::size_t i = 0; i < std::min(known.size(), fields.size()); ++i) {
        combine(known[i], fields[i]);
      }
    }
    count.fields.forget();
    ClassStatistics& group = result.classes[number];
    if (group.classes == 0) group.description = description_of(event_class);
    join(group, event_class);
    group.events += count.events;
    group.bytes += count.bytes;
    if (event_class.has_real_time()) {
      widen(group.time, TimeRange{event_class.clock->to_nanoseconds(count.first),
                                  event_class.clock->to_nanoseconds(count.last)});
      widen(result.begins, TimeRange{event_class.clock->to_nanoseconds(count.first),
                                     event_class.clock->to_nanoseconds(count.last_begin)});
    }
    result.events += count.events;
    result.bytes += count.bytes;
    widen(result.time, group.time);
  }
  counts_.clear();
}

}  // namespace tracedeck::flow
