#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/babeltrace_habits.hpp"
#include "cli/commands.hpp"
#include "cli/events_out.hpp"
#include "cli/output_options.hpp"
#include "cli/traces.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/render/babeltrace_paint.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/text/terminal_output.hpp"

namespace tracedeck::cli {
namespace {

// Somebody may be waiting at the other end of a pipe or before a terminal, nobody in a file.
bool somebody_waits() {
  struct stat status{};
  return ::fstat(STDOUT_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

// The pipeline must outlive what is made with these.
render::BabeltraceOptions babeltrace_options(const Options& options, Session& session,
                                             flow::Pipeline& pipeline) {
  render::BabeltraceOptions as = output_settings(options).babeltrace;
  // That program colours only when both of its outputs are terminals.
  const bool both = options.color == ColorMode::kAlways || ::isatty(STDERR_FILENO) == 1;
  as.color = session.color && both;
  as.path_of = [&pipeline](const TraceDescription& trace) {
    return pipeline.path_below_operand(trace);
  };
  as.say = [&session, shows = somebody_waits()](std::string_view text) {
    if (!shows || session.delivered(session.out.flush())) session.diagnostics.quote(text);
  };
  return as;
}

// Forms whose text is prescribed are made safe only on a terminal; text and JSON always are.
std::unique_ptr<io::Output> safe_output(const Options& options, Session& session) {
  const bool is_csv = options.output == "csv";
  const bool is_prescribed = is_csv || options.output == "babeltrace2";
  if (!is_prescribed || ::isatty(STDOUT_FILENO) != 1) return nullptr;
  if (is_csv || !session.color) return terminal_output(session.out);
  return terminal_output(session.out, render::BabeltracePalette::kSequences);
}

// Makes bounds of `--timerange`. Returns what is wrong with it, or "".
std::string take_time_range(Options& options) {
  if (options.time_range.empty()) return {};
  flow::Selection& selection = options.selection;
  if (selection.begin || selection.end)
    return "option '--timerange' excludes '--begin' and '--end'";
  const auto range = parse_babeltrace_range(options.time_range, options.clock_gmt);
  if (!range) return fmt::format("option '--timerange': {}", range.error());
  selection.begin = range->first;
  selection.end = range->second;
  return {};
}

}  // namespace

std::string check_print(Options& options) {
  if (options.selection.tail && options.selection.limit)
    return "options '--limit' and '--tail' exclude each other";
  const bool live = options.follow || std::ranges::any_of(options.operands, io::is_live_address);
  if (options.selection.tail && live)
    return "option '--tail' needs TRACEs that end, and these come live";
  options.selection.nominal_last = options.selection.order == flow::Order::kTime;
  std::string wrong = check_output_options(options, *find_output(options.output), "--output");
  return wrong.empty() ? take_time_range(options) : wrong;
}

void run_print(const Options& options, Session& session) {
  const OpenPipeline pipeline(options, session,
                              {.values = true,
                               .findings = !options.quiet || options.all_records,
                               .symbols = options.output == "text" ? flow::Needs::Symbols::kCheap
                                                                   : flow::Needs::Symbols::kNone});
  if (pipeline.empty()) return report_interrupt(options, session);
  OutputSettings settings = output_settings(options);
  settings.color = session.color;
  settings.receipt = false;
  // CSV has its columns before the first event.
  settings.trace_names =
      options.output == "csv" ? pipeline->trace_names() : pipeline.trace_names_as_they_come();
  settings.babeltrace = babeltrace_options(options, session, *pipeline);
  const std::unique_ptr<io::Output> safe = safe_output(options, session);
  const auto writer =
      create_writer(*find_output(options.output), safe == nullptr ? session.out : *safe, settings);
  if (!writer) return session.report(writer.error());
  Notices notices(session, options);
  notices.relate_by(
      [&](std::uint64_t one, std::uint64_t other) { return pipeline->share_clock(one, other); });
  if (options.selection.order != flow::Order::kTime && !pipeline->live())
    notices.count_steps_back();
  const EventsWritten written = write_events({.source = *pipeline,
                                              .writer = **writer,
                                              .output = session.out,
                                              .notices = notices,
                                              .show_at_once = !pipeline->live() && somebody_waits(),
                                              .ready = pauses_of(*pipeline)},
                                             session);
  if (safe != nullptr && !session.delivered(safe->finish())) return;
  if (written.complete && !session.delivered(session.out.flush())) return;
  report_interrupt(options, session);
  // What babeltrace2 does not say, nobody who takes us for it wants to hear.
  const bool as_babeltrace = options.output == "babeltrace2";
  if (!as_babeltrace || options.verbose) notices.finish();
  for (const ReceiptEntry& entry : (*writer)->receipt()) {
    if (entry.what == render::kLargeNumbers)
      session.diagnostics.note(fmt::format("{} ({}) are {}", entry.what, entry.count, entry.done));
  }
}

}  // namespace tracedeck::cli
