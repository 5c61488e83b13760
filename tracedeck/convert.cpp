#include "tracedeck/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stop_token>

#include "tracedeck/convert/conversion.hpp"
#include "tracedeck/convert/hidden_patterns.hpp"
#include "tracedeck/convert/option_conflicts.hpp"
#include "tracedeck/convert/results_apart.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/reading.hpp"

namespace tracedeck {
namespace {

constexpr int kNewestPerfetto = 57;
constexpr int kOldestPerfetto = 50;

std::unexpected<Error> wrong(std::string sentence) {
  return fail(ErrorCode::kInvalidArgument, std::move(sentence));
}

bool keeps_order(const ConvertOptions& options) {
  return options.keeps_order || options.reading.selection.order != flow::Order::kMerged;
}

bool is_split(const ConvertOptions& options) {
  return options.split_size.has_value() || options.split_duration.has_value();
}

std::string text_of(const TimePoint& point) {
  return fmt::format("{}+{}", static_cast<int>(point.from), point.value.to_string());
}

// An option that was given, by its name in the command.
struct Given {
  std::string_view option;
  bool is_given;
  std::string value;
};

std::vector<Given> given_options(const ConvertOptions& options) {
  const flow::Selection& selection = options.reading.selection;
  const auto join = [](const std::vector<std::string>& texts) {
    return fmt::format("{}", fmt::join(texts, "\n"));
  };
  const auto time = [](const std::optional<TimePoint>& point) {
    return point ? text_of(*point) : std::string();
  };
  std::vector<std::string> offsets;
  for (const flow::ClockOffset& offset : selection.clock_offsets)
    offsets.push_back(fmt::format("{}={}", offset.trace.value_or(""), offset.nanoseconds));
  std::string rules;
  for (const timeline::Table& table : options.tables) rules += table.text;
  const auto word = [](auto value) { return fmt::format("{}", static_cast<int>(value)); };
  return {
      {"begin", selection.begin.has_value(), time(selection.begin)},
      {"end", selection.end.has_value(), time(selection.end)},
      {"stream-intersection", selection.stream_intersection, ""},
      {"where", !options.reading.where.empty(), options.reading.where},
      {"limit", selection.limit.has_value(), fmt::format("{}", selection.limit.value_or(0))},
      {"order", keeps_order(options), word(selection.order)},
      {"clock", options.reading.keeps_clock || selection.clock != flow::Clock::kTrace,
       word(selection.clock)},
      {"clock-offset", !selection.clock_offsets.empty(), join(offsets)},
      {"what", options.content != TableContent::kEvents, word(options.content)},
      {"table", !options.tables.empty(), std::move(rules)},
      {"flows", options.all_flows, "all"},
      {"layout", options.layout != TableLayout::kUsual, word(options.layout)},
      {"partition", options.partition != columns::TimePartition::kNone, word(options.partition)},
      {"timestamps", options.timestamps, ""},
      {"raw", options.clock_values, ""},
      {"drop", !options.drop.empty(), join(options.drop)},
      {"mask", !options.mask.empty(), join(options.mask)},
      {"share", options.share, ""},
  };
}

// What is wrong with the options for that output, or "".
std::string check_options(const ConvertOptions& options, const OutputKind& kind) {
  const auto of_some = std::to_array<std::pair<std::string_view, bool>>({
      {"what", options.content != TableContent::kEvents},
      {"layout", options.layout != TableLayout::kUsual},
      {"partition", options.partition != columns::TimePartition::kNone},
      {"timestamps", options.timestamps},
      {"raw", options.clock_values},
      {"tag", !options.tags.empty()},
      {"segment", !options.segment.empty()},
      {"flat", options.flat},
      {"dial9-version", !options.dial9_version.empty()},
      {"packet-size", options.packet_size.has_value()},
      // Of a divided result they count slices.
      {"table", !options.tables.empty() && !is_split(options)},
      {"spans", options.spans},
      {"flows", options.all_flows},
      {"args", options.all_arguments},
      {"min-duration", options.min_duration.has_value()},
      {"max-size", options.max_size.has_value()},
      {"perfetto-level", options.perfetto_level != kNewestPerfetto},
      {"weight", options.weight != exporting::FoldedStacks::kAuto},
  });
  for (const auto& [option, is_given] : of_some) {
    if (is_given && !kind.has_option(option))
      return fmt::format("option '{}' does not go with the target '{}'", option, kind.name);
  }
  if (options.perfetto_level != kNewestPerfetto && options.perfetto_level != kOldestPerfetto)
    return fmt::format("perfetto_level is {} or {}", kNewestPerfetto, kOldestPerfetto);
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  if (options.min_duration && (options.min_duration->negative() ||
                               *options.min_duration > Nanoseconds::from_unsigned(kDay)))
    return "min_duration is at most a day";
  return check_segment(options.segment.empty() ? "usual" : options.segment);
}

Result<void> hide(const ConvertOptions& options, flow::Selection& selection) {
  std::vector<flow::HiddenPattern> patterns;
  for (const bool drops : {true, false}) {
    for (const std::string& text : drops ? options.drop : options.mask) {
      auto pattern = parse_hidden(text, drops, patterns.size() + 1);
      if (!pattern) return wrong(fmt::format("{}: {}", text, pattern.error()));
      patterns.push_back(*std::move(pattern));
    }
  }
  auto hiding = make_hiding(std::move(patterns), options.share, options.mask_key);
  if (!hiding) return wrong(hiding.error());
  selection.hiding = *std::move(hiding);
  return {};
}

Result<ConversionTask> task_of(const std::vector<std::string>& paths, const OutputKind& kind,
                               const std::string& out, const ConvertOptions& options) {
  ConversionTask task;
  flow::Selection selection = options.reading.selection;
  if (!options.reading.where.empty()) {
    auto condition = query::Condition::parse(std::span(&options.reading.where, 1));
    if (!condition) return std::unexpected(condition.error());
    selection.where = *std::move(condition);
  }
  if (auto hidden = hide(options, selection); !hidden) return std::unexpected(hidden.error());
  auto reading = Reading::pipeline_options(paths, options.reading, std::move(selection), {});
  if (!reading) return std::unexpected(reading.error());
  task.reading = *std::move(reading);
  // A trace keeps its clocks.
  if (kind.target != nullptr) task.reading.wall_between_hosts = false;
  task.keeps_order = keeps_order(options);
  task.kind = &kind;
  task.out = out;
  task.settings.flat = options.flat;
  task.settings.write.version = options.dial9_version;
  task.packet_size = options.packet_size;
  task.settings.tables = {.segment = options.segment,
                          .tags = options.tags,
                          .one_table = options.layout == TableLayout::kOne,
                          .names_columns = options.layout == TableLayout::kSchema,
                          .timestamps = options.timestamps,
                          .clock_values = options.clock_values,
                          .partition = options.partition};
  task.settings.all_arguments = options.all_arguments;
  task.settings.shortest =
      static_cast<std::int64_t>(options.min_duration.value_or(Nanoseconds()).magnitude());
  task.settings.perfetto_level = options.perfetto_level;
  task.settings.stacks = options.weight;
  task.layout = options.layout;
  task.content = options.content;
  task.spans = options.spans;
  task.tables = options.tables;
  task.all_flows = options.all_flows;
  task.max_size = options.max_size;
  task.split_size = options.split_size;
  task.split_duration = options.split_duration;
  for (Given& given : given_options(options)) {
    if (given.is_given) task.changes.push_back({std::string(given.option), std::move(given.value)});
  }
  if (std::string conflict = conflict_of(task); !conflict.empty())
    return wrong(std::move(conflict));
  return task;
}

// A conversion that reports to a caller.
class CallerHost final : public ConversionHost {
 public:
  CallerHost(const ConvertOptions& options, const ConversionTask& task)
      : task_(task),
        progress_(options.go_on),
        reading_(options.reading.report),
        forward_(options.reading.stop, [this] { stop_.request_stop(); }) {}

