#include "tracedeck/columns/notice_rows.hpp"

#include "tracedeck/columns/row_cursor.hpp"

namespace tracedeck::columns {

Column loss_columns(const TableOptions& options) {
  Column root;
  root.children = {notice_column("trace", ColumnType::kWord),
                   notice_column("stream", ColumnType::kWord, true),
                   notice_column("seq", ColumnType::kInteger, false, true),
                   notice_column("row", ColumnType::kInteger, false, true),
                   notice_column("events", ColumnType::kInteger, true),
                   notice_column("packets", ColumnType::kInteger, true),
                   notice_column("taken_back", ColumnType::kBoolean)};
  add_time(root, "begin_ns", options);
  add_time(root, "end_ns", options);
  add_tags(root, options.tags);
  return root;
}

Column problem_columns(const TableOptions& options) {
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
  add_tags(root, options.tags);
  return root;
}

void append_loss(Table& table, const Loss& loss, const RowOrigin& origin, std::int64_t seq,
                 ColumnLosses& losses) {
  RowCursor row(table);
  row.word(origin.trace);
  row.word_if(origin.stream);
  row.integer(static_cast<std::uint64_t>(seq));
  row.integer(table.rows_before + table.rows);
  row.integer(loss.events);
  row.integer(loss.packets);
  row.boolean(loss.taken_back);
  const ClockClass* const clock = loss.stream == nullptr || loss.stream->stream_class == nullptr
                                      ? nullptr
                                      : loss.stream->stream_class->default_clock;
  row.time(loss.begin, clock, losses);
  row.time(loss.end, clock, losses);
}

void append_problem(Table& table, const Notice& notice, bool damage, std::string_view trace,
                    std::int64_t seq) {
  const Finding& finding = notice.finding;
  const Rule* const rule = finding.rule;
  RowCursor row(table);
  row.word(trace);
  row.integer(static_cast<std::uint64_t>(seq));
  row.integer(table.rows_before + table.rows);
  row.word(severity_name(rule == nullptr ? Severity::kError : rule->severity));
  row.boolean(damage);
  row.word(rule == nullptr ? std::string_view() : rule->id);
  row.integer(finding.offset);
  row.integer(finding.length);
  row.text(finding.text);
}

}  // namespace tracedeck::columns
