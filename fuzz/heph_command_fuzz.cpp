// Any bytes, read as a Heph trace along the ways of the command: in odd portions, merged, sorted,
// shown in every form, summed up, converted and rewritten. Portions must make no difference, and
// what is rewritten or written again must read back as the same events.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tracedeck/dial9/format.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/heph/format.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/schema.hpp"
#include "tracedeck/render/statistics.hpp"
#include "tracedeck/render/summary.hpp"
#include "tracedeck/render/text.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file

// Small, so that limits are met as well.
constexpr std::uint64_t kMaxState = std::uint64_t{4} << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk, bool values = true) {
  auto reader = heph::format().open(io::memory_input("fuzz", bytes, chunk),
                                    {.values = values, .max_state = kMaxState});
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
std::unique_ptr<Writer> dial9_trace(io::Output& output) {
  return *dial9::format().create(output, {});
}
std::unique_ptr<Writer> heph_trace(io::Output& output) {
  return *heph::format().create(output, {});
}
std::string show(RecordSource& source, MakeWriter make) {
  std::string shown;
  const auto output = io::memory_output(shown);
  drain(source, *make(*output));
  require(output->finish().has_value());
  return shown;
}

void order(ByteSpan bytes) {
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.push_back(open(bytes, 0));
  sources.push_back(open(bytes, 3));
  show(*flow::merge(std::move(sources)), all_json_lines);
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

std::string rewrite(ByteSpan bytes) {
  std::string rewritten;
  const auto output = io::memory_output(rewritten);
  require(heph::format()
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
  require(show(*open(bytes, 1), json_lines) == shown);
  for (const MakeWriter make : {text, all_json_lines, csv, dial9_trace})
    show(*open(bytes, 0), make);
  order(bytes);
  sum_up(bytes);
  const std::string written = show(*open(bytes, 0), heph_trace);
  require(show(*open(as_bytes(written), 0), json_lines) == shown);
  const std::string rewritten = rewrite(bytes);
  require(show(*open(as_bytes(rewritten), 0), json_lines) == shown);
  return 0;
}