  std::stop_token stop() const override { return stop_.get_token(); }
  io::Output& standard_output() override { return *nowhere_; }
  flow::PipelineObserver& observer() override { return reading_; }

  std::unique_ptr<flow::Pipeline> open(flow::PipelineOptions options,
                                       std::vector<flow::TracePlace> places,
                                       std::optional<FoundTrace> first) override {
    return open(std::move(options), std::move(places), std::move(first), reading_);
  }

  MarksRead read_marks(const MarksWanted& wanted) override {
    // The stream asks it, and outlives this call.
    std::unique_ptr<flow::Pipeline>& pipeline = read_for_marks_;
    timeline::MarkStreamOptions marks{
        .tables = task_.tables,
        .all_flows = task_.all_flows,
        .selection = task_.reading.selection,
        .keeps_order = task_.keeps_order,
        .relates = [this](std::uint64_t one,
                          std::uint64_t other) { return read_for_marks_->share_clock(one, other); },
        .name_of_trace =
            [this](const TraceDescription& trace) { return read_for_marks_->name_of(trace); }};
    auto stream = timeline::MarkStream::make(std::move(marks), wanted.sink_for);
    if (!stream) {
      keep(stream.error());
      return {};
    }
    MarksRead read{.stream = *std::move(stream)};
    flow::PipelineOptions options = task_.reading;
    options.selection = read.stream->selection();
    options.needs = timeline::MarkStream::needs(wanted.symbols);
    auto places = flow::list_traces({.names = options.operands, .format = options.format}, stop());
    Reading& reading = wanted.again ? silent_ : reading_;
    pipeline = open(std::move(options), std::move(places), {}, reading);
    if (pipeline == nullptr) return read;
    if (wanted.opened) wanted.opened(*pipeline);
    Result<void> taken;
    while (taken) {
      const BatchPtr batch = next(*pipeline, reading);
      if (batch == nullptr) break;
      see_others(*batch, reading);
      if (!read.stream->has_begun()) read.stream->expect_hosts_of(pipeline->descriptions());
      taken = read.stream->add(batch);
      if (wanted.see) wanted.see(read.stream->timeline(), *batch);
    }
    if (taken) taken = read.stream->finish();
    for (const std::string& sentence : read.stream->interpreter().notices()) reading.note(sentence);
    read.cut_short = stop_.stop_requested();
    read.complete = delivered(taken);
    return read;
  }

