// What is between traces and those who take their marks: how the traces are read, which tables
// apply, and where the marks begin.
//
//   auto stream = MarkStream::make({.selection = wanted}, [&](const MarksAhead&) -> MarkSink& {
//     return sink;
//   });
//   // Reads a pipeline with `stream->selection()` and `MarkStream::needs()`, and
//   // `stream->add(batch)`s all of it.
//   stream->finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/flow/selection.hpp"
#include "tracedeck/flow/stage.hpp"
#include "tracedeck/timeline/interpreter.hpp"
#include "tracedeck/timeline/trace_origins.hpp"

namespace tracedeck::timeline {

// What is known before the first mark.
struct MarksAhead {
  std::string format = {};  // of the first trace; empty: there are no events
  // Of the selection: what lies before is interpreted all the same. Saturated ns.
  std::optional<std::int64_t> begin = {};
  Timeline& timeline;  // as long as the stream
};

// Where marks go. It is called once, before the first of them.
using SinkFor = std::function<MarkSink&(const MarksAhead& ahead)>;

struct MarkStreamOptions {
  // Beside the built-in tables, or in place of one of the same name.
  std::vector<Table> tables = {};
  bool all_flows = false;  // as in InterpreterOptions
  // What the user wants of the traces. Without `keeps_order` events come in the order of time.
  flow::Selection selection = {};
  bool keeps_order = false;
  // As in InterpreterOptions.
  std::function<bool(std::uint64_t first, std::uint64_t second)> relates = {};
  TraceOrigins::NameOfTrace name_of_trace = {};
};

// What is to be read where what lies before the begin matters too: that is put into `begin`. The
// order is that of time, unless the one that is wanted is kept.
[[nodiscard]] flow::Selection from_the_first_event(
    flow::Selection wanted, bool keeps_order, std::shared_ptr<std::optional<Nanoseconds>> begin);

// One thread at a time.
class MarkStream {
 public:
  // Steps back of the clock of a data stream that are told from disorder.
  static constexpr std::uint64_t kMostClockSteps = 16;

  // Errors: kInvalidArgument, a rule of a table that cannot be.
  [[nodiscard]] static Result<std::unique_ptr<MarkStream>> make(MarkStreamOptions options,
                                                                SinkFor sink_for);

  // What is to be read: in the order that marks need, and what lies before the begin too.
  [[nodiscard]] const flow::Selection& selection() const { return selection_; }
  // Of the events, and besides what `symbols` says.
  [[nodiscard]] static flow::Needs needs(
      flow::Needs::Symbols symbols = flow::Needs::Symbols::kNone) {
    return {.values = true, .names = true, .findings = true, .symbols = symbols};
  }

  // Errors: those of the sink.
  [[nodiscard]] Result<void> add(const BatchPtr& batch);
  // No more batches come.
  [[nodiscard]] Result<void> finish();

  // Of the selection, once the first event was read; and how many events lie before it.
  [[nodiscard]] std::optional<std::int64_t> begin() const;
  [[nodiscard]] std::uint64_t events_before() const { return events_before_; }
  [[nodiscard]] const Interpreter& interpreter() const { return *interpreter_; }
  // Whether a batch came.
  [[nodiscard]] bool has_begun() const { return sink_ != nullptr; }
  // Before the first batch: the traces that are read. Where they may be of several hosts, all
  // tracks are called with theirs.
  void expect_hosts_of(std::span<const std::shared_ptr<const TraceDescription>> traces) {
    if (may_be_of_several_hosts(traces)) interpreter_->timeline().expect_hosts();
  }
  [[nodiscard]] const Timeline& timeline() const { return interpreter_->timeline(); }

 private:
  MarkStream(std::unique_ptr<Interpreter> interpreter, MarkStreamOptions options, SinkFor sink_for);

  [[nodiscard]] MarkSink& sink(const Batch* batch);
  void count_before(const Batch& batch, const Nanoseconds& begin);

  std::unique_ptr<Interpreter> interpreter_;
  SinkFor sink_for_;
  std::shared_ptr<std::optional<Nanoseconds>> begin_;
  flow::Selection selection_;
  MarkSink* sink_ = nullptr;
  std::uint64_t events_before_ = 0;
  bool is_before_ = true;  // the event at hand
};

}  // namespace tracedeck::timeline
