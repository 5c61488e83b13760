// Any bytes as a trace (metadata and data stream files, between them the line `%%`) along the ways
// of the command: merged, sorted, shown in every form, summed up, copied and converted. What was
// written is without fault, and written once more it stays as it is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/ctf_metadata.hpp"
#include "fuzz/ctf_traces.hpp"
#include "tracedeck/ctf/format.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/lower/nested_lowering_writer.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/statistics.hpp"
#include "tracedeck/render/summary.hpp"
#include "tracedeck/render/text.hpp"

namespace {

using namespace tracedeck;       // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::ctf;  // NOLINT(google-build-using-namespace)

// Small, so that limits are met as well.
constexpr std::uint64_t kMaxState = std::uint64_t{4} << 20;

using Directories = std::vector<std::string>;

std::unique_ptr<Reader> open(const Directories& directories, bool values = true,
                             bool headers = false) {
  auto reader = format().open_directories(
      directories, {.values = values, .headers = headers, .max_state = kMaxState}, {});
  return reader ? *std::move(reader) : nullptr;
}

bool is_damage(const Record& record) {
  return record.kind == RecordKind::kProblem && !is_tolerated(*record.notice->finding.rule);
}

// Returns false when the trace must be rejected.
bool drain(RecordSource& source, Writer& writer, std::uint64_t* events = nullptr,
           std::uint64_t* problems = nullptr) {
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    if (!batch) return false;
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) {
      require(writer.write(record).has_value());
      if (events != nullptr && record.kind == RecordKind::kEvent) ++*events;
      if (problems != nullptr && is_damage(record)) ++*problems;
    }
  }
  require(writer.finish().has_value());
  return true;
}

using MakeWriter = std::unique_ptr<Writer> (*)(io::Output&);

std::unique_ptr<Writer> text(io::Output& output) {
  return render::text_writer(output, {.color = true, .all_records = true});
}
std::unique_ptr<Writer> json_lines(io::Output& output) { return render::json_lines_writer(output); }
std::unique_ptr<Writer> csv(io::Output& output) { return render::csv_writer(output); }
std::unique_ptr<Writer> babeltrace(io::Output& output) {
  return render::babeltrace_writer(
      output, {.clock_gmt = true, .clock_date = true, .say = [](std::string_view) {}});
}

std::string show(RecordSource& source, MakeWriter make) {
  std::string shown;
  const auto output = io::memory_output(shown);
  drain(source, *make(*output));
  require(output->finish().has_value());
  return shown;
}

std::unique_ptr<RecordSource> merged(Reader& reader) { return flow::merge(reader.take_streams()); }

void show_and_sum_up(const Directories& directories) {
  for (const MakeWriter make : {text, json_lines, csv, babeltrace}) {
    const std::unique_ptr<Reader> reader = open(directories);
    show(*merged(*reader), make);
  }
  std::vector<flow::SortInput> inputs;
  inputs.push_back({.open = [&](bool values) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
    std::vector<std::unique_ptr<RecordSource>> made;
    made.push_back(open(directories, values));
    return made;
  }});
  show(*flow::sort(std::move(inputs)), json_lines);
  const std::unique_ptr<Reader> reader = open(directories);
  flow::Summarizer summarizer(reader->description());
  flow::StatisticsCollector statistics;
  for (;;) {
    const Result<BatchPtr> batch = reader->next();
    if (!batch || *batch == nullptr) break;
    summarizer.add(**batch);
    statistics.add(**batch);
  }
  require(!render::summary_json(summarizer.finish()).empty());
  require(!render::statistics_json(statistics.finish()).empty());
}

std::unique_ptr<io::OutputDirectory> fresh_directory(const std::string& path) {
  std::filesystem::remove_all(path);
  std::filesystem::remove_all(io::OutputDirectory::part_path(path));
  auto output = io::OutputDirectory::create(path);
  require(output.has_value());
  return *std::move(output);
}

// Events and problems of a trace.
struct Counts {
  std::uint64_t events = 0;
  std::uint64_t problems = 0;
};

// The heads of packets and events that are written: those of the trace, or ours.
enum class Heads : std::uint8_t { kKept, kOurs };