  std::optional<Written> write_events(const EventsWanted& wanted) override {
    Written written;
    for (;;) {
      const BatchPtr batch = next(wanted.pipeline, reading_);
      if (batch == nullptr) break;
      if (!delivered(wanted.writer.write_batch(*batch, written))) return std::nullopt;
      written.damaged += damaged_ranges(*batch);
      see_others(*batch, reading_);
    }
    if (!delivered(wanted.at_end(wanted.writer))) return std::nullopt;
    if (!delivered(wanted.writer.finish())) return std::nullopt;
    return written;
  }

  void see(RecordKind kind, const Notice& notice) override { reading_.see(Record(kind, &notice)); }

  double part() const override { return reading_.part; }

  bool delivered(const Result<void>& written) override {
    if (!written) keep(written.error());
    return written.has_value();
  }
  void failed(const Error& error) override {
    reading_.failed(error);
    keep(error);
  }
  void refused(const Error& error) override { keep(error); }
  void note(const std::string& sentence) override { reading_.note(sentence); }
  void interrupted(const std::string& written) override {
    keep({.code = ErrorCode::kBrokenPipe,
          .message = written.empty() ? "ended early, before anything was written"
                                     : "ended early; what was written is in " + written});
  }
  void conclude(const ConversionReport& report) override {
    report_ = hidden_report(report, task_.reading.selection.hiding.get());
  }

