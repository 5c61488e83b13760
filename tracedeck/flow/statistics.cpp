#include "tracedeck/flow/statistics.hpp"

#include <algorithm>
#include <unordered_map>

namespace tracedeck::flow {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

std::optional<double> ClassStatistics::rate() const {
  if (!time || time->first == time->last) return std::nullopt;
  const auto span = static_cast<double>((time->last - time->first).magnitude());
  return static_cast<double>(events) / span * kNanosecondsPerSecond;
}

void StatisticsCollector::add(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const Event& event = record.event;
    ClassCount& count = counts_[*event.event_class];
    ++count.events;
    count.bytes += event.size;
    count.first = std::min(count.first, event.time);
    count.last = std::max(count.last, std::max(event.time, event.end_time));
    count.fields.add(event);
  }
}

TraceStatistics StatisticsCollector::finish() const {
  TraceStatistics result;
  std::unordered_map<std::string, std::size_t> groups;
  for (const ClassCount& count : counts_.entries()) {
    const EventClass& event_class = *count.event_class;
    const auto [place, is_new] = groups.try_emplace(signature(event_class), result.classes.size());
    if (is_new) {
      result.classes.emplace_back().fields = count.fields.finish();
    } else {
      const std::vector<FieldStatistics> fields = count.fields.finish();
      std::vector<FieldStatistics>& known = result.classes[place->second].fields;
      for (std::size_t i = 0; i < std::min(known.size(), fields.size()); ++i) {
        combine(known[i], fields[i]);
      }
    }
    ClassStatistics& group = result.classes[place->second];
    join(group, event_class);
    group.events += count.events;
    group.bytes += count.bytes;
    if (const ClockClass* const clock = event_class.clock; clock != nullptr) {
      widen(group.time,
            TimeRange{clock->to_nanoseconds(count.first), clock->to_nanoseconds(count.last)});
    }
    result.events += count.events;
    result.bytes += count.bytes;
    widen(result.time, group.time);
  }
  return result;
}

}  // namespace tracedeck::flow
