#include "cli/session_host.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/events_out.hpp"
#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/receipt.hpp"
#include "cli/split.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {
namespace {

// Options that change what is written of a trace. Tags say where it is from, and are not among
// them.
constexpr auto kChanging = std::to_array<std::string_view>({"begin",
                                                            "end",
                                                            "stream-intersection",
                                                            "where",
                                                            "limit",
                                                            "order",
                                                            "clock",
                                                            "clock-offset",
                                                            "what",
                                                            "table",
                                                            "flows",
                                                            "layout",
                                                            "partition",
                                                            "timestamps",
                                                            "raw",
                                                            "drop",
                                                            "mask",
                                                            "share",
                                                            "as-stored",
                                                            "tband-encoding",
                                                            "split-size",
                                                            "split-duration"});

std::vector<Change> changes(const Options& options) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < options.given.size(); ++i) {
    if (std::ranges::find(kChanging, options.given[i]) != kChanging.end())
      changes.push_back({std::string(options.given[i]), options.given_values[i]});
  }
  return changes;
}

}  // namespace

ConversionTask conversion_task(const Options& options) {
  return {.reading = pipeline_options(options, {}),
          .keeps_order = options.order_given,
          .kind = find_output(options.to),
          .out = options.out,
          .settings = output_settings(options),
          .layout = options.layout,
          .content = options.what,
          .spans = options.spans,
          .tables = options.tables,
          .all_flows = options.all_flows,
          .max_size = options.max_size,
          .split_size = options.split_size,
          .split_duration = options.split_duration,
          .packet_size = options.packet_size,
          .changes = changes(options)};
}

std::unique_ptr<flow::Pipeline> SessionHost::open(flow::PipelineOptions options,
                                                  std::vector<flow::TracePlace> places,
                                                  std::optional<FoundTrace> first) {
  const std::size_t traces = places.size();
  observer_.watch_fields();
  auto pipeline = flow::Pipeline::open(std::move(options), observer_, session_.stop,
                                       std::move(places), std::move(first));
  if (observer_.refuses(traces)) return nullptr;
  return pipeline;
}

ConversionHost::MarksRead SessionHost::read_marks(const MarksWanted& wanted) {
  Options reading = options_;
  reading.again = wanted.again;
  const auto opened = [&](OpenPipeline& pipeline) {
    if (wanted.opened) wanted.opened(*pipeline);
  };
  Interpreted read =
      interpret(reading, session_, wanted.sink_for, wanted.symbols, wanted.see, opened);
  const bool complete = read.interpreter != nullptr;
  return {.stream = std::move(read.stream), .complete = complete, .cut_short = read.cut_short};
}

std::optional<Written> SessionHost::write_events(const EventsWanted& wanted) {
  flow::Pipeline& pipeline = wanted.pipeline;
  notices().relate_by(
      [&](std::uint64_t one, std::uint64_t other) { return pipeline.share_clock(one, other); });
  const EventsWritten written = cli::write_events({.source = pipeline,
                                                   .writer = wanted.writer,
                                                   .output = wanted.output,
                                                   .notices = notices(),
                                                   .at_end = wanted.at_end,
                                                   .ready = pauses_of(pipeline)},
                                                  session_);
  if (!written.complete) return std::nullopt;
  return written.written;
}

void SessionHost::refused(const Error& error) {
  session_.diagnostics.error(error);
  session_.outcome.note(ExitCode::kUsage);
}

void SessionHost::interrupted(const std::string& written) {
  session_.diagnostics.error(interrupted_text(options_.out, written));
  session_.cut_short();
}

void SessionHost::conclude(const ConversionReport& report) {
  if (notices_) notices_->finish();
  conclude_conversion(options_, session_, report);
  if (!report.parts.empty()) report_other_parts(options_, session_, report.parts.size());
}

Notices& SessionHost::notices() {
  if (!notices_) notices_.emplace(session_, options_);
  return *notices_;
}

}  // namespace tracedeck::cli
