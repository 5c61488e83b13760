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

}  // namespace

MarkStream::MarkStream(std::unique_ptr<Interpreter> interpreter, MarkStreamOptions options,
                       SinkFor sink_for)
    : interpreter_(std::move(interpreter)),
      sink_for_(std::move(sink_for)),
      selection_(std::move(options.selection)),
      begin_(std::make_shared<std::optional<Nanoseconds>>()) {
  if (!options.keeps_order) selection_.order = flow::Order::kTime;
  selection_.warm_up = begin_;
}

Result<std::unique_ptr<MarkStream>> MarkStream::make(MarkStreamOptions options, SinkFor sink_for) {
  auto interpreter =
      Interpreter::make({.tables = std::move(options.tables), .all_flows = options.all_flows});
  if (!interpreter) return std::unexpected(interpreter.error());
  return std::unique_ptr<MarkStream>(
      new MarkStream(*std::move(interpreter), std::move(options), std::move(sink_for)));
}

MarkSink& MarkStream::sink(const Batch* batch) {
  if (sink_ == nullptr) {
    MarksAhead ahead{.timeline = interpreter_->timeline()};
    if (batch != nullptr) ahead.format = format_of(*batch);
    if (*begin_) ahead.begin = saturated(**begin_);
    sink_ = &sink_for_(ahead);
  }
  return *sink_;
}

Result<void> MarkStream::add(const BatchPtr& batch) {
  return interpreter_->add(batch, sink(batch.get()));
}

Result<void> MarkStream::finish() { return interpreter_->finish(sink(nullptr)); }

}  // namespace tracedeck::timeline
