#include "tracedeck/columns/one_table.hpp"

#include <limits>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/render/json_event.hpp"

namespace tracedeck::columns {
namespace {

// In their order, behind the common ones and tags.
constexpr std::array<std::string_view, 3> kOneTexts = {"class", "context", "fields"};

}  // namespace

Column one_columns(const TableOptions& options) {
  Column root = common_columns(true, options, false).root;
  for (const std::string_view name : kOneTexts) {
    Column column{.name = free_name(root, name), .type = ColumnType::kText};
    column.nullable = true;
    if (name == kOneTexts.front()) {
      column.type = ColumnType::kWord;
      column.words = std::make_shared<Words>();
    }
    root.children.push_back(std::move(column));
  }
  return root;
}

OneTable::OneTable(Table& table, RowTools& tools) : table_(table), tools_(tools) {}

RowResult OneTable::append(const EventRow& row) {
  const Event& event = *row.event;
  const RowOrigin& origin = *row.origin;
  std::vector<Column>& columns = table_.root.children;
  const EventClass& event_class = *event.event_class;
  auto column = columns.begin();
  if (event_class.clock != nullptr) {
    append_time(*column++, event.began_at());
  } else {
    table_.sorted = false;
    (column++)->valid.push_back(0);
  }
  column += static_cast<std::ptrdiff_t>(
      append_clock(std::span(column, columns.end()), event, tools_.losses));
  if (event_class.clock != nullptr && event_class.has_duration) {
    append_time(*column++, event_class.clock->interval(event.time, event.end_time));
  } else {
    (column++)->valid.push_back(0);
  }
  column->words32.push_back(column->words->number(origin.trace));
  ++column;
  column->valid.push_back(origin.stream ? 1 : 0);
  if (origin.stream) column->words32.push_back(column->words->number(*origin.stream));
  ++column;
  (column++)->words64.push_back(static_cast<std::uint64_t>(row.seq));
  for (; column != columns.end() - kOneTexts.size(); ++column) column->words32.push_back(0);

  const bool described = event_class.self_described && !event.payload().empty();
  column->valid.push_back(described || event_class.name ? 1 : 0);
  if (described || event_class.name) {
    const std::string name = repaired_utf8(described ? render::described_name(event)
                                                     : std::string_view(*event_class.name));
    column->words32.push_back(column->words->number(name));
  }
  ++column;
  tools_.text.clear();
  if (render::has_context(event)) {
    render::append_context_object(tools_.text, tools_.json, event);
  }
  append_text(*column++);
  tools_.text.clear();
  if (described) {
    render::append_described_fields(tools_.text, tools_.json, event);
  } else if (event_class.payload != nullptr) {
    tools_.json.append_members(tools_.text, event.payload(), event_class.payload.get());
  }
  append_text(*column);
  ++table_.rows;
  table_.bytes += 48;
  return RowResult::kAppended;
}

void OneTable::append_time(Column& column, const Nanoseconds& time) {
  const bool is_time = &column == table_.root.children.data();
  const bool fits =
      time.magnitude() <= static_cast<Uint128>(std::numeric_limits<std::int64_t>::max());
  column.valid.push_back(fits ? 1 : 0);
  if (!fits) {
    tools_.losses.add(ColumnLoss::kLargeTime);
    if (is_time) table_.sorted = false;
    return;
  }
  auto value = static_cast<std::int64_t>(time.magnitude());
  if (time.negative()) value = -value;
  column.words64.push_back(static_cast<std::uint64_t>(value));
  if (!is_time) return;
  table_.sorted = table_.sorted && (table_.rows == 0 || table_.last_time <= value);
  table_.last_time = value;
}

// What is in the tools' text; nothing is null.
void OneTable::append_text(Column& column) {
  const std::string_view text = tools_.text.view();
  column.valid.push_back(text.empty() ? 0 : 1);
  if (text.empty()) return;
  column.characters.append(text);
  column.words32.push_back(static_cast<std::uint32_t>(text.size()));
  table_.bytes += text.size();
}

}  // namespace tracedeck::columns
