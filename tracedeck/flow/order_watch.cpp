#include "tracedeck/flow/order_watch.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/flow/trace_names.hpp"

namespace tracedeck::flow {
namespace {

const TraceDescription* trace_of(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->trace;
}

std::string name_of_trace(const Event& event) {
  const TraceDescription* const trace = trace_of(event);
  return trace == nullptr ? std::string() : full_name(*trace);
}

}  // namespace

void OrderWatch::see(const Batch& batch) {
  Place last;
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const Event& event = record.event;
    const ClockClass* const clock = event.event_class->clock;
    if (clock != last.clock || event.end_time < last.value) [[unlikely]] {
      if (clock == nullptr) continue;
      step(last, {clock, event.end_time}, event);
      last.clock = clock;
    }
    last.value = event.end_time;
  }
  if (last.clock != nullptr) last_ = keys_from_(*last.clock, last.value);
}

void OrderWatch::step(const Place& from, const Place& to, const Event& event) {
  const OrderKey before = from.clock == nullptr ? last_ : keys_from_(*from.clock, from.value);
  if (keys_to_(*to.clock, to.value) < before) ++steps_back_;
  if (from.clock != to.clock) compare_clocks(*to.clock, event);
}

void OrderWatch::compare_clocks(const ClockClass& clock, const Event& event) {
  const std::uint64_t number = clock.entity.trace;
  if (std::exchange(recent_[number % recent_.size()], number + 1) == number + 1) return;
  if (unrelated_.size() + of_other_hosts_.size() == kMostUnrelated ||
      !traces_.insert(number).second)
    return;
  if (!first_clock_) {
    first_clock_ = ComparedClock::of(clock, trace_of(event));
    first_trace_ = {.number = number, .name = name_of_trace(event)};
    return;
  }
  ComparedClock compared = ComparedClock::of(clock, trace_of(event));
  const ClockRelation found = relation(*first_clock_, compared);
  if (found == ClockRelation::kOne) return;
  (found == ClockRelation::kNone ? unrelated_ : of_other_hosts_)
      .push_back({.number = number, .name = name_of_trace(event), .clock = std::move(compared)});
}

bool OrderWatch::shares_clock(const Named& trace, const std::vector<Named>& placed) {
  return std::ranges::any_of(placed, [&](const Named& each) {
    return relation(trace.clock, each.clock) == ClockRelation::kOne;
  });
}

std::optional<UnrelatedTraces> OrderWatch::unrelated(const Relates& relates) const {
  return named(unrelated_, relates);
}

std::optional<UnrelatedTraces> OrderWatch::of_other_hosts(const Relates& relates) const {
  return named(of_other_hosts_, relates);
}

std::optional<UnrelatedTraces> OrderWatch::named(const std::vector<Named>& all,
                                                 const Relates& relates) const {
  UnrelatedTraces traces{.first = first_trace_.name};
  std::vector<Named> placed;
  for (const Named& each : all) {
    if (relates && relates(first_trace_.number, each.number)) placed.push_back(each);
  }
  for (const Named& each : all) {
    // A trace that is given twice is one.
    if (each.name == first_trace_.name ||
        std::ranges::find(traces.others, each.name) != traces.others.end())
      continue;
    if (!shares_clock(each, placed)) traces.others.push_back(each.name);
  }
  if (traces.others.empty()) return std::nullopt;
  return traces;
}

}  // namespace tracedeck::flow
