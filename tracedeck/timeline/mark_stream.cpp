#include "tracedeck/timeline/mark_stream.hpp"

#include <utility>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {
namespace {

// The format of the first event's trace, or "".
std::string format_of(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const DataStreamClass* const stream_class = record.event.event_class->stream_class;
    if (stream_class != nullptr && stream_class->trace != nullptr)
      return stream_class->trace->format();
  }
  return {};
}

// Of the first event with one.
std::optional<Nanoseconds> first_time_in(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent && record.event.event_class->has_real_time())
      return record.event.began_at();
  }
  return std::nullopt;
}

}  // namespace

flow::Selection from_the_first_event(flow::Selection wanted, bool keeps_order,
                                     std::shared_ptr<std::optional<Nanoseconds>> begin) {
  if (!keeps_order) {
    wanted.order = flow::Order::kTime;
    wanted.kept_steps = MarkStream::kMostClockSteps;
  }
  wanted.warm_up = std::move(begin);
  wanted.one_offset = true;
  return wanted;
}

MarkStream::MarkStream(std::unique_ptr<Interpreter> interpreter, MarkStreamOptions options,
                       SinkFor sink_for)
    : interpreter_(std::move(interpreter)),
      sink_for_(std::move(sink_for)),
      begin_(std::make_shared<std::optional<Nanoseconds>>()),
      selection_(from_the_first_event(std::move(options.selection), options.keeps_order, begin_)) {}

Result<std::unique_ptr<MarkStream>> MarkStream::make(MarkStreamOptions options, SinkFor sink_for) {
  auto interpreter = Interpreter::make({.tables = std::move(options.tables),
                                        .all_flows = options.all_flows,
                                        .in_order = !options.keeps_order,
                                        .relates = std::move(options.relates),
                                        .name_of_trace = std::move(options.name_of_trace)});
  if (!interpreter) return std::unexpected(interpreter.error());
  return std::unique_ptr<MarkStream>(
      new MarkStream(*std::move(interpreter), std::move(options), std::move(sink_for)));
}

MarkSink& MarkStream::sink(const Batch* batch) {
  if (sink_ == nullptr) {
    MarksAhead ahead{.timeline = interpreter_->timeline()};
    if (batch != nullptr) {
      ahead.format = format_of(*batch);
      if (const auto first = first_time_in(*batch)) ahead.timeline.choose_base(*first);
    }
    ahead.begin = begin();
    sink_ = &sink_for_(ahead);
  }
  return *sink_;
}

std::optional<std::int64_t> MarkStream::begin() const {
  return *begin_ ? std::optional(timeline().time_of(**begin_)) : std::nullopt;
}

Result<void> MarkStream::add(const BatchPtr& batch) {
  MarkSink& taker = sink(batch.get());
  if (*begin_) {
    count_before(*batch, **begin_);
    interpreter_->count_from(*begin());
  }
  return interpreter_->add(batch, taker);
}

// Events without a time are where the one with a time before them is.
void MarkStream::count_before(const Batch& batch, const Nanoseconds& begin) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    if (record.event.event_class->has_real_time()) is_before_ = record.event.began_at() < begin;
    if (is_before_) ++events_before_;
  }
}

Result<void> MarkStream::finish() { return interpreter_->finish(sink(nullptr)); }

}  // namespace tracedeck::timeline
