#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/render/statistics.hpp"

namespace tracedeck::cli {

void run_stats(const Options& options, Session& session) {
  // Counting needs no order: one TRACE after the other takes the least memory.
  Options in_turn = options;
  in_turn.selection.order = flow::Order::kRecorded;
  const OpenPipeline pipeline(in_turn, session, {.values = true, .findings = true});
  if (pipeline.empty()) return report_interrupt(options, session);
  flow::StatisticsCollector collector;
  Notices notices(session, options, {.lines_per_rule = NoticePolicy::kFewLines});
  const auto read = read_through(*pipeline, [&](const Batch& batch) {
    collector.add(batch);
    notices.see(batch);
    return true;
  });
  if (!read) session.report(read.error());
  notices.finish();
  const flow::TraceStatistics statistics = collector.finish();
  session.diagnostics.progress().erase();
  TextBuffer out(&session.out);
  if (options.json) {
    render::append_statistics_json(out, statistics);
  } else {
    render::append_statistics_text(out, statistics);
  }
  session.delivered(out.drain());
  report_interrupt(options, session);
}

}  // namespace tracedeck::cli
