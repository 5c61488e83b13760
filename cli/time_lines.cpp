#include "cli/time_lines.hpp"

#include <utility>

#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::cli {

Interpreted interpret(const Options& options, Session& session, timeline::MarkSink& sink,
                      const std::function<void(std::int64_t)>& begin_at) {
  auto interpreter = timeline::Interpreter::make({.tables = options.tables});
  if (!interpreter) {
    session.report(interpreter.error());
    return {};
  }
  Options reading = options;
  if (!options.order_given) reading.selection.order = flow::Order::kTime;
  const auto warm_up = std::make_shared<std::optional<Nanoseconds>>();
  reading.selection.warm_up = warm_up;
  OpenPipeline pipeline(
      reading, session,
      {.values = true, .names = true, .findings = true, .symbols = flow::Needs::Symbols::kNone});
  if (pipeline.empty()) return {};
  if (*warm_up) begin_at(timeline::saturated(**warm_up));
  Interpreted result{*std::move(interpreter), 0};
  Notices notices(session, options, {.lines_per_rule = NoticePolicy::kFewLines});
  Result<void> taken;
  for (;;) {
    auto batch = pipeline->next();
    if (!batch) {
      session.report(batch.error());
      break;
    }
    if (*batch == nullptr) break;
    notices.see(**batch);
    for (const Record& record : (*batch)->records())
      result.events += record.kind == RecordKind::kEvent ? 1 : 0;
    taken = result.interpreter->add(*batch, sink);
    if (!taken) break;
  }
  if (taken) taken = result.interpreter->finish(sink);
  session.diagnostics.progress().erase();
  // What comes live ends when the user says so.
  const bool live = pipeline->live();
  pipeline.close();
  notices.finish();
  if (!session.delivered(taken)) result.interpreter = nullptr;
  if (session.stop.stop_requested() && !live) session.cut_short();
  if (result.interpreter != nullptr) {
    for (const std::string& sentence : result.interpreter->notices())
      session.diagnostics.note(sentence);
  }
  return result;
}

}  // namespace tracedeck::cli
