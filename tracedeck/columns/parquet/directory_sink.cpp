#include "tracedeck/columns/parquet/directory_sink.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/version.hpp"
#include "tracedeck/columns/parquet/file_writer.hpp"
#include "tracedeck/columns/partition_name.hpp"
#include "tracedeck/render/json_object.hpp"

namespace tracedeck::parquet {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::Table;
using columns::TableOptions;

// What a file holds before another part is begun: its end is in memory until then.
constexpr std::size_t kFileChunks = 4096;
constexpr std::uint64_t kFileBytes = std::uint64_t{512} << 20;

struct FileFacts {
  std::string path = {};
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> first_time = {};
  std::optional<std::int64_t> last_time = {};
};

// The files of one table.
struct TableFiles {
  std::string name = {};
  std::string folder = {};  // "" of the only table
  std::vector<FileFacts> files = {};
  std::unique_ptr<io::Output> output = {};  // while one is written
  std::unique_ptr<FileWriter> writer = {};
};

void note_times(FileFacts& facts, const Table& table) {
  const Column& time = table.root.children.front();
  if (time.name != columns::kTimeColumn || time.type != ColumnType::kInteger) return;
  for (const std::uint64_t each : time.words64) {
    const auto value = static_cast<std::int64_t>(each);
    if (!facts.first_time || value < *facts.first_time) facts.first_time = value;
    if (!facts.last_time || value > *facts.last_time) facts.last_time = value;
  }
}

class DirectorySink final : public columns::TableSink {
 public:
  DirectorySink(io::OutputDirectory& output, TableOptions options)
      : output_(output), options_(std::move(options)) {}

  Result<void> take(const Table& table) override {
    if (table.number >= tables_.size()) tables_.resize(table.number + 1);
    TableFiles& files = tables_[table.number];
    if (files.writer == nullptr) {
      if (auto begun = begin(files, table); !begun) return begun;
    }
    const int sorted = table.sorted ? 0 : -1;
    const bool has_time = table.root.children.front().name == columns::kTimeColumn;
    auto written =
        files.writer->write_rows(table.root, table.rows, has_time ? sorted : -1, encoder_);
    if (!written) return written;
    FileFacts& facts = files.files.back();
    facts.rows += table.rows;
    note_times(facts, table);
    const bool full = files.writer->chunks() >= kFileChunks || files.writer->size() >= kFileBytes;
    return full ? end(files) : Result<void>();
  }

  Result<void> finish(std::string_view facts) override {
    for (TableFiles& files : tables_) {
      if (files.writer == nullptr) continue;
      if (auto ended = end(files); !ended) return ended;
    }
    auto file = output_.create_file(fmt::format("_manifest/{}.json", options_.segment));
    if (!file) return std::unexpected(std::move(file.error()));
    render::TextBuffer text(file->get());
    append_manifest(text, facts);
    if (auto written = text.drain(); !written) return written;
    return (*file)->finish();
  }

  Result<void> flush() override {
    for (TableFiles& files : tables_) {
      if (files.output == nullptr) continue;
      if (auto flushed = files.output->flush(); !flushed) return flushed;
    }
    return {};
  }

 private:
  Result<void> begin(TableFiles& files, const Table& table) {
    if (files.files.empty()) {
      files.name = table.name;
      const bool is_only = options_.one_table && !table.name.starts_with("__");
      if (!is_only) files.folder = columns::partition_name("class", table.name) + "/";
    }
    std::string path =
        fmt::format("{}{}-{:04}.parquet", files.folder, options_.segment, files.files.size());
    auto output = output_.create_file(path);
    if (!output) return std::unexpected(std::move(output.error()));
    files.files.push_back({.path = std::move(path)});
    files.output = *std::move(output);
    KeyValues facts{{"tracedeck.version", std::string(version())},
                    {"tracedeck.segment", options_.segment}};
    if (!files.folder.empty()) facts.emplace_back("tracedeck.class", table.name);
    files.writer = std::make_unique<FileWriter>(*files.output, table.root, std::move(facts));
    return {};
  }

  Result<void> end(TableFiles& files) {
    if (auto finished = files.writer->finish(); !finished) return finished;
    files.files.back().bytes = files.writer->size();
    files.writer.reset();
    const std::unique_ptr<io::Output> output = std::move(files.output);
    return output->finish();
  }

  void append_manifest(render::TextBuffer& text, std::string_view facts) const {
    render::JsonObject manifest(text);
    manifest.string("tracedeck", version());
    manifest.string("segment", options_.segment);
    render::JsonObject tags(manifest.key("tags"));
    for (const auto& [key, value] : options_.tags) tags.string(key, value);
    tags.end();
    render::JsonArray tables(manifest.key("tables"));
    for (const TableFiles& files : tables_) {
      render::JsonObject table(tables.next());
      table.string("class", files.name);
      render::JsonArray list(table.key("files"));
      for (const FileFacts& each : files.files) {
        render::JsonObject file(list.next());
        file.string("path", each.path);
        file.integer("rows", each.rows);
        file.integer("bytes", each.bytes);
        file.integer_if("first_time_ns", each.first_time);
        file.integer_if("last_time_ns", each.last_time);
        file.end();
      }
      list.end();
      table.end();
    }
    tables.end();
    text.append(facts);
    manifest.end();
    text.append('\n');
  }

  io::OutputDirectory& output_;
  TableOptions options_;
  ChunkEncoder encoder_;
  std::vector<TableFiles> tables_;  // by number
};

}  // namespace

std::unique_ptr<columns::TableSink> directory_sink(io::OutputDirectory& output,
                                                   TableOptions options) {
  return std::make_unique<DirectorySink>(output, std::move(options));
}

}  // namespace tracedeck::parquet
