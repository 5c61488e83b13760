// What a pipeline is to read and how, and whom it reports to.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/flow/stage.hpp"
#include "tracedeck/flow/streamless_traces.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {

struct PipelineOptions {
  std::vector<std::string> operands = {};  // see `list_traces`
  const Format* format = nullptr;          // null: recognise it
  bool follow = false;                     // files and devices are live
  unsigned baud = 0;                       // see `io::LiveOptions::baud`
  // See `io::LiveOptions::stall_limit`.
  std::chrono::milliseconds stall_limit = io::kStallLimit;
  bool hexadecimal = false;                            // see `ReadOptions::hexadecimal`
  bool as_stored = false;                              // see `ReadOptions::as_stored`
  std::shared_ptr<const GivenMetadata> metadata = {};  // see `ReadOptions::metadata`
  Selection selection = {};
  // Whether traces of several hosts, which only their wall clocks relate, have times in UTC
  // whatever the selection says, where all have clock anchors.
  bool wall_between_hosts = false;
  TimeOf merged_by = nullptr;                        // of files that are merged, see `merge`
  Needs needs = {.values = true, .findings = true};  // of who reads the pipeline
  std::optional<std::uint64_t> max_state = {};       // bytes for each trace; see `max_state`
  unsigned jobs = 1;                                 // threads that decode at the same time
};

// Bytes that a trace may keep: 1 GiB, or 64 MiB of a live one, whose sender shall not make us hold
// as much as what the user has on his own disk.
[[nodiscard]] std::uint64_t max_state(const PipelineOptions& options, bool live);

// That of all events of some traces nothing was selected.
struct NothingSelected {
  std::size_t traces = 0;               // that were read
  std::optional<TimeRange> range = {};  // of their events, where it is known
  ClockOrigin origin = ClockOrigin::kUnknown;
  // Whether there was a condition, and whether there were bounds of time: only then `range` is
  // looked for.
  bool by_condition = false;
  bool by_time = false;
};

// Is called while a pipeline is opened and read, on the thread that does so. Of live traces it is
// also called on threads that read them, by one at a time, and shall not wait for the pipeline.
class PipelineObserver {
 public:
  PipelineObserver() = default;
  PipelineObserver(const PipelineObserver&) = delete;
  PipelineObserver& operator=(const PipelineObserver&) = delete;
  virtual ~PipelineObserver() = default;

  // What could not be opened, or ended the reading of one source: the others still come.
  virtual void failed(const Error& error) = 0;
  virtual void opened(const TraceDescription& description);
  // 0 to 1, negative when unknown. Comes with every batch.
  virtual void progress(double part);
  virtual void selected_nothing(const NothingSelected& what);
  // How the times of a trace relate to UTC, where times in UTC are asked for. `by_one_offset`: they
  // come in UTC, all moved by the offset of the first anchor.
  virtual void wall_clock(const std::string& trace, const WallClock& wall, bool by_one_offset);
  // Of what lies between bounds in UTC, that before `first` and that behind `last` is left out, if
  // there is any, as the trace's wall clock was set back.
  virtual void one_part(const std::string& trace, std::optional<Nanoseconds> first,
                        std::optional<Nanoseconds> last);
  // Of what `Selection::stream_intersection` selects: see `common_time`.
  virtual void common_time(const std::string& trace, const TraceDescription& description,
                           const TimeRange& range);
  // See `ReadOptions::notice`.
  virtual void note(const std::string& sentence);

  // What happens at live places: an input that could not be read where others follow, unless
  // overridden `failed`; and the rest, unless overridden a note of all but peers that come.
  virtual void refused(const Error& error);
  virtual void news(io::LiveNews what, const std::string& sentence);
};

// What the parts of a pipeline share. The observer must outlive it. Of the options without the
// operands, which were listed: traces keep copies, and there may be thousands of both.
struct PipelineContext {
  PipelineContext(PipelineOptions with, PipelineObserver& to, std::stop_token by)
      : options(std::move(with)), observer(to), stop(std::move(by)) {
    options.operands.clear();
  }

  PipelineOptions options;
  PipelineObserver& observer;
  std::stop_token stop;
  // Traces that are opened are added, without what is hidden; null: nobody asks. It must outlive
  // this, and so must its copies.
  StreamlessTraces* streamless = nullptr;

  // How the reader of a trace is to be opened; `traces_at_once` share the threads and the
  // memory.
  [[nodiscard]] ReadOptions read_options(bool live, std::size_t traces_at_once) const;
};

}  // namespace tracedeck::flow
