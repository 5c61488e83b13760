#include "tracedeck/columns/answer_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/limits.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/query/answers.hpp"
#include "tracedeck/render/json.hpp"

namespace tracedeck::columns {
namespace {

using query::Cell;

bool fits_signed(const Integer& value) {
  return value.magnitude <= kLargestSigned ||
         (value.negative && value.magnitude == Uint128{kLargestSigned} + 1);
}

}  // namespace

void AnswerTable::Seen::note(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kUnknown:
      return;
    case Cell::Kind::kBoolean:
      booleans = true;
      return;
    case Cell::Kind::kInteger: {
      const Integer& value = cell.integer;
      integers = true;
      labels = labels || !cell.labels.empty();
      negative = negative || value.negative;
      huge = huge || value.magnitude >= kDecimalEnd;
      large = large || value.magnitude > std::numeric_limits<std::uint64_t>::max() ||
              (value.negative && !fits_signed(value));
      if (!large) largest = std::max(largest, static_cast<std::uint64_t>(value.magnitude));
      return;
    }
    case Cell::Kind::kReal:
      reals = true;
      return;
    case Cell::Kind::kBlob:
      blobs = true;
      return;
    case Cell::Kind::kText:
    case Cell::Kind::kJson:
    case Cell::Kind::kBuckets:
      texts = true;
      return;
  }
}

ColumnType AnswerTable::Seen::type() const {
  const bool numbers = integers || reals;
  if (texts || int{booleans} + int{numbers} + int{blobs} > 1 || huge) return ColumnType::kText;
  if (blobs) return ColumnType::kBytes;
  if (booleans) return ColumnType::kBoolean;
  if (reals) return ColumnType::kDouble;
  if (!integers) return ColumnType::kText;
  return large || (negative && largest > kLargestSigned) ? ColumnType::kDecimal
                                                         : ColumnType::kInteger;
}

Result<void> AnswerTable::add(std::span<const query::Value> row) {
  std::vector<Cell> cells;
  cells.reserve(row.size());
  for (const query::Value& value : row) cells.push_back(Cell::of(value));
  if (table_ != nullptr) return append(cells);
  seen_.resize(row.size());
  std::string& encoded = first_.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    seen_[i].note(cells[i]);
    query::encode(encoded, cells[i]);
  }
  first_bytes_ += encoded.size() + sizeof(std::string);
  return first_.size() < kFirstRows && first_bytes_ < kFirstBytes ? Result<void>() : begin();
}

Result<void> AnswerTable::finish() {
  if (table_ == nullptr) {
    if (auto begun = begin(); !begun) return begun;
  }
  if (table_->rows != 0 || table_->rows_before == 0) {
    if (auto taken = sink_->take(*table_); !taken) return taken;
  }
  return sink_->finish({});
}

Result<void> AnswerTable::begin() {
  const std::span<const query::Column> columns = query_.columns();
  seen_.resize(columns.size());
  Column root;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = repaired_utf8(columns[i].name);
    Column column{.name = free_name(root, name), .type = seen_[i].type(), .nullable = true};
    if (column.type == ColumnType::kInteger) {
      column.width = 64;
      column.is_signed = seen_[i].negative || seen_[i].largest <= kLargestSigned;
    }
    targets_.push_back({.column = root.children.size(), .labelled = seen_[i].labels});
    root.children.push_back(std::move(column));
    if (!seen_[i].labels) continue;
    Column labels{.name = free_name(root, name + "_label"), .type = ColumnType::kText};
    labels.nullable = true;
    root.children.push_back(std::move(labels));
  }
  table_ = std::make_unique<Table>("", std::move(root));
  table_->sorted = false;
  for (const std::string& row : std::exchange(first_, {})) {
    if (auto done = append(query::decode_cells(as_bytes(row))); !done) return done;
  }
  return {};
}

Result<void> AnswerTable::append(std::span<const Cell> row) {
  for (std::size_t i = 0; i < row.size(); ++i) append_cell(targets_[i], row[i]);
  ++table_->rows;
  if (table_->rows < Tables::kRows && table_->bytes < Tables::kBytes) return {};
  auto taken = sink_->take(*table_);
  clear(table_->root);
  table_->rows_before += std::exchange(table_->rows, 0);
  table_->bytes = 0;
  return taken;
}

void AnswerTable::append_cell(const Target& target, const Cell& cell) {
  Column& column = table_->root.children[target.column];
  table_->bytes += 9;
  column.valid.push_back(1);
  if (!append_value(column, cell)) {
    column.valid.pop_back();
    column.valid.push_back(0);
    if (cell.kind != Cell::Kind::kUnknown) losses_.add(ColumnLoss::kOtherKind);
  }
  if (!target.labelled) {
    if (!cell.labels.empty() && cell.kind == Cell::Kind::kInteger)
      losses_.add(ColumnLoss::kLabelWithoutColumn);
    return;
  }
  Column& labels = table_->root.children[target.column + 1];
  const bool has_label = cell.kind == Cell::Kind::kInteger && !cell.labels.empty();
  labels.valid.push_back(has_label ? 1 : 0);
  if (!has_label) return;
  if (cell.labels.size() > 1) losses_.add(ColumnLoss::kMoreLabels);
  append_text(labels, cell.labels.front());
}

bool AnswerTable::append_value(Column& column, const Cell& cell) {
  if (cell.kind == Cell::Kind::kUnknown) return false;
  switch (column.type) {
    case ColumnType::kBoolean:
      if (cell.kind != Cell::Kind::kBoolean) return false;
      column.bytes.push_back(cell.boolean ? 1 : 0);
      return true;
    case ColumnType::kInteger: {
      const Integer& value = cell.integer;
      const bool fits =
          column.is_signed
              ? fits_signed(value)
              : !value.negative && value.magnitude <= std::numeric_limits<std::uint64_t>::max();
      if (cell.kind != Cell::Kind::kInteger || !fits) return false;
      const auto size = static_cast<std::uint64_t>(value.magnitude);
      column.words64.push_back(value.negative ? 0 - size : size);
      return true;
    }
    case ColumnType::kDecimal: {
      const Integer& value = cell.integer;
      if (cell.kind != Cell::Kind::kInteger || value.magnitude >= kDecimalEnd) return false;
      const auto size = static_cast<Int128>(value.magnitude);
      column.decimals.push_back(value.negative ? -size : size);
      return true;
    }
    case ColumnType::kDouble: {
      if (cell.kind != Cell::Kind::kReal && cell.kind != Cell::Kind::kInteger) return false;
      if (cell.kind == Cell::Kind::kInteger && cell.integer.magnitude > kLargestExactInteger)
        losses_.add(ColumnLoss::kRoundedReal);
      const double real = cell.kind == Cell::Kind::kReal ? cell.real : cell.integer.to_real();
      column.words64.push_back(std::bit_cast<std::uint64_t>(real));
      return true;
    }
    case ColumnType::kBytes:
      if (cell.kind != Cell::Kind::kBlob) return false;
      append_text(column, cell.text);
      return true;
    default:
      append_text(column, repaired_utf8(cell.kind == Cell::Kind::kText
                                            ? std::string_view(cell.text)
                                            : std::string_view(query::json_of(cell))));
      return true;
  }
}

void AnswerTable::append_text(Column& column, std::string_view text) {
  column.characters.append(text);
  column.words32.push_back(static_cast<std::uint32_t>(text.size()));
  table_->bytes += text.size();
}

}  // namespace tracedeck::columns
