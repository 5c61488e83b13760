// Any bytes along the ways of the command: recognised, read in odd portions, as hexadecimal text
// and as files of two cores, ordered, trimmed, shown in every form, summed up, converted and
// rewritten. What is rewritten or written again must read back as the same events.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tracedeck/flow/limit.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/flow/trim.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/schema.hpp"
#include "tracedeck/render/statistics.hpp"
#include "tracedeck/render/summary.hpp"
#include "tracedeck/render/text.hpp"
#include "tracedeck/tband/format.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file

// Small, so that limits are met as well.
constexpr std::uint64_t kMaxState = std::uint64_t{4} << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk, bool values = true,
                             bool hexadecimal = false) {
  auto reader =
      tband::format().open(io::memory_input("fuzz", bytes, chunk),
                           {.values = values, .max_state = kMaxState, .hexadecimal = hexadecimal});
  require(reader.has_value());
  return *std::move(reader);
}

std::unique_ptr<Reader> open_cores(ByteSpan bytes) {
  std::vector<CoreInput> files;
  const std::size_t half = bytes.size() / 2;
  files.push_back({.input = io::memory_input("one", bytes.first(half)), .core = 0});
  files.push_back({.input = io::memory_input("two", bytes.subspan(half)), .core = 1});
  auto reader = tband::format().open_cores(std::move(files), {.max_state = kMaxState});
  require(reader.has_value());
  return *std::move(reader);
}

void drain(RecordSource& source, Writer& writer) {
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) require(writer.write(record).has_value());
  }
  require(writer.finish().has_value());
}

using MakeWriter = std::unique_ptr<Writer> (*)(io::Output&);

std::unique_ptr<Writer> text(io::Output& output) {
  return render::text_writer(output, {.color = true, .all_records = true});
}
std::unique_ptr<Writer> json_lines(io::Output& output) { return render::json_lines_writer(output); }
std::unique_ptr<Writer> all_json_lines(io::Output& output) {
  return render::json_lines_writer(output, {.all_records = true});
}
std::unique_ptr<Writer> csv(io::Output& output) { return render::csv_writer(output); }
std::string show(RecordSource& source, MakeWriter make) {
  std::string shown;
  const auto output = io::memory_output(shown);
  drain(source, *make(*output));
  require(output->finish().has_value());
  return shown;
}

void order_and_trim(ByteSpan bytes) {
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.push_back(open(bytes, 0));
  sources.push_back(open(bytes, 3));
  const auto merged =
      flow::limit(flow::trim(flow::merge(std::move(sources)),
                             {.begin = Nanoseconds(5), .end = Nanoseconds(1'000'000)}),
                  1000);
  show(*merged, all_json_lines);
  std::vector<flow::SortInput> inputs;
  inputs.push_back({.open = [&](bool values) -> Result<std::unique_ptr<RecordSource>> {
    return open(bytes, 0, values);
  }});
  show(*flow::sort(std::move(inputs)), json_lines);
}

void sum_up(ByteSpan bytes) {
  const std::unique_ptr<Reader> reader = open(bytes, 0);
  flow::Summarizer summarizer(reader->description());
  flow::StatisticsCollector statistics;
  for (;;) {
    const Result<BatchPtr> batch = reader->next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    summarizer.add(**batch);
    statistics.add(**batch);
  }
  for (const std::string& shown :
       {render::summary_text(summarizer.finish()), render::summary_json(summarizer.finish()),
        render::statistics_text(statistics.finish()), render::statistics_json(statistics.finish()),
        render::schema_text(*reader->description()), render::schema_json(*reader->description())}) {
    require(!shown.empty());
  }
}

void expect_written_reads_back(ByteSpan bytes, const std::string& shown) {
  std::string written;
  const auto output = io::memory_output(written);
  const std::unique_ptr<Writer> writer = *tband::format().create(*output, {});
  drain(*open(bytes, 0), *writer);
  require(output->finish().has_value());
  if (!writer->receipt().empty()) return;
  const std::unique_ptr<Reader> again = open(as_bytes(written), 0);
  require(again != nullptr && show(*again, json_lines) == shown);
}

std::string rewrite(ByteSpan bytes) {
  std::string rewritten;
  const auto output = io::memory_output(rewritten);
  require(tband::format()
              .rewrite(io::memory_input("fuzz", bytes, 7), *output, {.max_state = kMaxState},
                       [](RecordKind, const Notice&) {}, {})
              .has_value());
  require(output->finish().has_value());
  return rewritten;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const std::string shown = show(*open(bytes, 0), json_lines);
  // A live input may learn the length of a tick too late.
  show(*open(bytes, 1), json_lines);
  show(*open(bytes, 0, true, true), all_json_lines);
  for (const MakeWriter make : {text, all_json_lines, csv}) show(*open(bytes, 0), make);
  show(*open_cores(bytes), text);
  {
    const std::unique_ptr<Reader> cores = open_cores(bytes);
    show(*flow::merge(cores->take_streams()), all_json_lines);
  }
  order_and_trim(bytes);
  sum_up(bytes);
  expect_written_reads_back(bytes, shown);
  if (size < kMaxState / 2) {
    const std::string rewritten = rewrite(bytes);
    require(show(*open(as_bytes(rewritten), 0), json_lines) == shown);
  }
  (void)tband::format().recognises(bytes, true);
  return 0;
}
