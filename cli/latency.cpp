#include "tracedeck/timeline/latency.hpp"

#include <optional>

#include "cli/commands.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/flow/recording_survey.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::cli {

void run_latency(const Options& options, Session& session) {
  auto made = timeline::Latency::make({.where = options.slices_where, .by = options.slices_by});
  if (!made) return session.report(made.error());
  timeline::Latency& latency = **made;
  timeline::LatencyReportOptions report;
  std::optional<flow::RecordingSurvey> survey;
  const Interpreted read = interpret(
      options, session,
      [&](const MarksAhead& ahead) -> timeline::MarkSink& {
        report.begin = ahead.begin;
        if (ahead.begin) latency.begin_at(*ahead.begin);
        return latency;
      },
      flow::Needs::Symbols::kNone,
      [&](const timeline::Timeline&, const Batch& batch) {
        if (survey) survey->see(batch);
      },
      [&](OpenPipeline& pipeline) {
        survey = flow::RecordingSurvey::of(pipeline->descriptions());
      });
  if (read.interpreter == nullptr) return report_interrupt(options, session);
  if (options.explain) {
    print(session, read.interpreter->explain());
    return;
  }
  if (const auto unknown = latency.unknown_arguments(); !unknown.empty())
    return report_unknown(session, unknown);
  for (const std::string& sentence : latency.notices()) session.diagnostics.note(sentence);
  constexpr std::size_t kUsualRows = 20;
  report.top = options.top.value_or(options.json ? 0 : kUsualRows);
  if (survey) report.quality = survey->finish(read.interpreter->timeline().counts().has_losses());
  report.events_before = read.stream->events_before();
  const timeline::Timeline& timeline = read.interpreter->timeline();
  print(session, options.json ? timeline::latency_json(latency, timeline, report)
                              : timeline::latency_text(latency, timeline, report));
  report_interrupt(options, session);
  check_requirements(options, session, [&](const timeline::Requirement& requirement) {
    return requirement.check(latency, timeline.counts());
  });
}

}  // namespace tracedeck::cli
