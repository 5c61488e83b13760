// How results that are tables are written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/format/writer.hpp"

namespace tracedeck::columns {

// Names and values that every row has.
using Tags = std::vector<std::pair<std::string, std::string>>;

// Folders of the UTC date, or of date and hour.
enum class TimePartition : std::uint8_t { kNone, kDate, kHour };

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
  bool timestamps = false;                         // beside times in ns
  bool clock_values = false;                       // of events, as the trace has them
  TimePartition partition = TimePartition::kNone;  // of tables of events
  bool events = true;                              // else events are counted, and in no table
  // What of the traces was hidden, asked at the end; empty: nothing is said of it.
  std::function<Receipt()> hidden = {};
  // Of what events mean, in tables beside those of events; null: nothing is. Must outlive the
  // writer, and is given the marks by the caller.
  MarkTables* marks = nullptr;
};

}  // namespace tracedeck::columns
