#include "tracedeck/columns/parquet/parquet_format.hpp"

#include <string>
#include <utility>

#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/parquet/file_writer.hpp"
#include "tracedeck/columns/table_files.hpp"

namespace tracedeck::parquet {
namespace {

using columns::Table;

// What a file holds before another part is begun: its end is in memory until then.
constexpr std::size_t kFileChunks = 4096;

class ParquetFile final : public columns::TableFile {
 public:
  ParquetFile(io::Output& output, const Table& table, columns::KeyValues facts,
              ChunkEncoder& encoder)
      : writer_(output, table.root, std::move(facts)), encoder_(encoder) {}

  Result<void> write(const Table& table) override {
    const bool sorted = table.sorted && table.root.children.front().name == columns::kTimeColumn;
    return writer_.write_rows(table.root, table.rows, sorted ? 0 : -1, encoder_);
  }
  Result<void> finish() override { return writer_.finish(); }
  [[nodiscard]] std::uint64_t size() const override { return writer_.size(); }
  [[nodiscard]] bool full() const override {
    return writer_.chunks() >= kFileChunks || writer_.size() >= columns::kFileBytes;
  }

 private:
  FileWriter writer_;
  ChunkEncoder& encoder_;
};

class ParquetFormat final : public columns::TableFormat {
 public:
  explicit ParquetFormat(columns::TableOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string path(const Table& table, std::size_t part) const override {
    return columns::table_path(table, options_, part, ".parquet");
  }

  [[nodiscard]] std::unique_ptr<columns::TableFile> begin(io::Output& output,
                                                          const Table& table) override {
    return std::make_unique<ParquetFile>(output, table, columns::file_facts(table, options_),
                                         encoder_);
  }

 private:
  columns::TableOptions options_;
  ChunkEncoder encoder_;
};

}  // namespace

std::unique_ptr<columns::TableFormat> parquet_format(columns::TableOptions options) {
  return std::make_unique<ParquetFormat>(std::move(options));
}

}  // namespace tracedeck::parquet
