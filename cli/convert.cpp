#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/drawing.hpp"
#include "cli/events_out.hpp"
#include "cli/hidden.hpp"
#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/receipt.hpp"
#include "cli/split.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/convert/conversion.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {
namespace {

// Options that change what is written of a trace. Tags say where it is from, and are not among
// them.
constexpr auto kChanging = std::to_array<std::string_view>(
    {"begin", "end", "stream-intersection", "where", "limit", "order", "clock", "clock-offset",
     "what", "table", "layout", "partition", "drop", "mask", "share", "as-stored", "tband-encoding",
     "split-size", "split-duration"});

std::vector<Change> changes(const Options& options) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < options.given.size(); ++i) {
    if (std::ranges::find(kChanging, options.given[i]) != kChanging.end())
      changes.push_back({std::string(options.given[i]), options.given_values[i]});
  }
  return changes;
}

ConversionTask task_of(const Options& options, const OutputKind& kind) {
  return {.reading = pipeline_options(options, {}),
          .keeps_order = options.order_given,
          .kind = &kind,
          .out = options.out,
          .settings = output_settings(options),
          .layout = options.layout,
          .content = options.what,
          .tables = options.tables,
          .split_size = options.split_size,
          .split_duration = options.split_duration,
          .packet_size = options.packet_size,
          .changes = changes(options)};
}

// A conversion in the words of the command.
class SessionHost final : public ConversionHost {
 public:
  SessionHost(const Options& options, Session& session)
      : options_(options), session_(session), observer_(session, options) {}

  std::stop_token stop() const override { return session_.stop; }
  io::Output& standard_output() override { return session_.out; }
  flow::PipelineObserver& observer() override { return observer_; }

  std::unique_ptr<flow::Pipeline> open(flow::PipelineOptions options,
                                       std::vector<flow::TracePlace> places,
                                       std::optional<FoundTrace> first) override {
    const std::size_t traces = places.size();
    observer_.watch_fields();
    auto pipeline = flow::Pipeline::open(std::move(options), observer_, session_.stop,
                                         std::move(places), std::move(first));
    if (observer_.refuses(traces)) return nullptr;
    return pipeline;
  }

  MarksRead read_marks(const MarksWanted& wanted) override {
    Options reading = options_;
    if (wanted.again) reading.quiet = true;
    const auto opened = [&](OpenPipeline& pipeline) {
      if (wanted.opened) wanted.opened(*pipeline);
    };
    Interpreted read =
        interpret(reading, session_, wanted.sink_for, wanted.symbols, wanted.see, opened);
    const bool complete = read.interpreter != nullptr;
    return {.stream = std::move(read.stream), .complete = complete, .cut_short = read.cut_short};
  }

  std::optional<Written> write_events(const EventsWanted& wanted) override {
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

  void see(RecordKind kind, const Notice& notice) override { notices().see(kind, notice); }

  bool delivered(const Result<void>& written) override { return session_.delivered(written); }
  void failed(const Error& error) override { session_.report(error); }
  void refused(const Error& error) override {
    session_.diagnostics.error(error);
    session_.outcome.note(ExitCode::kUsage);
  }
  void note(const std::string& sentence) override { session_.diagnostics.note(sentence); }
  void interrupted(const std::string& written) override {
    session_.diagnostics.error(interrupted_text(options_.out, written));
    session_.cut_short();
  }
  void conclude(const ConversionReport& report) override {
    if (notices_) notices_->finish();
    conclude_conversion(options_, session_, report);
    if (!report.parts.empty()) report_other_parts(options_, session_, report.parts.size());
  }

 private:
  Notices& notices() {
    if (!notices_) notices_.emplace(session_, options_);
    return *notices_;
  }

  const Options& options_;
  Session& session_;
  SessionObserver observer_;
  std::optional<Notices> notices_;
};

std::string endings() {
  std::vector<std::string_view> all;
  for (const OutputKind& kind : outputs()) {
    if (kind.converts() && !kind.suffixes[0].empty()) all.push_back(kind.suffixes[0]);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

// What a name may stand for that stands for no target alone: "--to dial9 or --to tband"; or "".
std::string possible_targets(std::string_view name) {
  std::vector<std::string> possible;
  for (const OutputKind& kind : outputs()) {
    const bool is_one = kind.target != nullptr && !kind.target->recorded_suffix.empty() &&
                        name.ends_with(kind.target->recorded_suffix);
    if (is_one) possible.push_back(fmt::format("--to {}", kind.name));
  }
  return fmt::format("{}", fmt::join(possible, " or "));
}

// What is wrong with the options of tables of what events mean, or "".
std::string check_what(const Options& options, const OutputKind& kind) {
  if (!kind.has_option("what")) return {};
  const auto given = [&](std::string_view option) {
    return std::ranges::find(options.given, option) != options.given.end();
  };
  if (options.what == TableContent::kEvents) {
    return given("table") && !is_split(options)
               ? "option '--table' goes with '--what spans' or '--what all', which apply it"
               : "";
  }
  return conflict_of(task_of(options, kind));
}

}  // namespace

std::string check_convert(Options& options) {
  if (options.out.empty()) return "needs -o OUT, where to write to";
  if (options.to.empty()) {
    const OutputKind* const kind = output_of_name(options.out);
    if (const std::string possible = possible_targets(options.out);
        kind == nullptr && !possible.empty()) {
      return fmt::format("the name '{}' does not say what to convert to; its ending goes with {}",
                         options.out, possible);
    }
    if (kind == nullptr) {
      return fmt::format(
          "needs --to FORMAT, what to convert to, or an OUT whose name ends in one of {}",
          endings());
    }
    options.to = kind->name;
  }
  const OutputKind& kind = *find_output(options.to);
  std::string wrong = check_output_options(options, kind, "--to");
  if (wrong.empty()) wrong = check_split(options, kind);
  if (wrong.empty()) wrong = check_what(options, kind);
  if (wrong.empty()) wrong = check_hidden(options);
  if (wrong.empty() && draws(options, kind)) wrong = check_draw(options);
  return wrong.empty() ? check_places(options) : wrong;
}

void run_convert(const Options& options, Session& session) {
  const OutputKind& kind = *find_output(options.to);
  if (draws(options, kind)) return run_draw(options, session);
  SessionHost host(options, session);
  Conversion(task_of(options, kind), host).run();
}

}  // namespace tracedeck::cli
