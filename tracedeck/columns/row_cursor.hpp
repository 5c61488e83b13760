// Rows of tables that are no events of a class, value by value.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_options.hpp"
#include "tracedeck/columns/timestamp.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::columns {

[[nodiscard]] inline Column notice_column(std::string_view name, ColumnType type,
                                          bool is_nullable = false, bool is_signed = false) {
  Column column{.name = std::string(name), .type = type};
  column.nullable = is_nullable;
  column.is_signed = is_signed;
  if (type == ColumnType::kInteger) column.width = 64;
  if (type == ColumnType::kWord) column.words = std::make_shared<Words>();
  return column;
}

inline void add_tags(Column& root, const Tags& tags) {
  for (const auto& [key, value] : tags) {
    root.children.push_back(notice_column(free_name(root, key), ColumnType::kWord));
    root.children.back().words->add(value);
  }
}

// A time as the bits of a column; none where it does not hold it.
[[nodiscard]] inline std::optional<std::uint64_t> time_bits(const std::optional<Nanoseconds>& time,
                                                            ColumnLosses& losses) {
  if (!time) return {};
  if (time->magnitude() > static_cast<Uint128>(std::numeric_limits<std::int64_t>::max())) {
    losses.add(ColumnLoss::kLargeTime);
    return {};
  }
  const auto size = static_cast<std::uint64_t>(time->magnitude());
  return time->negative() ? 0 - size : size;
}

// A column `NAME_ns` and, if they are asked for, one of timestamps behind it: `time` of `at_ns`,
// of others `NAME_time`.
inline void add_time(Column& root, std::string_view name, const TableOptions& options) {
  root.children.push_back(notice_column(name, ColumnType::kInteger, true, true));
  if (!options.timestamps) return;
  const std::string_view stem = name.substr(0, name.find('_'));
  root.children.push_back(timestamp_column(stem == "at" ? "time" : std::string(stem) + "_time"));
}

// Appends values to the columns of a row, from the first to the last; the last ones are tags.
class RowCursor {
 public:
  explicit RowCursor(Table& table) : table_(table) {}
  // Tags have one value each.
  ~RowCursor() {
    while (next_ < table_.root.children.size()) take().words32.push_back(0);
    ++table_.rows;
  }
  RowCursor(const RowCursor&) = delete;
  RowCursor& operator=(const RowCursor&) = delete;

  void word(std::string_view text) {
    Column& column = take();
    column.words32.push_back(column.words->number(text));
    table_.bytes += 4;
  }
  void word_if(const std::optional<std::string_view>& text) {
    if (valid(text.has_value())) word(*text);
  }
  void text(std::string_view text) {
    Column& column = take();
    const std::string repaired = repaired_utf8(text);
    column.characters += repaired;
    column.words32.push_back(static_cast<std::uint32_t>(repaired.size()));
    table_.bytes += 4 + repaired.size();
  }
  void integer(std::uint64_t value) {
    take().words64.push_back(value);
    table_.bytes += 8;
  }
  void integer(const std::optional<std::uint64_t>& value) {
    if (valid(value.has_value())) integer(*value);
  }
  // `clock`: which the time is of, null: it is not known.
  void time(const std::optional<Nanoseconds>& time, const ClockClass* clock, ColumnLosses& losses) {
    integer(time_bits(time, losses));
    const std::vector<Column>& columns = table_.root.children;
    if (next_ == columns.size() || !columns[next_].is_timestamp) return;
    append_timestamp(next(8), clock, time, losses);
  }
  void text_if(const std::optional<std::string_view>& value) {
    if (valid(value.has_value())) text(*value);
  }
  void real(const std::optional<double>& value) {
    if (!valid(value.has_value())) return;
    take().words64.push_back(std::bit_cast<std::uint64_t>(*value));
    table_.bytes += 8;
  }
  // The next column, whose value is for the caller to append.
  Column& next(std::uint64_t bytes) {
    table_.bytes += bytes;
    return take();
  }
  void boolean(bool value) { take().bytes.push_back(value ? 1 : 0); }

 private:
  Column& take() { return table_.root.children[next_++]; }
  // A null takes the column.
  bool valid(bool is_valid) {
    table_.root.children[next_].valid.push_back(is_valid ? 1 : 0);
    if (!is_valid) ++next_;
    return is_valid;
  }

  Table& table_;
  std::size_t next_ = 0;
};

}  // namespace tracedeck::columns
