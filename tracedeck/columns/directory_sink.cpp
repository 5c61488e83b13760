#include "tracedeck/columns/directory_sink.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/base/version.hpp"
#include "tracedeck/render/json_object.hpp"

namespace tracedeck::columns {
namespace {

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
  std::vector<FileFacts> files = {};
  std::unique_ptr<io::Output> output = {};  // while one is written
  std::unique_ptr<TableFile> writer = {};
};

void note_times(FileFacts& facts, const Table& table) {
  const Column& time = table.root.children.front();
  if (time.name != kTimeColumn || time.type != ColumnType::kInteger) return;
  for (const std::uint64_t each : time.words64) {
    const auto value = static_cast<std::int64_t>(each);
    if (!facts.first_time || value < *facts.first_time) facts.first_time = value;
    if (!facts.last_time || value > *facts.last_time) facts.last_time = value;
  }
}

class DirectorySink final : public TableSink {
 public:
  DirectorySink(io::OutputDirectory& output, TableOptions options,
                std::unique_ptr<TableFormat> format)
      : output_(output), options_(std::move(options)), format_(std::move(format)) {}

  Result<void> take(const Table& table) override {
    if (table.number >= tables_.size()) tables_.resize(table.number + 1);
    TableFiles& files = tables_[table.number];
    if (files.writer == nullptr) {
      if (auto begun = begin(files, table); !begun) return begun;
    }
    if (auto written = files.writer->write(table); !written) return written;
    FileFacts& facts = files.files.back();
    facts.rows += table.rows;
    note_times(facts, table);
    return files.writer->full() ? end(files) : Result<void>();
  }

  Result<void> finish(std::string_view facts) override {
    for (TableFiles& files : tables_) {
      if (files.writer == nullptr) continue;
      if (auto ended = end(files); !ended) return ended;
    }
    render::TextBuffer text(nullptr, 4096);
    append_manifest(text, facts);
    return write_text(fmt::format("_manifest/{}.json", options_.segment), text.view());
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
      if (const auto beside = format_->beside(table)) {
        if (auto written = write_text(beside->path, beside->text); !written) return written;
      }
    }
    std::string path = format_->path(table, files.files.size());
    auto output = output_.create_file(path);
    if (!output) return std::unexpected(std::move(output.error()));
    files.files.push_back({.path = std::move(path)});
    files.output = *std::move(output);
    files.writer = format_->begin(*files.output, table);
    return {};
  }

  Result<void> write_text(const std::string& path, std::string_view text) {
    auto file = output_.create_file(path);
    if (!file) return std::unexpected(std::move(file.error()));
    if (auto written = (*file)->write(text); !written) return written;
    return (*file)->finish();
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
  std::unique_ptr<TableFormat> format_;
  std::vector<TableFiles> tables_;  // by number
};

class FileSink final : public TableSink {
 public:
  FileSink(io::Output& output, std::unique_ptr<TableFormat> format)
      : output_(output), format_(std::move(format)) {}

  Result<void> take(const Table& table) override {
    if (file_ == nullptr) file_ = format_->begin(output_, table);
    return file_->write(table);
  }
  Result<void> finish(std::string_view) override {
    return file_ == nullptr ? Result<void>() : file_->finish();
  }
  Result<void> flush() override { return output_.flush(); }

 private:
  io::Output& output_;
  std::unique_ptr<TableFormat> format_;
  std::unique_ptr<TableFile> file_;
};

}  // namespace

std::unique_ptr<TableSink> directory_sink(io::OutputDirectory& output, TableOptions options,
                                          std::unique_ptr<TableFormat> format) {
  return std::make_unique<DirectorySink>(output, std::move(options), std::move(format));
}

std::unique_ptr<TableSink> file_sink(io::Output& output, std::unique_ptr<TableFormat> format) {
  return std::make_unique<FileSink>(output, std::move(format));
}

}  // namespace tracedeck::columns
