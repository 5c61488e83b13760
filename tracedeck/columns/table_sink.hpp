// Where the rows of tables go.
#pragma once

#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_options.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::columns {

// One thread at a time.
class TableSink {
 public:
  virtual ~TableSink() = default;

  // Takes the rows that are in a table's columns, at least one, but where a table that is alone has
  // none at all. The caller removes them. Tables keep their number and come with it again and
  // again. Errors: those of outputs.
  [[nodiscard]] virtual Result<void> take(const Table& table) = 0;

  // After all rows. `facts`: members of a JSON object about the whole, "" or with a comma before
  // each. Errors: those of outputs.
  [[nodiscard]] virtual Result<void> finish(std::string_view facts) = 0;

  // Hands what is buffered to the outputs.
  [[nodiscard]] virtual Result<void> flush() = 0;

  // What the target holds otherwise than the columns that were taken.
  [[nodiscard]] virtual Receipt receipt() const { return {}; }
};

}  // namespace tracedeck::columns
