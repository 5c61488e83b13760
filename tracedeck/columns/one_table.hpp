// All events in one table: the common columns, the name of the class, and fields as JSON text.
#pragma once

#include "tracedeck/columns/class_rows.hpp"

namespace tracedeck::columns {

[[nodiscard]] Column one_columns(const TableOptions& options);

class OneTable {
 public:
  // `table`: of `one_columns`. Both must outlive it.
  OneTable(Table& table, RowTools& tools);

  [[nodiscard]] RowResult append(const EventRow& row);
  [[nodiscard]] Table& table() const { return table_; }

 private:
  void append_time(Column& column, const Nanoseconds& time);
  void append_text(Column& column);

  Table& table_;
  RowTools& tools_;
};

}  // namespace tracedeck::columns
