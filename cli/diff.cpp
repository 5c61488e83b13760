#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/timeline/comparison.hpp"
#include "tracedeck/timeline/comparison_report.hpp"

namespace tracedeck::cli {
namespace {

// One of the two traces, read.
struct ReadTrace {
  std::unique_ptr<timeline::ComparedTrace> compared = {};
  std::unique_ptr<timeline::MarkStream> stream = {};
};

// Nothing: it could not be read to its end, which was reported.
std::optional<ReadTrace> read_trace(const Options& options, Session& session,
                                    const std::string& operand) {
  auto made =
      timeline::ComparedTrace::make({.where = options.slices_where, .by = options.slices_by});
  if (!made) {
    session.report(made.error());
    return std::nullopt;
  }
  ReadTrace read{.compared = *std::move(made)};
  Options alone = options;
  alone.operands = {operand};
  Interpreted interpreted = interpret(
      alone, session,
      [&](const MarksAhead& ahead) -> timeline::MarkSink& {
        if (ahead.begin) read.compared->begin_at(*ahead.begin);
        return *read.compared;
      },
      flow::Needs::Symbols::kNone,
      [&](const timeline::Timeline& timeline, const Batch& batch) {
        read.compared->see(timeline, batch);
      });
  if (interpreted.cut_short) report_no_answer(session);
  if (interpreted.interpreter == nullptr || interpreted.cut_short) return std::nullopt;
  read.stream = std::move(interpreted.stream);
  return read;
}

}  // namespace

std::string check_diff(Options& options) {
  if (options.operands.size() != 2) return "takes two TRACEs, A and B";
  if (std::ranges::any_of(options.operands, io::is_live_address))
    return "compares what was recorded, and a live TRACE has no end";
  return {};
}

void run_diff(const Options& options, Session& session) {
  const std::string& name_a = options.operands[0];
  const std::string& name_b = options.operands[1];
  const auto a = read_trace(options, session, name_a);
  if (!a) return;
  const auto b = read_trace(options, session, name_b);
  if (!b) return;
  if (options.explain) {
    std::vector<std::string> tables = a->stream->interpreter().explained();
    std::ranges::move(b->stream->interpreter().explained(), std::back_inserter(tables));
    print(session, timeline::join_tables(tables));
    return;
  }
  // What one of them has is enough.
  std::vector<std::string> unknown = a->compared->unknown_arguments();
  const std::vector<std::string> also = b->compared->unknown_arguments();
  std::erase_if(unknown, [&](const std::string& each) {
    return std::ranges::find(also, each) == also.end();
  });
  if (!unknown.empty()) return report_unknown(session, unknown);
  const timeline::Comparison comparison(*a->compared, *b->compared);
  const timeline::ReportedTrace shown_a{.name = name_a, .timeline = a->stream->timeline()};
  const timeline::ReportedTrace shown_b{.name = name_b, .timeline = b->stream->timeline()};
  constexpr std::size_t kUsualRows = 20;
  const std::size_t top = options.top.value_or(options.json ? 0 : kUsualRows);
  print(session, options.json ? timeline::comparison_json(comparison, shown_a, shown_b, top)
                              : timeline::comparison_text(comparison, shown_a, shown_b, top));
  check_requirements(options, session, [&](const timeline::Requirement& requirement) {
    return requirement.check(comparison);
  });
}

}  // namespace tracedeck::cli
