#include "tracedeck/outputs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/columns/arrow/ipc_format.hpp"
#include "tracedeck/columns/clickhouse/native_format.hpp"
#include "tracedeck/columns/columns_writer.hpp"
#include "tracedeck/columns/directory_sink.hpp"
#include "tracedeck/columns/parquet/parquet_format.hpp"
#include "tracedeck/columns/partition_name.hpp"
#include "tracedeck/columns/sqlite/database_sink.hpp"
#include "tracedeck/export/chrome.hpp"
#include "tracedeck/export/folded.hpp"
#include "tracedeck/export/heph_spans.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/export/perfetto.hpp"
#include "tracedeck/export/pprof.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/flat_csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/text.hpp"

namespace tracedeck {
namespace {

using Makes = OutputKind::Makes;

std::unique_ptr<Writer> text(io::Output& output, const OutputSettings& settings) {
  return render::text_writer(output, {.color = settings.color,
                                      .all_records = settings.all_records,
                                      .receipt = settings.receipt,
                                      .trace_names = settings.trace_names});
}

std::unique_ptr<Writer> json_lines(io::Output& output, const OutputSettings& settings) {
  return render::json_lines_writer(output,
                                   {.all_records = settings.all_records,
                                    .receipt = settings.receipt,
                                    .large_integers_as_strings = settings.large_integers_as_strings,
                                    .trace_names = settings.trace_names});
}

render::FlatCsvOptions flat_options(const OutputSettings& settings) {
  return {.receipt = settings.receipt,
          .large_integers_as_strings = settings.large_integers_as_strings,
          .trace_names = settings.trace_names};
}

std::unique_ptr<Writer> csv(io::Output& output, const OutputSettings& settings) {
  if (settings.flat) return render::flat_csv_writer(output, flat_options(settings));
  return render::csv_writer(output,
                            {.all_records = settings.all_records,
                             .receipt = settings.receipt,
                             .large_integers_as_strings = settings.large_integers_as_strings,
                             .trace_names = settings.trace_names});
}

std::unique_ptr<Writer> csv_files(io::OutputDirectory& output, const OutputSettings& settings) {
  return render::flat_csv_files(output, flat_options(settings), [](std::string_view name) {
    return columns::partition_value(name) + ".csv";
  });
}

std::unique_ptr<Writer> babeltrace(io::Output& output, const OutputSettings& settings) {
  return render::babeltrace_writer(output, settings.babeltrace);
}

std::unique_ptr<Writer> parquet_files(io::OutputDirectory& output, const OutputSettings& settings) {
  return columns::columns_writer(
      columns::directory_sink(output, settings.tables, parquet::parquet_format(settings.tables)),
      settings.tables, settings.trace_names);
}

std::unique_ptr<Writer> arrow_files(io::OutputDirectory& output, const OutputSettings& settings) {
  return columns::columns_writer(
      columns::directory_sink(output, settings.tables, arrow::file_format(settings.tables)),
      settings.tables, settings.trace_names);
}

std::unique_ptr<Writer> arrow_stream(io::Output& output, const OutputSettings& settings) {
  columns::TableOptions options = settings.tables;
  options.alone = true;
  auto sink = columns::file_sink(output, arrow::stream_format(options));
  return columns::columns_writer(std::move(sink), std::move(options), settings.trace_names);
}

std::unique_ptr<Writer> native_files(io::OutputDirectory& output, const OutputSettings& settings) {
  const columns::TableOptions options = clickhouse::with_segment(settings.tables);
  return columns::columns_writer(
      columns::directory_sink(output, options, clickhouse::native_format()), options,
      settings.trace_names);
}

std::unique_ptr<Writer> native_blocks(io::Output& output, const OutputSettings& settings) {
  columns::TableOptions options = clickhouse::with_segment(settings.tables);
  options.alone = true;
  return columns::columns_writer(columns::file_sink(output, clickhouse::native_format()),
                                 std::move(options), settings.trace_names);
}

std::unique_ptr<Writer> sqlite_database(io::Output& output, const OutputSettings& settings) {
  return columns::columns_writer(sqlite::database_sink(output, settings.tables), settings.tables,
                                 settings.trace_names);
}

std::unique_ptr<exporting::Exporter> perfetto(io::Output& output, const OutputSettings& settings) {
  return exporting::make_perfetto(output, {.level = settings.perfetto_level,
                                           .format = settings.source_format,
                                           .attributes = settings.attributes});
}

std::unique_ptr<exporting::Exporter> chrome(io::Output& output, const OutputSettings& settings) {
  return exporting::make_chrome(output, {.attributes = settings.attributes});
}

std::unique_ptr<exporting::Exporter> heph_spans(io::Output& output, const OutputSettings&) {
  return exporting::make_heph_spans(output);
}

std::unique_ptr<exporting::Exporter> pprof(io::Output& output, const OutputSettings& settings) {
  return exporting::make_pprof(output, {.gzip = !settings.is_compressed});
}

std::unique_ptr<exporting::Exporter> folded(io::Output& output, const OutputSettings& settings) {
  return exporting::make_folded(output, settings.stacks);
}

// A page holds all marks, or refuses them with an error: its receipt is empty.
class PageExporter final : public exporting::Exporter {
 public:
  explicit PageExporter(std::unique_ptr<timeline::MarkSink> page) : page_(std::move(page)) {}

