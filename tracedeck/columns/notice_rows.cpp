#include "tracedeck/columns/notice_rows.hpp"

#include <limits>
#include <string>
#include <utility>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::columns {
namespace {

Column notice_column(std::string_view name, ColumnType type, bool is_nullable = false,
                     bool is_signed = false) {
  Column column{.name = std::string(name), .type = type};
  column.nullable = is_nullable;
  column.is_signed = is_signed;
  if (type == ColumnType::kInteger) column.width = 64;
  if (type == ColumnType::kWord) column.words = std::make_shared<Words>();
  return column;
}

void add_tags(Column& root, const Tags& tags) {
  for (const auto& [key, value] : tags) {
    root.children.push_back(notice_column(free_name(root, key), ColumnType::kWord));
    root.children.back().words->add(value);
  }
}

// Appends values to the columns of a row, from the first to the last.
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
  void word(const std::optional<std::string_view>& text) {
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

std::optional<std::uint64_t> time_bits(const std::optional<Nanoseconds>& time,
                                       ColumnLosses& losses) {
  if (!time) return {};
  if (time->magnitude() > static_cast<Uint128>(std::numeric_limits<std::int64_t>::max())) {
    losses.add(ColumnLoss::kLargeTime);
    return {};
  }
  const auto size = static_cast<std::uint64_t>(time->magnitude());
  return time->negative() ? 0 - size : size;
}

}  // namespace

Column loss_columns(const Tags& tags) {
  Column root;
  root.children = {notice_column("trace", ColumnType::kWord),
                   notice_column("stream", ColumnType::kWord, true),
                   notice_column("seq", ColumnType::kInteger, false, true),
                   notice_column("row", ColumnType::kInteger, false, true),
                   notice_column("events", ColumnType::kInteger, true),
                   notice_column("packets", ColumnType::kInteger, true),
                   notice_column("taken_back", ColumnType::kBoolean),
                   notice_column("begin_ns", ColumnType::kInteger, true, true),
                   notice_column("end_ns", ColumnType::kInteger, true, true)};
  add_tags(root, tags);
  return root;
}

Column problem_columns(const Tags& tags) {
  Column root;
  root.children = {notice_column("trace", ColumnType::kWord),
                   notice_column("seq", ColumnType::kInteger, false, true),
                   notice_column("row", ColumnType::kInteger, false, true),
                   notice_column("severity", ColumnType::kWord),
                   notice_column("damage", ColumnType::kBoolean),
                   notice_column("rule", ColumnType::kWord),
                   notice_column("offset", ColumnType::kInteger),
                   notice_column("length", ColumnType::kInteger),
                   notice_column("text", ColumnType::kText)};
  add_tags(root, tags);
  return root;
}

void append_loss(Table& table, const Loss& loss, const RowOrigin& origin, ColumnLosses& losses) {
  RowCursor row(table);
  row.word(origin.trace);
  row.word(origin.stream);
  row.integer(static_cast<std::uint64_t>(origin.seq));
  row.integer(table.rows_before + table.rows);
  row.integer(loss.events);
  row.integer(loss.packets);
  row.boolean(loss.taken_back);
  row.integer(time_bits(loss.begin, losses));
  row.integer(time_bits(loss.end, losses));
}

void append_problem(Table& table, const Notice& notice, bool damage, const RowOrigin& origin) {
  const Finding& finding = notice.finding;
  const Rule* const rule = finding.rule;
  RowCursor row(table);
  row.word(origin.trace);
  row.integer(static_cast<std::uint64_t>(origin.seq));
  row.integer(table.rows_before + table.rows);
  row.word(severity_name(rule == nullptr ? Severity::kError : rule->severity));
  row.boolean(damage);
  row.word(rule == nullptr ? std::string_view() : rule->id);
  row.integer(finding.offset);
  row.integer(finding.length);
  row.text(finding.text);
}

}  // namespace tracedeck::columns
