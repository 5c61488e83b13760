#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/pipeline.hpp"
#include "cli/read_through.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/render/statistics.hpp"

namespace tracedeck::cli {

void run_stats(const Options& options, Session& session) {
  // Counting needs no order: one TRACE after the other takes the least memory.
  Options in_turn = options;
  in_turn.order = Order::kRecorded;
  const auto pipeline = Pipeline::open(in_turn, session, {});
  if (pipeline == nullptr) return;
  flow::StatisticsCollector collector;
  Notices notices(session, options);
  for (;;) {
    const auto batch = pipeline->next();
    if (!batch) session.report(batch.error());
    if (!batch || *batch == nullptr) break;
    collector.add(**batch);
    notices.see(**batch);
  }
  notices.finish();
  const flow::TraceStatistics statistics = collector.finish();
  print(session,
        options.json ? render::statistics_json(statistics) : render::statistics_text(statistics));
}

}  // namespace tracedeck::cli
