#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "cli/commands.hpp"
#include "cli/events_out.hpp"
#include "cli/traces.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/text.hpp"

namespace tracedeck::cli {
namespace {

// Somebody may be waiting at the other end of a pipe or before a terminal, nobody in a file.
bool somebody_waits() {
  struct stat status{};
  return ::fstat(STDOUT_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

std::unique_ptr<Writer> babeltrace_renderer(const Options& options, Session& session,
                                            flow::Pipeline& pipeline) {
  render::BabeltraceOptions as{.clock_gmt = options.clock_gmt,
                               .clock_seconds = options.clock_seconds,
                               .clock_cycles = options.clock_cycles,
                               .clock_date = options.clock_date,
                               .no_delta = options.no_delta};
  // That program colours only when both of its outputs are terminals.
  const bool both = options.color == ColorMode::kAlways || ::isatty(STDERR_FILENO) == 1;
  as.color = session.color && both;
  as.path_of = [&pipeline](const TraceDescription& trace) {
    return pipeline.path_below_operand(trace);
  };
  if (pipeline.reads_whole_ctf1()) as.read_again = [&pipeline] { return pipeline.sources_again(); };
  as.say = [&session, shows = somebody_waits()](std::string_view text) {
    if (!shows || session.delivered(session.out.flush())) session.diagnostics.quote(text);
  };
  return render::babeltrace_writer(session.out, std::move(as));
}

// The pipeline must outlive the renderer.
std::unique_ptr<Writer> renderer(const Options& options, Session& session,
                                 flow::Pipeline& pipeline) {
  switch (options.output) {
    case OutputForm::kJsonLines:
      return render::json_lines_writer(session.out, {.all_records = options.all_records});
    case OutputForm::kCsv:
      return render::csv_writer(session.out, {.all_records = options.all_records});
    case OutputForm::kBabeltrace2:
      return babeltrace_renderer(options, session, pipeline);
    case OutputForm::kText:
      break;
  }
  return render::text_writer(session.out,
                             {.color = session.color, .all_records = options.all_records});
}

}  // namespace

std::string check_print(const Options& options) {
  if (options.output == OutputForm::kBabeltrace2) {
    return options.all_records ? "option '--records all' does not go with '--output babeltrace2'"
                               : "";
  }
  const std::pair<bool, std::string_view> its_own[] = {{options.clock_gmt, "--clock-gmt"},
                                                       {options.clock_seconds, "--clock-seconds"},
                                                       {options.clock_cycles, "--clock-cycles"},
                                                       {options.clock_date, "--clock-date"},
                                                       {options.no_delta, "--no-delta"}};
  for (const auto& [given, name] : its_own) {
    if (given) return fmt::format("option '{}' goes with '--output babeltrace2' only", name);
  }
  return {};
}

void run_print(const Options& options, Session& session) {
  const OpenPipeline pipeline(options, session,
                              {.values = true, .findings = !options.quiet || options.all_records});
  if (pipeline.empty()) return;
  const auto writer = renderer(options, session, *pipeline);
  Notices notices(session, options);
  if (options.selection.order != flow::Order::kTime && !pipeline->live())
    notices.count_steps_back();
  const EventsWritten written = write_events({.source = *pipeline,
                                              .writer = *writer,
                                              .output = session.out,
                                              .notices = notices,
                                              .show_at_once = !pipeline->live() && somebody_waits(),
                                              .ready = pipeline.pauses()},
                                             session);
  if (written.complete && !session.delivered(session.out.flush())) return;
  // What babeltrace2 does not say, nobody who takes us for it wants to hear.
  const bool as_babeltrace = options.output == OutputForm::kBabeltrace2;
  if (!as_babeltrace || options.verbose) notices.finish();
}

}  // namespace tracedeck::cli