  [[nodiscard]] Result<ConversionReport> result() && {
    if (report_) return *std::move(report_);
    if (error_) return std::unexpected(*std::move(error_));
    return fail(ErrorCode::kCannotOpen, "there is no trace");
  }

 private:
  std::unique_ptr<flow::Pipeline> open(flow::PipelineOptions options,
                                       std::vector<flow::TracePlace> places,
                                       std::optional<FoundTrace> first, Reading& reading) {
    reading.expect(options.selection);
    auto pipeline = flow::Pipeline::open(std::move(options), reading, stop_.get_token(),
                                         std::move(places), std::move(first));
    if (pipeline == nullptr && reading.error()) keep(*reading.error());
    return pipeline;
  }

  // The first that kept the result from being made counts.
  void keep(const Error& error) {
    if (!error_) error_ = error;
  }

  static void see_others(const Batch& batch, Reading& reading) {
    for (const Record& record : batch.records()) {
      if (record.kind != RecordKind::kEvent) reading.see(record);
    }
  }

  // Null: there are no more.
  BatchPtr next(flow::Pipeline& pipeline, Reading& reading) {
    if (!progress_.ask()) stop_.request_stop();
    if (stop_.stop_requested()) return nullptr;
    auto batch = pipeline.next();
    if (!batch) {
      reading.failed(batch.error());
      keep(batch.error());
      return nullptr;
    }
    if (*batch != nullptr) progress_.count((*batch)->size());
    return *std::move(batch);
  }

  const ConversionTask& task_;
  Progress progress_;
  Reading reading_;
  Reading silent_{[](const Report&) {}};  // of traces that are read again
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forward_;
  std::string no_text_;
  std::unique_ptr<io::Output> nowhere_ = io::memory_output(no_text_);
  std::unique_ptr<flow::Pipeline> read_for_marks_;
  std::optional<Error> error_;
  std::optional<ConversionReport> report_;
};

}  // namespace

Result<ConversionReport> convert(const std::vector<std::string>& paths, std::string_view to,
                                 const std::string& out, const ConvertOptions& options) {
  if (paths.empty()) return wrong("there are no paths");
  if (out.empty() || out == "-") return wrong("a result is wanted at a path");
  const OutputKind* const kind = to.empty() ? output_of_name(out) : find_output(to);
  if (kind == nullptr || !kind->converts())
    return wrong(to.empty() ? fmt::format("the ending of '{}' stands for no target", out)
                            : fmt::format("there is no target '{}'", to));
  if (std::ranges::any_of(paths, [&](const std::string& path) {
        return options.reading.follow || io::comes_live(path);
      }))
    return fail(ErrorCode::kUnsupported, "live traces are not converted by this interface");
  const bool reads_again = options.max_size || (is_split(options) && !options.tables.empty());
  if (reads_again && std::ranges::find(paths, "-") != paths.end())
    return fail(ErrorCode::kUnsupported,
                "the traces are read twice or more, and '-' can be read once");
  if (std::string sentence = check_options(options, *kind); !sentence.empty())
    return wrong(std::move(sentence));
  auto task = task_of(paths, *kind, out, options);
  if (!task) return std::unexpected(task.error());
  std::vector<std::string> files_read = {options.reading.metadata, options.mask_key};
  for (const timeline::Table& table : options.tables) {
    if (!table.built_in) files_read.push_back(table.file);
  }
  if (std::string harm =
          check_results_apart({.traces = {.names = paths, .format = task->reading.format},
                               .files_read = std::move(files_read),
                               .out = out,
                               .kind = kind,
                               .is_directory = task->writes_directory(),
                               .is_split = task->is_split()});
      !harm.empty())
    return wrong(std::move(harm));
  CallerHost host(options, *task);
  Conversion(*task, host).run();
  return std::move(host).result();
}

}  // namespace tracedeck
