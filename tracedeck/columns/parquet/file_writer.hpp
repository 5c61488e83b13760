// Writing a Parquet file: row groups one after the other, and at the end what describes them.
//
// https://github.com/apache/parquet-format. Data pages of version 1, compressed with zstd; page
// index, statistics and column orders. The same columns make the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/parquet/column_chunk.hpp"
#include "tracedeck/columns/table_files.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::parquet {

// One thread at a time.
class FileWriter {
 public:
  // `output` must outlive it, and is finished by the caller. `root`: the columns of the table, of
  // which names and types matter here.
  FileWriter(io::Output& output, const columns::Column& root, columns::KeyValues key_values);

  // Writes rows, at least one. `root`: as before, with values. `sorted`: a column below the root by
  // which the rows ascend, without nulls; -1: none. `encoder` may serve several files in turn.
  // Errors: those of the output.
  [[nodiscard]] Result<void> write_rows(const columns::Column& root, std::size_t rows, int sorted,
                                        ChunkEncoder& encoder);
  // Errors: those of the output.
  [[nodiscard]] Result<void> finish();

  // Bytes written until now.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // How many columns of row groups the end of the file will describe.
  [[nodiscard]] std::size_t chunks() const { return chunk_count_; }

 private:
  // What is known of a column of a row group when its pages are written.
  struct Chunk {
    std::uint64_t offset = 0;   // of its first page in the file
    std::string metadata = {};  // its ColumnMetaData
    std::string column_index = {};
    std::string offset_index = {};
    std::uint64_t size = 0;  // bytes
    std::uint64_t uncompressed_size = 0;
    // Where the indexes lie, once they are written.
    std::uint64_t column_index_offset = 0;
    std::uint64_t offset_index_offset = 0;
  };
  struct RowGroup {
    std::vector<Chunk> chunks = {};
    std::uint64_t rows = 0;
    int sorted = -1;  // the leaf
  };

  Result<void> write(std::string_view bytes);
  Chunk described(const LeafPath& path, const ColumnChunk& chunk) const;
  Result<void> write_indexes();
  [[nodiscard]] std::string footer() const;

  io::Output& output_;
  columns::KeyValues key_values_;
  std::string schema_;  // the list of SchemaElements
  std::size_t schema_size_ = 0;
  std::size_t leaves_ = 0;
  std::vector<RowGroup> groups_;
  std::uint64_t size_ = 0;
  std::size_t chunk_count_ = 0;
};

}  // namespace tracedeck::parquet
