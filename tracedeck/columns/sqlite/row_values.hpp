// The values of a column, one after the other, as SQLite or JSON have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/flat_columns.hpp"
#include "tracedeck/columns/places.hpp"
#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/text/text_buffer.hpp"

struct sqlite3_stmt;

namespace tracedeck::sqlite {

// What a database holds otherwise than columns do.
enum class RowLoss : std::uint8_t {
  kLargeInteger,
  kNotANumber,
  kNegativeZero,
  kMoreColumns,
  kRenamed,
  kCount
};
using RowLosses = AdaptationCounts<RowLoss>;

// Goes through the values of a column that are there, and of all that is in it.
class ValueCursor {
 public:
  explicit ValueCursor(const columns::Column& column);

  // Binds the next value of a leaf; texts live as long as the column, others are copied. Returns
  // the code of SQLite.
  int bind(sqlite3_stmt* statement, int number, RowLosses& losses);
  // Appends the next value.
  void append(TextBuffer& out, RowLosses& losses);

 private:
  // The same, or null.
  void append_instance(TextBuffer& out, RowLosses& losses);
  void append_group(TextBuffer& out, RowLosses& losses);
  void append_list(TextBuffer& out, RowLosses& losses);
  [[nodiscard]] std::int64_t integer(std::size_t value) const;
  [[nodiscard]] double real(std::size_t value) const;
  [[nodiscard]] std::string_view next_text();
  // Whether an integer is more than a signed one of 64 bits holds.
  [[nodiscard]] bool is_large(std::size_t value) const;

  const columns::Column& column_;
  std::size_t instance_ = 0;
  std::size_t value_ = 0;
  std::size_t character_ = 0;
  std::vector<ValueCursor> children_;
};

// A flat column of a table, row after row.
class RowValues {
 public:
  RowValues(const columns::FlatColumn& column, std::size_t rows);

  // The next row. Returns the code of SQLite. `text`: for what is made on the way.
  int bind(sqlite3_stmt* statement, int number, TextBuffer& text, RowLosses& losses);
  // The same as JSON.
  void append(TextBuffer& out, RowLosses& losses);

 private:
  const columns::FlatColumn& column_;
  columns::Places places_;
  ValueCursor cursor_;
  std::size_t row_ = 0;
};

// The type that a column is declared with; none where values keep theirs.
[[nodiscard]] std::string_view declared_type(const columns::FlatColumn& column);

}  // namespace tracedeck::sqlite
