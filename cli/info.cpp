#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/read_through.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/render/summary.hpp"

namespace tracedeck::cli {
namespace {

// What one trace is; nullopt when it cannot be opened, which was reported then.
std::optional<flow::TraceSummary> summarize(const Options& options, Session& session,
                                            const TracePlace& place) {
  auto reader = open_reader(options, place, {.values = false}, session.stop);
  if (!reader) {
    session.report(reader.error());
    return std::nullopt;
  }
  flow::Summarizer summarizer((*reader)->description());
  Notices notices(session, options);
  const auto read = read_through(**reader, session, [&](const Batch& batch) {
    summarizer.add(batch);
    notices.see(batch);
    return true;
  });
  if (!read) session.report(read.error());
  notices.finish();
  flow::TraceSummary summary = summarizer.finish();
  summary.stored_size = (*reader)->stored_size();
  summary.size = (*reader)->bytes_read();
  return summary;
}

}  // namespace

void run_info(const Options& options, Session& session) {
  bool first = true;
  for (const TracePlace& place : list_traces(options, session.stop)) {
    const auto summary = summarize(options, session, place);
    if (!summary) continue;
    if (!first && !options.json && !print(session, "\n")) return;
    first = false;
    if (!print(session,
               options.json ? render::summary_json(*summary) : render::summary_text(*summary)))
      return;
  }
}

}  // namespace tracedeck::cli
