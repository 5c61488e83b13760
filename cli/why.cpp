#include "tracedeck/timeline/why.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"

namespace tracedeck::cli {
namespace {

// Sentences about no slice that is meant.
std::string nothing_found(const Options& options) {
  if (options.why_at) return "nothing that lasted is known at that time";
  const std::string name = options.why_slice.empty() ? options.why_longest : options.why_slice;
  return options.why_rank > 1
             ? fmt::format(
                   "there are not {} slices or waits called '{}' with a known duration; "
                   "'tracedeck latency' lists all names",
                   options.why_rank, name)
             : fmt::format(
                   "no slice or wait called '{}' has a known duration; 'tracedeck latency' "
                   "lists all names",
                   name);
}

}  // namespace

std::string check_why(Options& options) {
  const int questions = (options.why_longest.empty() ? 0 : 1) +
                        (options.why_slice.empty() ? 0 : 1) + (options.why_at ? 1 : 0);
  if (questions != 1)
    return "needs one of --longest NAME, --slice NAME (with --rank N), and --at T";
  if (options.why_rank != 1 && options.why_slice.empty())
    return "option '--rank' goes with --slice";
  for (const std::string& operand : options.operands) {
    if (operand == "-") return "reads its TRACEs twice, and standard input can be read once";
  }
  return {};
}

void run_why(const Options& options, Session& session) {
  auto finder = timeline::SliceFinder::make(
      {.name = options.why_slice.empty() ? options.why_longest : options.why_slice,
       .rank = options.why_rank,
       .track = options.why_track});
  if (!finder) return session.report(finder.error());
  // Times are resolved as those of --begin are.
  Options first = options;
  if (options.why_at) first.selection.begin = options.why_at;
  const Interpreted found =
      interpret(first, session, [&](const MarksAhead& ahead) -> timeline::MarkSink& {
        if (options.why_at) finder->look_at(ahead.begin);
        return *finder;
      });
  if (found.interpreter == nullptr || found.cut_short) return;
  const auto slice = finder->found();
  if (!slice) return session.diagnostics.note(nothing_found(options));
  timeline::SliceWitness witness(*slice);
  Options again = options;
  again.quiet = true;
  const Interpreted seen = interpret(
      again, session, [&](const MarksAhead&) -> timeline::MarkSink& { return witness; },
      flow::Needs::Symbols::kAll);
  if (seen.interpreter == nullptr || seen.cut_short) return;
  const timeline::Timeline& timeline = seen.interpreter->timeline();
  print(session, options.json
                     ? timeline::why_json(witness.evidence(), timeline, finder->durations())
                     : timeline::why_text(witness.evidence(), timeline, finder->durations()));
}

}  // namespace tracedeck::cli
