#include "cli/time_lines.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/clock_sentences.hpp"
#include "tracedeck/flow/order_watch.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::cli {

timeline::MarkStreamOptions mark_options(const Options& options) {
  return {.tables = options.tables,
          .all_flows = options.all_flows,
          .selection = options.selection,
          .keeps_order = options.order_given && options.selection.order != flow::Order::kTime};
}

namespace {

// Marks that go nowhere: only what was applied is wanted.
class NoMarks final : public timeline::MarkSink {
 public:
  Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark>) override {
    return {};
  }
  Result<void> finish(const timeline::Timeline&) override { return {}; }
};

}  // namespace

void report_notices(Session& session, const timeline::Interpreter& interpreter) {
  for (const std::string& sentence : interpreter.notices()) session.diagnostics.note(sentence);
}

Interpreted interpret(const Options& options, Session& session, const SinkFor& sink_for,
                      flow::Needs::Symbols symbols, const SeeEvents& see,
                      const std::function<void(OpenPipeline& pipeline)>& opened_to) {
  std::string format;
  const flow::Pipeline* opened = nullptr;
  timeline::MarkStreamOptions marks = mark_options(options);
  marks.relates = [&opened](std::uint64_t one, std::uint64_t other) {
    return opened != nullptr && opened->share_clock(one, other);
  };
  marks.name_of_trace = [&opened](const TraceDescription& trace) {
    return opened == nullptr ? std::string() : opened->name_of(trace);
  };
  auto stream = timeline::MarkStream::make(std::move(marks),
                                           [&](const MarksAhead& ahead) -> timeline::MarkSink& {
                                             format = ahead.format;
                                             return sink_for(ahead);
                                           });
  if (!stream) {
    session.report(stream.error());
    return {};
  }
  Options reading = options;
  reading.selection = (*stream)->selection();
  OpenPipeline pipeline(reading, session, timeline::MarkStream::needs(symbols));
  if (pipeline.empty()) {
    const bool cut_short = session.stop.stop_requested();
    if (cut_short) session.cut_short();
    return {.cut_short = cut_short};
  }
  opened = &*pipeline;
  if (opened_to) opened_to(pipeline);
  Interpreted result{.stream = *std::move(stream)};
  Notices notices(session, options,
                  {.lines_per_rule = NoticePolicy::kFewLines, .silent = options.again});
  // Files are sorted.
  flow::OrderWatch arrival;
  Result<void> taken;
  while (taken) {
    auto batch = pipeline->next();
    if (!batch) session.report(batch.error());
    if (!batch || *batch == nullptr) break;
    if (!result.stream->has_begun()) result.stream->expect_hosts_of(pipeline->descriptions());
    if (pipeline->live()) arrival.see(**batch);
    taken = result.stream->add(*batch);
    for (const Record* const other : result.stream->interpreter().others()) notices.see(*other);
    if (see) see(result.stream->timeline(), **batch);
  }
  if (taken) taken = result.stream->finish();
  session.diagnostics.progress().erase();
  // What comes live ends when the user says so.
  result.cut_short = session.stop.stop_requested() && !pipeline->live();
  opened = nullptr;
  pipeline.close();
  notices.finish();
  if (result.cut_short) session.cut_short();
  if (!session.delivered(taken)) return result;
  result.interpreter = &result.stream->interpreter();
  if (options.again) return result;
  report_notices(session, *result.interpreter);
  if (const std::uint64_t late = arrival.steps_back(); late != 0)
    session.diagnostics.note(render::say<"notice/live-steps-back">(late));
  const timeline::Timeline& timeline = result.stream->timeline();
  const std::string& first = timeline.first_trace();
  if (const auto& others = timeline.unrelated_traces(); !others.empty())
    report_unrelated(options, session, unrelated_clocks(first, others, format));
  if (const auto& others = timeline.traces_of_other_hosts(); !others.empty())
    session.diagnostics.note(other_hosts(first, others));
  return result;
}

void explain(const Options& options, Session& session) {
  NoMarks none;
  const Interpreted read =
      interpret(options, session, [&](const MarksAhead&) -> timeline::MarkSink& { return none; });
  if (read.interpreter != nullptr) print(session, read.interpreter->explain());
}

void report_unknown(Session& session, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) session.diagnostics.error(sentence);
  session.outcome.note(ExitCode::kUsage);
}

void check_requirements(
    const Options& options, Session& session,
    const std::function<timeline::Requirement::Verdict(const timeline::Requirement& requirement)>&
        check) {
  for (const timeline::Requirement& requirement : options.requirements) {
    const timeline::Requirement::Verdict verdict = check(requirement);
    if (verdict.holds) continue;
    session.diagnostics.error(
        fmt::format("{} does not hold: {}", requirement.text(), verdict.reason));
    session.outcome.note(ExitCode::kNegative);
  }
}

}  // namespace tracedeck::cli
