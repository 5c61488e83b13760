// What is said of a whole result of tables, as one JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::columns {

// Where rows of a table are.
struct FileFacts {
  std::string path = {};  // in a database the name of the table
  std::uint64_t rows = 0;
  std::optional<std::uint64_t> bytes = {};
  std::optional<std::int64_t> first_time = {};
  std::optional<std::int64_t> last_time = {};

  // The rows of a table are there too.
  void add_rows(const Table& table);
};

// One table.
struct TableFacts {
  std::string name = {};
  std::vector<FileFacts> files = {};
};

// `facts`: as `TableSink::finish` has it.
void append_manifest(TextBuffer& text, const TableOptions& options,
                     std::span<const TableFacts> tables, std::string_view facts);

}  // namespace tracedeck::columns
