#include "tracedeck/columns/directory_sink.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tracedeck/columns/manifest.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::columns {
namespace {

// The file of a table that is written.
struct OpenFile {
  std::unique_ptr<io::Output> output = {};
  std::unique_ptr<TableFile> writer = {};  // null: there is none
};

class DirectorySink final : public TableSink {
 public:
  DirectorySink(io::OutputDirectory& output, TableOptions options,
                std::unique_ptr<TableFormat> format)
      : output_(output), options_(std::move(options)), format_(std::move(format)) {}

  Result<void> take(const Table& table) override {
    if (table.number >= tables_.size()) {
      tables_.resize(table.number + 1);
      files_.resize(table.number + 1);
    }
    TableFacts& facts = tables_[table.number];
    OpenFile& file = files_[table.number];
    if (file.writer == nullptr) {
      if (auto begun = begin(facts, file, table); !begun) return begun;
    }
    if (auto written = file.writer->write(table); !written) return written;
    facts.files.back().add_rows(table);
    return file.writer->full() ? end(facts, file) : Result<void>();
  }

  Result<void> finish(std::string_view facts) override {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].writer == nullptr) continue;
      if (auto ended = end(tables_[i], files_[i]); !ended) return ended;
    }
    TextBuffer text(nullptr, 4096);
    append_manifest(text, options_, tables_, facts);
    return write_text(fmt::format("_manifest/{}.json", options_.segment), text.view());
  }

  Result<void> flush() override {
    for (const OpenFile& file : files_) {
      if (file.output == nullptr) continue;
      if (auto flushed = file.output->flush(); !flushed) return flushed;
    }
    return {};
  }

 private:
  Result<void> begin(TableFacts& facts, OpenFile& file, const Table& table) {
    if (facts.files.empty()) {
      facts.name = table.name;
      if (const auto beside = format_->beside(table)) {
        if (auto written = write_text(beside->path, beside->text); !written) return written;
      }
    }
    std::string path = format_->path(table, facts.files.size());
    auto output = output_.create_file(path);
    if (!output) return std::unexpected(std::move(output.error()));
    facts.files.push_back({.path = std::move(path)});
    file.output = *std::move(output);
    file.writer = format_->begin(*file.output, table);
    return {};
  }

  Result<void> write_text(const std::string& path, std::string_view text) {
    auto file = output_.create_file(path);
    if (!file) return std::unexpected(std::move(file.error()));
    if (auto written = (*file)->write(text); !written) return written;
    return (*file)->finish();
  }

  static Result<void> end(TableFacts& facts, OpenFile& file) {
    if (auto finished = file.writer->finish(); !finished) return finished;
    facts.files.back().bytes = file.writer->size();
    file.writer.reset();
    const std::unique_ptr<io::Output> output = std::move(file.output);
    return output->finish();
  }

  io::OutputDirectory& output_;
  TableOptions options_;
  std::unique_ptr<TableFormat> format_;
  // Both by the numbers of tables.
  std::vector<TableFacts> tables_;
  std::vector<OpenFile> files_;
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