// Returns whether the target can hold the trace; else what was written of it is gone.
bool convert(const Directories& directories, Dialect dialect, Heads heads, const std::string& path,
             Counts& counts) {
  const auto output = fresh_directory(path);
  auto written_by = format().create_directory(*output, {.target = std::string(target_name(dialect)),
                                                        .single_source = heads == Heads::kKept,
                                                        .packet_size = 4096});
  require(written_by.has_value());
  const auto target =
      std::ranges::find(format().targets(), target_name(dialect), &WriteTarget::name);
  const auto writer =
      lower::lower_nested(*target->profile, *std::move(written_by), heads == Heads::kKept, {});
  const std::unique_ptr<Reader> reader = open(directories, true, heads == Heads::kKept);
  const std::unique_ptr<RecordSource> source = merged(*reader);
  for (;;) {
    const Result<BatchPtr> batch = source->next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) {
      if (const auto written = writer->write(record); !written) {
        require(written.error().code == ErrorCode::kLimitExceeded ||
                written.error().code == ErrorCode::kInvalidArgument ||
                written.error().code == ErrorCode::kUnsupported);
        output->discard();
        return false;
      }
      if (record.kind == RecordKind::kEvent) ++counts.events;
      if (is_damage(record)) ++counts.problems;
    }
  }
  require(writer->finish().has_value() && output->finish().has_value());
  return true;
}

std::string shown_once(const std::string& path, Counts& counts) {
  const std::unique_ptr<Reader> reader = open({path});
  require(reader != nullptr);
  std::string shown;
  const auto output = io::memory_output(shown);
  const bool accepted =
      drain(*merged(*reader), *json_lines(*output), &counts.events, &counts.problems);
  require(output->finish().has_value());
  if (!accepted) {
    const auto again = open({path});
    for (Result<BatchPtr> batch = again->next();; batch = again->next()) {
      if (batch && *batch != nullptr) continue;
      require_same(path, batch ? "" : batch.error().to_string());
      break;
    }
  }
  return shown;
}

void expect_converted_reads_back(const Directories& directories, Heads heads,
                                 const FuzzFolder& folder) {
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    const std::string path = (folder.path() / "converted").string();
    const std::string twice = (folder.path() / "twice").string();
    Counts counts;
    if (!convert(directories, dialect, heads, path, counts) || counts.events == 0) continue;
    Counts read;
    const std::string shown = shown_once(path, read);
    require(read.events == counts.events && read.problems == 0);
    Counts ignored;
    require(convert({path}, dialect, heads, twice, ignored));
    require_same(shown, shown_once(twice, ignored));
  }
}

void expect_copied_reads_back(const Directories& directories, const FuzzFolder& folder) {
  const std::string path = (folder.path() / "copied").string();
  const auto output = fresh_directory(path);
  const auto copied = format().rewrite_directories(directories, *output, {.max_state = kMaxState},
                                                   [](RecordKind, const Notice&) {}, {});
  if (!copied) {
    output->discard();
    return;
  }
  require(output->finish().has_value());
  const std::unique_ptr<Reader> reader = open(directories);
  Counts counts;
  std::string shown;
  const auto sink = io::memory_output(shown);
  drain(*reader, *json_lines(*sink), &counts.events, &counts.problems);
  // Packets that cannot be read whole are left out.
  Counts read;
  (void)shown_once(path, read);
  require(read.problems == 0 && read.events <= counts.events);
  require(counts.problems != 0 || read.events == counts.events);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFolder kFolder;
  const std::vector<ByteSpan> parts = parts_of({data, size});
  if (parts.size() == 1) return 0;
  Directories directories;
  for (std::size_t i = 1; i < parts.size(); ++i)
    directories.push_back(
        kFolder.trace(i == 1 ? "a" : "b", parts[0], static_cast<int>(i), parts[i]));
  const std::unique_ptr<Reader> reader = open(directories);
  if (reader == nullptr) return 0;
  std::string shown;
  const auto output = io::memory_output(shown);
  if (!drain(*reader, *json_lines(*output))) return 0;
  show_and_sum_up(directories);
  for (const Heads heads : {Heads::kKept, Heads::kOurs})
    expect_converted_reads_back(directories, heads, kFolder);
  expect_copied_reads_back(directories, kFolder);
  return 0;
}
