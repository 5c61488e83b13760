// Tables as files of one format: in a directory with a manifest that says which, or one table
// alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck::columns {

// A file under construction. One thread at a time.
class TableFile {
 public:
  virtual ~TableFile() = default;

  // Writes the rows of a table, which are none where `TableSink::take` says so. Errors: those of
  // the output.
  [[nodiscard]] virtual Result<void> write(const Table& table) = 0;
  // Writes what comes last. The output is finished by the caller. Errors: those of the output.
  [[nodiscard]] virtual Result<void> finish() { return {}; }

  // Bytes written until now.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Whether another file is to be begun.
  [[nodiscard]] virtual bool full() const { return false; }
};

class TableFormat {
 public:
  virtual ~TableFormat() = default;

  // Where a file of a table lies in the directory. `part`: counts the files of the table from 0.
  [[nodiscard]] virtual std::string path(const Table& table, std::size_t part) const = 0;
  // `output` must outlive the file. `table`: of which names and types matter here.
  [[nodiscard]] virtual std::unique_ptr<TableFile> begin(io::Output& output,
                                                         const Table& table) = 0;

  // A text that lies beside the files of a table.
  struct Beside {
    std::string path = {};
    std::string text = {};
  };
  [[nodiscard]] virtual std::optional<Beside> beside(const Table&) const { return {}; }
};

// `output` must outlive it, and is finished by the caller. Beside the files of the format there is
// `_manifest/SEGMENT.json`, written last.
[[nodiscard]] std::unique_ptr<TableSink> directory_sink(io::OutputDirectory& output,
                                                        TableOptions options,
                                                        std::unique_ptr<TableFormat> format);

// The only table of `TableOptions::alone`. `output` as before.
[[nodiscard]] std::unique_ptr<TableSink> file_sink(io::Output& output,
                                                   std::unique_ptr<TableFormat> format);

}  // namespace tracedeck::columns
