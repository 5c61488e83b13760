// From operands to one ordered stream of records, or to one trace after the other:
//
//     operands ─▶ traces ─▶ stages of a source ─▶ order ─▶ stages behind it ─▶ batches
//
// What the stages are stands in `stages()`. Traces that come while they are read (flow/live.hpp)
// pass through the same stages, in order of arrival. Errors of single traces, progress and what is
// worth a word go to a `PipelineObserver`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/flow/arrivals.hpp"
#include "tracedeck/flow/live.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/trace_source.hpp"
#include "tracedeck/format/trace_names.hpp"

namespace tracedeck::flow {

// The traces in the order that the selection asks for, through all stages. One thread at a time.
class Pipeline final : public RecordSource {
 public:
  // The observer must outlive the pipeline. Null when none of the traces can be opened, which was
  // reported then.
  [[nodiscard]] static std::unique_ptr<Pipeline> open(PipelineOptions options,
                                                      PipelineObserver& observer,
                                                      std::stop_token stop = {});
  // The same for traces that were listed before. `first` is the first of them when it was found
  // before, which live ones are not.
  [[nodiscard]] static std::unique_ptr<Pipeline> open(PipelineOptions options,
                                                      PipelineObserver& observer,
                                                      std::stop_token stop,
                                                      std::vector<TracePlace> places,
                                                      std::optional<FoundTrace> first = {});

  // The events of live places in order of arrival, each of which is read on a thread of its own.
  // Null when none is left.
  [[nodiscard]] static std::unique_ptr<Pipeline> arriving(std::unique_ptr<Live> live);

  // Whether the traces are live.
  [[nodiscard]] bool live() const { return arrivals_ != nullptr; }
  // Whether `next` would return within `patience`. Always so unless `live()`.
  [[nodiscard]] bool ready(std::chrono::milliseconds patience) {
    return arrivals_ == nullptr || arrivals_->ready(patience);
  }

  // Reports progress. Errors: those of the stages (sorting may run out of temporary space).
  [[nodiscard]] Result<BatchPtr> next() override;

  // Whether events may be of more than one trace, so that each has to say of which: there are
  // several places, or a conversion wrote several traces into one.
  [[nodiscard]] bool several() const { return several_ || restores_several_; }
  // Of the traces that were opened by now; before the first event, of all whose events are put in
  // order.
  [[nodiscard]] std::vector<std::shared_ptr<const TraceDescription>> descriptions() const;
  // The traces of which no data stream has begun, once all is read. Live ones are not known.
  [[nodiscard]] std::vector<std::shared_ptr<const TraceDescription>> take_streamless() {
    return streamless_.take();
  }
  // The names of the traces by `name_of`; empty when there is one. The pipeline must outlive them.
  [[nodiscard]] TraceNames trace_names() const;
  // What distinguishes a trace from the others.
  [[nodiscard]] std::string name_of(const TraceDescription& description) const;

  // Where a trace lies below the directory that the user named; "" when it is that directory or a
  // file, or when it is a part of a logical trace that lies in several places.
  [[nodiscard]] std::string path_below_operand(const TraceDescription& description) const;

  // Whether two traces, by the numbers of their descriptions, have one clock, as far as events near
  // their beginnings say: what is to be added to it to get UTC is the same but for less than a
  // second, by which UTC may have been set meanwhile. Reads these beginnings once more.
  [[nodiscard]] bool share_clock(std::uint64_t first, std::uint64_t second) const;
  // How times of the trace of that name (`name_of`), which come moved by one offset, relate to UTC;
  // nothing: they are as they are shown.
  [[nodiscard]] std::optional<TimeFrame> frame_of_moved(std::string_view name) const;

 private:
  Pipeline(PipelineOptions options, PipelineObserver& observer, std::stop_token stop)
      : context_{std::move(options), observer, std::move(stop)} {}

  std::shared_ptr<TraceSource> add_trace(TracePlace place, const TraceReading& reading);
  bool open_traces(std::vector<TracePlace> places, std::optional<FoundTrace> first);
  RecordSourcePtr ordered();
  RecordSourcePtr sorted();
  void put_behind(RecordSourcePtr ordered);
  void report_nothing_selected() const;
  [[nodiscard]] double progress() const;
  // The one whose description has that number, or null.
  [[nodiscard]] TraceSource* source_of(std::uint64_t number) const;
  // The name of the place that a trace comes from.
  [[nodiscard]] std::string place_name(const TraceDescription& description) const;

  StreamlessTraces streamless_;
  PipelineContext context_;
  Arrivals* arrivals_ = nullptr;  // the first of the stages of live traces
  std::size_t at_once_ = 1;
  bool several_ = false;
  bool restores_several_ = false;
  std::vector<std::shared_ptr<TraceSource>> traces_;
  // Of `traces_`, by the numbers of their descriptions, as far as they were asked for.
  mutable std::unordered_map<std::uint64_t, TraceSource*> by_number_;
  std::unique_ptr<Live> live_;  // what the stages of live traces read
  std::size_t named_ = 0;       // of `traces_`, those that are not read again
  RecordSourcePtr stages_;
};

// One trace, through the stages of a source and those behind the order. One thread at a time.
class SingleTrace final : public RecordSource {
 public:
  // The trace must have been opened. The context must outlive it.
  SingleTrace(const PipelineContext& context, std::unique_ptr<TraceSource> trace);

  // Reports progress. Errors: those of the reader and of the stages, which end it.
  [[nodiscard]] Result<BatchPtr> next() override;

  [[nodiscard]] TraceSource& trace() { return *trace_; }
  [[nodiscard]] const Reader& reader() const { return *reader_; }

 private:
  const PipelineContext& context_;
  std::unique_ptr<TraceSource> trace_;
  std::shared_ptr<const Reader> reader_;
  RecordSourcePtr stages_;
};

}  // namespace tracedeck::flow
