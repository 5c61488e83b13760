#include "cli/drawing.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/output_options.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck::cli {
namespace {

// What is said of a whole trace in its picture.
std::vector<exporting::TraceAttribute> attributes_of(const Options& options,
                                                     const timeline::Timeline& timeline) {
  std::vector<exporting::TraceAttribute> attributes;
  for (std::size_t i = 0; i < options.operands.size(); ++i)
    attributes.push_back({fmt::format("tracedeck.input.{}", i), options.operands[i]});
  const timeline::TimelineCounts& counts = timeline.counts();
  attributes.push_back({"tracedeck.tables", fmt::format("{}", fmt::join(timeline.tables(), ", "))});
  attributes.push_back({"tracedeck.lost_events", static_cast<std::int64_t>(counts.lost_events)});
  attributes.push_back({"tracedeck.gaps", static_cast<std::int64_t>(counts.gaps)});
  attributes.push_back(
      {"tracedeck.unmatched_ends", static_cast<std::int64_t>(counts.unmatched_ends)});
  return attributes;
}

// What the interpretation itself could not place.
void append_counts(Receipt& receipt, const timeline::TimelineCounts& counts) {
  const auto append = [&](std::uint64_t count, std::string what, std::string done, bool lossy) {
    if (count != 0)
      receipt.push_back(
          {.what = std::move(what), .done = std::move(done), .count = count, .lossy = lossy});
  };
  append(counts.without_time, "event without a time", "left out", true);
  append(counts.without_lane, "slice beyond 256 at a time on one track", "left out", true);
  append(counts.not_held, "begin beyond what memory holds", "left out", true);
  append(counts.without_field, "event that lacks a field of its rule", "left out", true);
  append(counts.overlaps, "slice that overlaps another on its track", "on a lane of its own",
         false);
  append(counts.inferred_ends, "slice without an end of its own", "ended where the next begins",
         false);
  append(counts.unmatched_ends, "end without a begin", "shown as an instant", false);
  append(counts.clock_steps, "time earlier than the last on its track", "clamped to that", false);
}

// Marks that go nowhere: only what was applied is wanted.
class NoMarks final : public timeline::MarkSink {
 public:
  Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark>) override {
    return {};
  }
  Result<void> finish(const timeline::Timeline&) override { return {}; }
};

}  // namespace

void explain(const Options& options, Session& session) {
  NoMarks none;
  const Interpreted read =
      interpret(options, session, [&](const MarksAhead&) -> timeline::MarkSink& { return none; });
  if (read.interpreter != nullptr) print(session, read.interpreter->explain());
}

std::optional<ConversionReport> draw(const Options& options, Session& session,
                                     const OpenDrawing& open) {
  const OutputKind& kind = *find_output(options.to);
  io::Output* const output = open();
  if (output == nullptr) return std::nullopt;
  std::unique_ptr<exporting::Exporter> exporter;
  std::optional<timeline::MarkWindow> window;
  const Interpreted read = interpret(
      options, session,
      [&](const MarksAhead& ahead) -> timeline::MarkSink& {
        OutputSettings settings = output_settings(options);
        settings.attributes = [&options, &line = ahead.timeline] {
          return attributes_of(options, line);
        };
        settings.source_format = ahead.format;
        exporter = kind.draw(*output, settings);
        window.emplace(*exporter);
        if (ahead.begin) window->begin_at(*ahead.begin);
        return *window;
      },
      kind.names_addresses ? flow::Needs::Symbols::kAll : flow::Needs::Symbols::kNone);
  if (read.interpreter == nullptr || exporter == nullptr || read.cut_short) return std::nullopt;
  const timeline::Timeline& timeline = read.interpreter->timeline();
  ConversionReport report{.inputs = options.operands,
                          .output = options.out,
                          .to = options.to,
                          .events = timeline.counts().events,
                          .receipt = exporter->receipt()};
  append_counts(report.receipt, timeline.counts());
  return report;
}

}  // namespace tracedeck::cli
