// Which machine a trace is of: what is shared by traces of one machine, as the numbers of threads
// are, never is by those of different ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/flow/machines.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// Whether traces may be of different machines: not all are known to be of one.
[[nodiscard]] bool may_be_of_several_hosts(
    std::span<const std::shared_ptr<const TraceDescription>> traces);

// One thread at a time.
class TraceOrigins {
 public:
  // What an event says of its trace.
  struct Said {
    std::string host = {};
    std::string process = {};  // empty: it does not say that
  };
  // Reads the host of an event's trace; none: it does not say that.
  using HostReader = std::function<std::optional<Said>(const Event& event)>;
  // How a trace is named where several are read; else empty.
  using NameOfTrace = std::function<std::string(const TraceDescription& trace)>;

  explicit TraceOrigins(Timeline& timeline) : timeline_(timeline) {}

  // Numbers of `Timeline::origin`.
  struct Origin {
    OriginId trace = 0;
    OriginId machine = 0;
  };
  // Of the trace of a class: as its environment says, else its events.
  [[nodiscard]] Origin of(const EventClass& event_class);
  // Whose events may name the host of a trace that is new; null: no events do.
  void look_in(const Batch* batch) { batch_ = batch; }
  void read_hosts_with(HostReader reader) { readers_.push_back(std::move(reader)); }
  void name_traces_with(NameOfTrace name_of) { name_of_trace_ = std::move(name_of); }
  [[nodiscard]] std::size_t trace_count() const { return traces_.size(); }

 private:
  // What tells a machine from others, the surest first: its id, the boot of its kernel, its name.
  using Marks = flow::MachineMarks;
  struct Machine {
    Marks marks = {};
    OriginId origin = 0;
  };

  [[nodiscard]] Origin make(const TraceDescription& trace);
  [[nodiscard]] Said said_in_events(const TraceDescription& trace) const;
  [[nodiscard]] Machine& machine_of(const Marks& marks);
  [[nodiscard]] std::string name_of(const Marks& marks) const;

  Timeline& timeline_;
  const Batch* batch_ = nullptr;
  std::vector<HostReader> readers_;
  NameOfTrace name_of_trace_;
  NumberMap<std::uint64_t, Origin> traces_;  // by `TraceDescription::same_trace`
  std::vector<Machine> machines_;
};

}  // namespace tracedeck::timeline
