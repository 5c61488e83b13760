// Any bytes as a trace of any format (of CTF the metadata and data stream files, between them the
// line `%%`), written as Parquet files in both layouts, as blocks of ClickHouse, as files and a
// stream of Arrow, and as databases. Every event is a row or was refused, every file is whole, and
// what is written does not outgrow what was read.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/command_ways.hpp"
#include "fuzz/ctf_traces.hpp"
#include "tracedeck/base/bytes.hpp"
#include "tracedeck/columns/arrow/ipc_format.hpp"
#include "tracedeck/columns/clickhouse/native_format.hpp"
#include "tracedeck/columns/columns_writer.hpp"
#include "tracedeck/columns/directory_sink.hpp"
#include "tracedeck/columns/parquet/parquet_format.hpp"
#include "tracedeck/columns/sqlite/database_sink.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

// A directory whose files are texts.
class MemoryDirectory final : public io::OutputDirectory {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_file(const std::string& file) override {
    require(!files_.contains(file));
    return io::memory_output(files_[file]);
  }
  [[nodiscard]] Result<void> finish() override { return {}; }
  void discard() override {}

  [[nodiscard]] const std::map<std::string, std::string>& files() const { return files_; }

 private:
  std::string name_ = "fuzz";
  std::map<std::string, std::string> files_;
};

bool is_whole_arrow(const std::string& file) {
  if (file.size() < 18 || !file.starts_with("ARROW1") || !file.ends_with("ARROW1")) return false;
  const std::uint8_t* const end = as_bytes(file).data() + file.size();
  return load_le<std::uint32_t>(end - 10) <= file.size() - 18;
}

bool is_whole_parquet(const std::string& file) {
  if (file.size() < 12 || !file.starts_with("PAR1") || !file.ends_with("PAR1")) return false;
  const std::uint8_t* const end = as_bytes(file).data() + file.size();
  return load_le<std::uint32_t>(end - 8) <= file.size() - 12;
}

bool is_whole(const std::string& name, const std::string& content) {
  if (name.ends_with(".parquet")) return is_whole_parquet(content);
  return !name.ends_with(".arrow") || is_whole_arrow(content);
}

using SinkPtr = std::unique_ptr<columns::TableSink>;
struct Way {
  // `output`: for what is one file.
  SinkPtr (*sink)(MemoryDirectory& directory, io::Output& output,
                  const columns::TableOptions& options);
  bool one_table = false;
  bool has_clocks = false;  // columns of timestamps and clock values
};

template <auto Format>
SinkPtr in_directory(MemoryDirectory& directory, io::Output&,
                     const columns::TableOptions& options) {
  return columns::directory_sink(directory, options, Format(options));
}
SinkPtr blocks(MemoryDirectory& directory, io::Output&, const columns::TableOptions& options) {
  return columns::directory_sink(directory, options, clickhouse::native_format());
}
SinkPtr stream(MemoryDirectory&, io::Output& output, const columns::TableOptions& options) {
  return columns::file_sink(output, arrow::stream_format(options));
}
SinkPtr database(MemoryDirectory&, io::Output& output, const columns::TableOptions& options) {
  return sqlite::database_sink(output, options);
}

constexpr std::array kWays = {Way{in_directory<parquet::parquet_format>},
                              Way{in_directory<parquet::parquet_format>, true, true},
                              Way{blocks},
                              Way{in_directory<arrow::file_format>, false, true},
                              Way{stream, true, true},
                              Way{database, false, true},
                              Way{database, true}};

// Returns how many events are in rows.
std::uint64_t write_tables(Reader& reader, const Way& way, MemoryDirectory& directory,
                           io::Output& output) {
  const columns::TableOptions options{.segment = "s",
                                      .tags = {{"host", "a"}, {"seq", "b"}},
                                      .one_table = way.one_table,
                                      .alone = way.sink == stream,
                                      .timestamps = way.has_clocks,
                                      .clock_values = way.has_clocks};
  const auto writer = columns::columns_writer(way.sink(directory, output, options), options, {});
  Written written;
  for (;;) {
    const Result<BatchPtr> batch = reader.next();
    if (!batch || *batch == nullptr) break;
    require(writer->write_batch(**batch, written).has_value());
  }
  require(writer->describe(*reader.description()).has_value());
  require(writer->finish().has_value());
  // What readers hand on is of its class.
  require(written.refused == 0);
  return written.events;
}

void expect_tables(const std::function<std::unique_ptr<Reader>()>& open, std::size_t size) {
  // For an event: what describes it may be short, and is there for each class.
  constexpr std::size_t kMostOfEvent = 4096;
  constexpr std::size_t kMostOfByte = 4096;
  for (const Way& way : kWays) {
    const std::unique_ptr<Reader> reader = open();
    if (reader == nullptr) return;
    MemoryDirectory directory;
    std::string file;
    const auto output = io::memory_output(file);
    const std::uint64_t events = write_tables(*reader, way, directory, *output);
    std::size_t bytes = file.size();
    for (const auto& [name, content] : directory.files()) {
      bytes += content.size();
      require(is_whole(name, content));
    }
    require(file.empty() == directory.files().contains("_manifest/s.json"));
    require(way.sink != database || file.starts_with("SQLite format 3"));
    require(bytes <= kMostOfByte * (size + 64) + kMostOfEvent * events);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ctf::FuzzFolder kFolder;
  const std::vector<ByteSpan> parts = ctf::parts_of({data, size});
  const auto opened = [](FoundTrace found) -> std::unique_ptr<Reader> {
    auto reader = open_found(std::move(found), {.values = true, .max_state = kMaxState});
    return reader ? *std::move(reader) : nullptr;
  };
  if (parts.size() > 1) {
    const std::string folder = kFolder.trace("t", parts[0], 0, parts[1]);
    if (parts.size() > 2) ctf::FuzzFolder::add(folder, 1, parts[2]);
    expect_tables(
        [&] {
          FoundTrace found{.format = find_format("ctf")};
          found.directories = {folder};
          return opened(std::move(found));
        },
        size);
    return 0;
  }
  if (size == 0) return 0;
  for (const std::string_view format : {"dial9", "heph", "tband"}) {
    expect_tables(
        [&] {
          FoundTrace found{.format = find_format(format)};
          found.input = io::memory_input("fuzz", {data, size}, 0);
          return opened(std::move(found));
        },
        size);
  }
  return 0;
}
