#include "tracedeck/columns/sqlite/row_values.hpp"

#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/integer.hpp"
#include "tracedeck/columns/decimal_text.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::sqlite {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::FlatColumn;

constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

int bind_text(sqlite3_stmt* statement, int number, std::string_view text,
              sqlite3_destructor_type lifetime = SQLITE_STATIC) {
  // No text is null where its address is.
  return sqlite3_bind_text64(statement, number, text.empty() ? "" : text.data(), text.size(),
                             lifetime, SQLITE_UTF8);
}

// As functions of SQLite take it: 2023-11-14T22:13:20.000001Z.
std::string timestamp_text(std::int64_t microseconds) {
  const auto size = static_cast<std::uint64_t>(std::abs(microseconds));
  std::string text = render::time_text(
      Nanoseconds::from_unsigned(Uint128{size} * 1000, microseconds < 0), ClockOrigin::kUnixEpoch);
  // Its last digits are of ns.
  return text.replace(text.size() - std::string_view("000Z").size(), std::string::npos, "Z");
}

columns::Places places_of(const FlatColumn& column, std::size_t rows) {
  columns::Places places{.count = rows};
  for (const Column* const each : column.path)
    places = columns::value_places(*each, std::move(places));
  return places;
}

}  // namespace

ValueCursor::ValueCursor(const Column& column) : column_(column) {
  for (const Column& child : column.children) children_.emplace_back(child);
}

std::int64_t ValueCursor::integer(std::size_t value) const {
  if (column_.width == 64) return static_cast<std::int64_t>(column_.words64[value]);
  const std::uint32_t word = column_.words32[value];
  return column_.is_signed ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
}

bool ValueCursor::is_large(std::size_t value) const {
  return column_.width == 64 && !column_.is_signed && column_.words64[value] > kLargest;
}

double ValueCursor::real(std::size_t value) const {
  return column_.type == ColumnType::kFloat ? double{std::bit_cast<float>(column_.words32[value])}
                                            : std::bit_cast<double>(column_.words64[value]);
}

std::string_view ValueCursor::next_text() {
  const std::uint32_t size = column_.words32[value_++];
  const std::string_view text = std::string_view(column_.characters).substr(character_, size);
  character_ += size;
  return text;
}

int ValueCursor::bind(sqlite3_stmt* statement, int number, RowLosses& losses) {
  switch (column_.type) {
    case ColumnType::kBoolean:
      return sqlite3_bind_int(statement, number, column_.bytes[value_++]);
    case ColumnType::kInteger: {
      const std::size_t value = value_++;
      if (column_.is_timestamp)
        return bind_text(statement, number, timestamp_text(integer(value)), SQLITE_TRANSIENT);
      if (!is_large(value)) return sqlite3_bind_int64(statement, number, integer(value));
      losses.add(RowLoss::kLargeInteger);
      return bind_text(statement, number, std::to_string(column_.words64[value]), SQLITE_TRANSIENT);
    }
    case ColumnType::kDecimal:
      return bind_text(statement, number, columns::decimal_text(column_.decimals[value_++]),
                       SQLITE_TRANSIENT);
    case ColumnType::kFloat:
    case ColumnType::kDouble: {
      const double value = real(value_++);
      if (std::isnan(value)) {
        losses.add(RowLoss::kNotANumber);
        return bind_text(statement, number, "NaN");
      }
      if (value == 0 && std::signbit(value)) losses.add(RowLoss::kNegativeZero);
      return sqlite3_bind_double(statement, number, value);
    }
    case ColumnType::kText:
      return bind_text(statement, number, next_text());
    case ColumnType::kBytes: {
      const std::string_view bytes = next_text();
      return sqlite3_bind_blob64(statement, number, bytes.empty() ? "" : bytes.data(), bytes.size(),
                                 SQLITE_STATIC);
    }
    case ColumnType::kWord:
      return bind_text(statement, number, (*column_.words)[column_.words32[value_++]]);
    case ColumnType::kGroup:
    case ColumnType::kList:
      break;
  }
  return SQLITE_MISUSE;
}

void ValueCursor::append(TextBuffer& out, RowLosses& losses) {
  switch (column_.type) {
    case ColumnType::kGroup:
      return append_group(out, losses);
    case ColumnType::kList:
      return append_list(out, losses);
    case ColumnType::kBoolean:
      return out.append(column_.bytes[value_++] != 0 ? "true" : "false");
    case ColumnType::kInteger: {
      const std::size_t value = value_++;
      if (column_.is_timestamp) {
        append_json_string(out, timestamp_text(integer(value)));
        return;
      }
      if (!is_large(value)) return append_decimal(out, integer(value));
      // As a number SQLite would round it.
      losses.add(RowLoss::kLargeInteger);
      append_json_string(out, std::to_string(column_.words64[value]));
      return;
    }
    case ColumnType::kDecimal:
      append_json_string(out, columns::decimal_text(column_.decimals[value_++]));
      return;
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return append_json_real(out, real(value_++));
    case ColumnType::kText:
      append_json_string(out, next_text());
      return;
    case ColumnType::kBytes:
      return append_json_base64(out, as_bytes(next_text()));
    case ColumnType::kWord:
      append_json_string(out, (*column_.words)[column_.words32[value_++]]);
      return;
  }
}

void ValueCursor::append_instance(TextBuffer& out, RowLosses& losses) {
  if (column_.nullable && column_.valid[instance_++] == 0) return out.append("null");
  append(out, losses);
}

void ValueCursor::append_group(TextBuffer& out, RowLosses& losses) {
  JsonObject object(out);
  for (ValueCursor& child : children_) {
    object.key(child.column_.name);
    child.append_instance(out, losses);
  }
  object.end();
}

void ValueCursor::append_list(TextBuffer& out, RowLosses& losses) {
  JsonArray array(out);
  for (std::uint32_t rest = column_.words32[value_++]; rest > 0; --rest) {
    array.next();
    children_.front().append_instance(out, losses);
  }
  array.end();
}

RowValues::RowValues(const FlatColumn& column, std::size_t rows)
    : column_(column), places_(places_of(column, rows)), cursor_(*column.path.back()) {}

int RowValues::bind(sqlite3_stmt* statement, int number, TextBuffer& text, RowLosses& losses) {
  const bool is_there = places_.has(row_++);
  if (column_.presence) return sqlite3_bind_int(statement, number, is_there ? 1 : 0);
  if (!is_there) return sqlite3_bind_null(statement, number);
  if (column_.path.back()->is_leaf()) return cursor_.bind(statement, number, losses);
  text.clear();
  cursor_.append(text, losses);
  return bind_text(statement, number, text.view(), SQLITE_TRANSIENT);
}

void RowValues::append(TextBuffer& out, RowLosses& losses) {
  const bool is_there = places_.has(row_++);
  if (column_.presence) return out.append(is_there ? "true" : "false");
  if (!is_there) return out.append("null");
  cursor_.append(out, losses);
}

std::string_view declared_type(const FlatColumn& column) {
  if (column.presence) return "INTEGER";
  const Column& last = *column.path.back();
  switch (last.type) {
    case ColumnType::kInteger:
      if (last.is_timestamp) return "TEXT";
      // Text of digits stays text in a column without a type.
      return last.width == 64 && !last.is_signed ? "" : "INTEGER";
    case ColumnType::kBoolean:
      return "INTEGER";
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return "REAL";
    case ColumnType::kBytes:
      return "BLOB";
    default:
      return "TEXT";
  }
}

}  // namespace tracedeck::sqlite
