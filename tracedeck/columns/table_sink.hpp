// Where the rows of tables go.
#pragma once

#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/time_partition.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::columns {

class MarkTables;

// How rows are to be written.
struct TableOptions {
  std::string segment = {};  // what names of files begin with; letters, digits, `_`, `-`, `.`
  Tags tags = {};
  bool one_table = false;  // for all event classes, with fields as JSON text
  // Each table of events is called by its columns too, so that those of other results with this
  // name have these columns.
  bool names_columns = false;
  // Nothing is beside that table: losses, problems and what describes traces are left out.
  bool alone = false;
  TimePartition partition = TimePartition::kNone;  // of tables of events
  bool events = true;                              // else events are counted, and in no table
  // Of what events mean, in tables beside those of events; null: nothing is. Must outlive the
  // writer, and is given the marks by the caller.
  MarkTables* marks = nullptr;
};

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
