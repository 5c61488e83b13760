#include "cli/time_lines.hpp"

#include <utility>

#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::cli {
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

// What is to be read: what lies before --begin too, whose time is put into `begin`.
Options reading_options(const Options& options,
                        const std::shared_ptr<std::optional<Nanoseconds>>& begin) {
  Options reading = options;
  if (!options.order_given) reading.selection.order = flow::Order::kTime;
  reading.selection.warm_up = begin;
  return reading;
}

}  // namespace

Interpreted interpret(const Options& options, Session& session, const SinkFor& sink_for,
                      flow::Needs::Symbols symbols) {
  auto interpreter =
      timeline::Interpreter::make({.tables = options.tables, .all_flows = options.all_flows});
  if (!interpreter) {
    session.report(interpreter.error());
    return {};
  }
  const auto begin = std::make_shared<std::optional<Nanoseconds>>();
  const Options reading = reading_options(options, begin);
  OpenPipeline pipeline(reading, session,
                        {.values = true, .names = true, .findings = true, .symbols = symbols});
  if (pipeline.empty()) return {};
  Interpreted result{.interpreter = *std::move(interpreter)};
  timeline::MarkSink* sink = nullptr;
  const auto open_sink = [&](std::string format) {
    MarksAhead ahead{.format = std::move(format), .timeline = result.interpreter->timeline()};
    if (*begin) ahead.begin = timeline::saturated(**begin);
    sink = &sink_for(ahead);
  };
  Notices notices(session, options, {.lines_per_rule = NoticePolicy::kFewLines});
  Result<void> taken;
  while (taken) {
    auto batch = pipeline->next();
    if (!batch) session.report(batch.error());
    if (!batch || *batch == nullptr) break;
    notices.see(**batch);
    if (sink == nullptr) open_sink(format_of(**batch));
    taken = result.interpreter->add(*batch, *sink);
  }
  if (sink == nullptr) open_sink({});
  if (taken) taken = result.interpreter->finish(*sink);
  session.diagnostics.progress().erase();
  // What comes live ends when the user says so.
  result.cut_short = session.stop.stop_requested() && !pipeline->live();
  pipeline.close();
  notices.finish();
  if (result.cut_short) session.cut_short();
  if (!session.delivered(taken)) result.interpreter = nullptr;
  if (result.interpreter == nullptr) return result;
  for (const std::string& sentence : result.interpreter->notices())
    session.diagnostics.note(sentence);
  return result;
}

}  // namespace tracedeck::cli
