#include "tracedeck/timeline/trace_origins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tracedeck/flow/machines.hpp"
#include "tracedeck/flow/trace_names.hpp"

namespace tracedeck::timeline {
bool may_be_of_several_hosts(std::span<const std::shared_ptr<const TraceDescription>> traces) {
  return std::ranges::any_of(traces.subspan(std::min<std::size_t>(traces.size(), 1)),
                             [&](const auto& each) {
                               return flow::is_one_machine(flow::machine_marks(*traces.front()),
                                                           flow::machine_marks(*each)) != true;
                             });
}

TraceOrigins::Origin TraceOrigins::of(const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr) return {};
  const TraceDescription& trace = *stream_class->trace;
  const auto known = traces_.find(trace.same_trace());
  if (known != traces_.end()) return known->second;
  return traces_.emplace(trace.same_trace(), make(trace)).first->second;
}

TraceOrigins::Origin TraceOrigins::make(const TraceDescription& trace) {
  Marks marks = flow::machine_marks(trace);
  Said said = said_in_events(trace);
  if (marks.back().empty()) marks.back() = std::move(said.host);
  const Machine& machine = machine_of(marks);
  return {.trace = timeline_.add_trace(machine.origin,
                                       name_of_trace_ ? name_of_trace_(trace) : std::string(),
                                       std::move(said.process)),
          .machine = machine.origin};
}

TraceOrigins::Said TraceOrigins::said_in_events(const TraceDescription& trace) const {
  if (batch_ == nullptr || readers_.empty()) return {};
  for (const Record& record : batch_->records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const DataStreamClass* const stream_class = record.event.event_class->stream_class;
    if (stream_class == nullptr || stream_class->trace != &trace) continue;
    for (const HostReader& read : readers_) {
      if (auto said = read(record.event)) return *std::move(said);
    }
  }
  return {};
}

TraceOrigins::Machine& TraceOrigins::machine_of(const Marks& marks) {
  const bool is_unknown = std::ranges::all_of(marks, &std::string::empty);
  const auto is_one = [&](const Machine& machine) {
    if (is_unknown) return std::ranges::all_of(machine.marks, &std::string::empty);
    return flow::is_one_machine(marks, machine.marks) == true;
  };
  const auto known = std::ranges::find_if(machines_, is_one);
  if (known != machines_.end()) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (known->marks[i].empty()) known->marks[i] = marks[i];
    }
    return *known;
  }
  return machines_.emplace_back(
      Machine{.marks = marks, .origin = timeline_.add_machine(name_of(marks))});
}

// By its name, else by what it has; where another has that name, by what tells it apart too.
std::string TraceOrigins::name_of(const Marks& marks) const {
  const auto is_known = [](const std::string& each) { return !each.empty(); };
  const auto name = std::find_if(marks.rbegin(), marks.rend(), is_known);
  if (name == marks.rend()) return {};
  const bool is_taken = std::ranges::any_of(
      machines_, [&](const Machine& each) { return timeline_.origin(each.origin).host == *name; });
  return is_taken ? fmt::format("{} ({})", *name, *std::ranges::find_if(marks, is_known)) : *name;
}

}  // namespace tracedeck::timeline