  Result<void> take(const timeline::Timeline& timeline,
                    std::span<const timeline::Mark> marks) override {
    return page_->take(timeline, marks);
  }
  Result<void> finish(const timeline::Timeline& timeline) override {
    return page_->finish(timeline);
  }
  [[nodiscard]] Receipt receipt() const override { return {}; }

 private:
  std::unique_ptr<timeline::MarkSink> page_;
};

std::unique_ptr<exporting::Exporter> html(io::Output& output, const OutputSettings& settings) {
  page::PageOptions options{.title = settings.title,
                            .begin = settings.begin,
                            .all_arguments = settings.all_arguments,
                            .shortest = settings.shortest};
  if (settings.any_size) options.largest = std::numeric_limits<std::uint64_t>::max();
  return std::make_unique<PageExporter>(page::make_page(output, std::move(options)));
}

constexpr std::array<std::string_view, 2> kStackOptions = {"table", "explain"};
constexpr std::array<std::string_view, 3> kFoldedOptions = {"table", "explain", "weight"};
constexpr std::array<std::string_view, 5> kChromeOptions = {"table", "explain", "flows",
                                                            "min-duration", "max-size"};
constexpr std::array<std::string_view, 6> kHtmlOptions = {"table", "explain",      "args",
                                                          "flows", "min-duration", "max-size"};
constexpr std::array<std::string_view, 6> kPerfettoOptions = {
    "table", "explain", "flows", "perfetto-level", "min-duration", "max-size"};
constexpr std::array<std::string_view, 1> kRecordOptions = {"records"};
constexpr std::array<std::string_view, 4> kCsvOptions = {"records", "int64", "flat", "layout"};
constexpr std::array<std::string_view, 2> kJsonOptions = {"records", "int64"};
constexpr std::array<std::string_view, 8> kBabeltraceOptions = {
    "clock-gmt", "clock-seconds", "clock-cycles", "clock-date",
    "no-delta",  "names",         "fields",       "timerange"};

constexpr std::array<std::string_view, 8> kTableOptions = {
    "layout", "timestamps", "raw", "tag", "segment", "what", "table", "flows"};
constexpr std::array<std::string_view, 9> kTableFileOptions = {
    "layout", "partition", "timestamps", "raw", "tag", "segment", "what", "table", "flows"};

constexpr std::array kRendered = {
    OutputKind{.name = "text",
               .title = "for reading",
               .makes = Makes::kText,
               .shown = true,
               .options = kRecordOptions,
               .render = text},
    OutputKind{.name = "jsonl",
               .title = "JSON lines: one object for each event",
               .shown = true,
               .suffixes = {".jsonl", ".ndjson"},
               .options = kJsonOptions,
               .render = json_lines},
    OutputKind{.name = "csv",
               .title = "comma-separated values",
               .shown = true,
               .suffixes = {".csv"},
               .options = kCsvOptions,
               .render = csv,
               .tabulate = csv_files},
    OutputKind{.name = "babeltrace2",
               .title = "as the command babeltrace2 prints them",
               .makes = Makes::kText,
               .shown = true,
               .options = kBabeltraceOptions,
               .render = babeltrace},
    OutputKind{.name = "parquet",
               .title = "Parquet files for DuckDB, Spark and pandas: a table for each event class",
               .makes = Makes::kDirectory,
               .suffixes = {".parquet"},
               .options = kTableFileOptions,
               .tabulate = parquet_files},
    OutputKind{
        .name = "arrow",
        .title = "Arrow IPC files for pandas, polars and DataFusion: a table for each event class",
        .makes = Makes::kDirectory,
        .suffixes = {".arrow"},
        .options = kTableFileOptions,
        .render = arrow_stream,
        .tabulate = arrow_files},
    OutputKind{.name = "clickhouse",
               .title = "blocks and statements for ClickHouse: a table for each event class",
               .makes = Makes::kDirectory,
               .suffixes = {".clickhouse"},
               .options = kTableOptions,
               .render = native_blocks,
               .tabulate = native_files},
    OutputKind{.name = "sqlite",
               .title = "a database of SQLite: a table for each event class",
               .suffixes = {".db", ".sqlite"},
               .options = kTableOptions,
               .render = sqlite_database,
               .at_end = true},
    OutputKind{.name = "perfetto",
               .title = "time lines for Perfetto",
               .suffixes = {".pftrace", ".perfetto-trace"},
               .options = kPerfettoOptions,
               .draw = perfetto,
               .shows_instants = true,
               .names_addresses = true,
               .bearable = 400'000'000},
    OutputKind{.name = "html",
               .title = "time lines as a page for any browser",
               .suffixes = {".html"},
               .options = kHtmlOptions,
               .draw = html,
               .shows_instants = true,
               .names_addresses = true,
               .leaves_out_short = true},
    OutputKind{.name = "chrome",
               .title = "time lines as JSON of Chrome's trace viewer",
               .suffixes = {".json"},
               .options = kChromeOptions,
               .draw = chrome,
               .shows_instants = true,
               .names_addresses = true,
               .bearable = 256'000'000},
    OutputKind{.name = "folded",
               .title = "stacks for flame graphs, of samples or of slices",
               .suffixes = {".folded"},
               .options = kFoldedOptions,
               .draw = folded,
               .names_addresses = true,
               .sees_events = true},
    OutputKind{.name = "pprof",
               .title = "a profile for pprof, of samples and of memory",
               .suffixes = {".pprof", ".pb"},
               .options = kStackOptions,
               .draw = pprof,
               .names_addresses = true,
               .sees_events = true},
};

OutputKind output_of(const Format& format, const WriteTarget& target) {
  std::span<const std::string_view> options = target.options;
  while (!options.empty() && options.back().empty()) options = options.first(options.size() - 1);
  return {.name = target.name,
          .title = target.title,
          .makes = target.directory ? Makes::kDirectory : Makes::kFile,
          .suffixes = target.suffixes,
          .options = options,
          .draw = target.name == "heph" ? heph_spans : nullptr,
          .format = &format,
          .target = &target};
}

std::vector<OutputKind> all_outputs() {
  std::vector<OutputKind> all;
  for (const Format* const format : formats()) {
    for (const WriteTarget& target : format->targets()) all.push_back(output_of(*format, target));
  }
  all.insert(all.end(), kRendered.begin(), kRendered.end());
  return all;
}

const OutputKind* by_suffix(std::string_view file, bool directories) {
  for (const OutputKind& kind : outputs()) {
    if (kind.makes == Makes::kDirectory && !directories) continue;
    for (const std::string_view suffix : kind.suffixes) {
      if (!suffix.empty() && file.size() > suffix.size() && file.ends_with(suffix)) return &kind;
    }
  }
  return nullptr;
}

WriteOptions write_options(const OutputKind& kind, const OutputSettings& settings) {
  WriteOptions options = settings.write;
  options.target = kind.name;
  options.trace_names = settings.trace_names;
  return options;
}

template <class Value, std::size_t kCount>
std::optional<Value> find_word(const std::array<std::pair<std::string_view, Value>, kCount>& words,
                               std::string_view word) {
  const auto found = std::ranges::find(words, word, &std::pair<std::string_view, Value>::first);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

constexpr auto kContents =
    std::to_array<std::pair<std::string_view, TableContent>>({{"events", TableContent::kEvents},
                                                              {"spans", TableContent::kSpans},
                                                              {"all", TableContent::kAll}});
constexpr auto kLayouts = std::to_array<std::pair<std::string_view, TableLayout>>(
    {{"class", TableLayout::kClass}, {"schema", TableLayout::kSchema}, {"one", TableLayout::kOne}});
constexpr auto kPartitions = std::to_array<std::pair<std::string_view, columns::TimePartition>>(
    {{"class", columns::TimePartition::kNone},
     {"class,date", columns::TimePartition::kDate},
     {"class,date,hour", columns::TimePartition::kHour}});

constexpr auto kWeights = std::to_array<std::pair<std::string_view, exporting::FoldedStacks>>(
    {{"time", exporting::FoldedStacks::kSlices},
     {"samples", exporting::FoldedStacks::kSamples},
     {"bytes", exporting::FoldedStacks::kAllocatedBytes},
     {"live-bytes", exporting::FoldedStacks::kLiveBytes}});

}  // namespace

std::optional<TableContent> find_content(std::string_view word) {
  return find_word(kContents, word);
}

std::optional<TableLayout> find_layout(std::string_view word) { return find_word(kLayouts, word); }

std::optional<columns::TimePartition> find_partition(std::string_view word) {
  return find_word(kPartitions, word);
}

std::optional<exporting::FoldedStacks> find_weight(std::string_view word) {
  return find_word(kWeights, word);
}

bool OutputKind::has_option(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::span<const OutputKind> outputs() {
  static const std::vector<OutputKind> kOutputs = all_outputs();
  return kOutputs;
}

const OutputKind* find_output(std::string_view name) {
  const auto found = std::ranges::find(outputs(), name, &OutputKind::name);
  return found == outputs().end() ? nullptr : &*found;
}

const OutputKind* output_of_name(std::string_view file) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    // A directory is not compressed as a whole.
    if (file.ends_with(packed))
      return by_suffix(file.substr(0, file.size() - packed.size()), false);
  }
  return by_suffix(file, true);
}

Result<std::unique_ptr<Writer>> create_writer(const OutputKind& kind, io::Output& output,
                                              const OutputSettings& settings) {
  if (kind.render != nullptr) return kind.render(output, settings);
  return kind.format->create(output, write_options(kind, settings));
}

Result<std::unique_ptr<Writer>> create_writer(const OutputKind& kind, io::OutputDirectory& output,
                                              const OutputSettings& settings) {
  if (kind.tabulate != nullptr) return kind.tabulate(output, settings);
  if (kind.format == nullptr)
    return fail(ErrorCode::kUnsupported, std::string(kind.name) + " is not written as a directory");
  return kind.format->create_directory(output, write_options(kind, settings));
}

}  // namespace tracedeck
