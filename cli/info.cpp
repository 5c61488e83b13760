#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/render/summary.hpp"

namespace tracedeck::cli {
namespace {

// What is known of the process that recorded it.
FileOrigin origin_of(const flow::TracePlace& place) {
  const bool is_unseen = !place.live && !place.is_directory() && !place.has_core_files() &&
                         place.origin.metadata.empty() && place.reopens();
  return is_unseen ? find_file_part(place.operand).origin : place.origin;
}

// What one trace is; nullopt when it cannot be opened or is rejected, which is reported.
std::optional<flow::TraceSummary> summarize(const Options& options, Session& session,
                                            Result<std::unique_ptr<flow::SingleTrace>> trace) {
  if (!trace) {
    session.report(trace.error());
    return std::nullopt;
  }
  const Reader& reader = (*trace)->reader();
  flow::Summarizer summarizer(reader.description());
  // What it says of findings is in the result too.
  Notices notices(session, options,
                  {.lines_per_rule = NoticePolicy::kFewLines,
                   .silent = options.quiet,
                   .trace = reader.description()->input()});
  std::optional<flow::RecordingSurvey> survey;
  if (options.quality) survey.emplace(true);
  const bool is_surveyed =
      options.quality && flow::RecordingSurvey::is_about(reader.description()->format());
  const auto read = read_through(**trace, [&](const Batch& batch) {
    summarizer.add(batch);
    if (is_surveyed) survey->see(batch);
    notices.see(batch);
    return true;
  });
  if (!read) session.report(read.error());
  notices.finish();
  const auto stored_size = reader.stored_size();
  const auto size = reader.bytes_read();
  const auto utc = (*trace)->trace().utc();
  // What was needed to read the trace may be as much as its description.
  trace->reset();
  flow::TraceSummary summary = summarizer.finish();
  const bool is_rejected = !read && exit_code_of(read.error()) == ExitCode::kNoTrace;
  if (is_rejected && summary.events == 0 && summary.classes.empty()) return std::nullopt;
  summary.stored_size = stored_size;
  summary.size = size;
  summary.utc = utc;
  if (survey)
    summary.quality = survey->finish(summary.losses.places != 0 || summary.problems.count != 0);
  return summary;
}

}  // namespace

void run_info(const Options& options, Session& session) {
  bool first = true;
  flow::Needs needs{.findings = true};
  if (options.quality) {
    needs.values = true;
    needs.symbols = flow::Needs::Symbols::kAll;
  }
  for_each_trace(options, session, needs, [&](const auto& place, auto trace) {
    auto summary = summarize(options, session, std::move(trace));
    if (!summary) return true;
    if (place.parts().size() > 1) summary->parts = place.parts();
    summary->parts_are_files = !place.is_directory();
    summary->notices = place.notices;
    summary->recorder = origin_of(place).metadata;
    if (!first && !options.json && !print(session, "\n")) return false;
    first = false;
    session.diagnostics.progress().erase();
    TextBuffer text(&session.out);
    if (options.json) {
      render::append_summary_json(text, *summary);
    } else {
      render::append_summary_text(text, *summary);
    }
    if (!session.delivered(text.drain())) return false;
    // The next one may be long in coming.
    return !place.live || session.delivered(session.out.flush());
  });
  report_interrupt(options, session);
}

}  // namespace tracedeck::cli
