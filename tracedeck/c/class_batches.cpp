#include "tracedeck/c/class_batches.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/notice_rows.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/render/json_event.hpp"

namespace tracedeck::capi {

using columns::Column;
using columns::RowResult;

ClassBatches::ClassBatches(TraceNames trace_names, std::set<std::string, std::less<>> names)
    : traces_(std::move(trace_names)), names_(std::move(names)) {}

void ClassBatches::know(ClassEntry& entry, const EventClass& event_class) {
  entry.is_known = true;
  if (!wants(event_class.name.value_or(""))) return;
  entry.appender = std::make_shared<Appender>();
  entry.appender->rows = make_rows(event_class, false);
  entry.appender->waiting.reserve(columns::ClassRows::kBlock);
}

Result<void> ClassBatches::append_waiting() {
  for (const std::shared_ptr<Appender>& each : waiting_) {
    if (auto done = append(*each); !done) return done;
  }
  waiting_.clear();
  filling_.clear();
  gone_origins_.clear();
  return {};
}

Result<void> ClassBatches::keep_order(Appender& appender) {
  Appender*& filling = filling_[&appender.rows->table()];
  Appender* const other = std::exchange(filling, &appender);
  return other == nullptr || other == &appender ? Result<void>() : append(*other);
}

Result<void> ClassBatches::append(Appender& appender) {
  // What a block takes before its first row is more than a few rows take one by one.
  constexpr std::size_t kFew = 4;
  const std::span<const columns::EventRow> rows = appender.waiting;
  if (rows.size() < kFew || !appender.rows->append_block(rows)) {
    for (const columns::EventRow& row : rows) {
      if (auto done = append(appender, row); !done) return done;
    }
  }
  appender.waiting.clear();
  return {};
}

Result<void> ClassBatches::append(Appender& appender, const columns::EventRow& row) {
  RowResult result = appender.rows->append(row);
  if (result == RowResult::kTooWide && !appender.rows->is_wide()) [[unlikely]] {
    // From here on all events of the class have wider columns.
    appender.rows = make_rows(*row.event->event_class, true);
    if (auto done = keep_order(appender); !done) return done;
    result = appender.rows->append(row);
  }
  if (result == RowResult::kAppended) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the values of an event are not those that its class has");
}

void ClassBatches::add(const Record& other) {
  switch (other.kind) {
    case RecordKind::kLoss: {
      RowClass* const lost = notice_class(columns::kLossTable, columns::loss_columns);
      if (lost == nullptr) return;
      const DataStream* const stream = other.loss->stream;
      const DataStreamClass* const of = stream == nullptr ? nullptr : stream->stream_class;
      find_origin(stream == nullptr ? EntityId::none() : stream->entity, stream,
                  of == nullptr ? nullptr : of->trace);
      columns::append_loss(lost->table, *other.loss, *origin_, seq_, tools_.losses);
      ++rows_;
      return;
    }
    case RecordKind::kProblem:
    case RecordKind::kFinding: {
      RowClass* const problem = notice_class(columns::kProblemTable, columns::problem_columns);
      if (problem == nullptr) return;
      const std::string trace = traces_.name_of_input(other.notice->trace_input());
      columns::append_problem(problem->table, *other.notice, other.kind == RecordKind::kProblem,
                              trace, seq_);
      ++rows_;
      return;
    }
    default:
      return;
  }
}

std::uint64_t ClassBatches::bytes() const {
  return std::accumulate(
      classes_.begin(), classes_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const RowClass& each) { return sum + each.table.bytes; });
}

std::optional<std::uint32_t> ClassBatches::next_filled(std::uint32_t begin) const {
  if (rows_ == 0) return {};
  for (std::uint32_t i = begin; i < classes_.size(); ++i)
    if (classes_[i].table.rows != 0) return i;
  return {};
}

void ClassBatches::export_class(std::uint32_t number, ArrowArray& array) {
  columns::Table& table = classes_[number].table;
  export_rows(table.root, table.rows, words_, array);
  rows_ -= table.rows;
  table.rows_before += std::exchange(table.rows, 0);
  table.bytes = 0;
}

std::unique_ptr<columns::ClassRows> ClassBatches::make_rows(const EventClass& event_class,
                                                            bool wide) {
  columns::ClassColumns columns = columns::columns_of(event_class, {}, wide);
  std::vector<ColumnNote> notes = column_notes(columns.root, event_class);
  RowClass& rows = find_or_make(repaired_utf8(event_class.name.value_or("")), columns.root);
  if (rows.notes.empty()) {
    rows.notes = std::move(notes);
    rows.id = event_class.id;
    rows.is_event = true;
    rows.self_described = event_class.self_described;
  }
  return std::make_unique<columns::ClassRows>(std::move(columns), rows.table, tools_);
}

RowClass& ClassBatches::find_or_make(std::string name, Column root) {
  RowClass*& found = by_columns_[{name, columns::signature(root)}];
  if (found == nullptr) found = &classes_.emplace_back(std::move(name), std::move(root));
  return *found;
}

RowClass* ClassBatches::notice_class(std::string_view name,
                                     Column (*columns)(const columns::TableOptions&)) {
  if (!wants(name)) return nullptr;
  return &find_or_make(std::string(name), columns({}));
}

void ClassBatches::find_origin(EntityId id, const DataStream* stream,
                               const TraceDescription* trace) {
  // There may be data streams without end, one after the other.
  constexpr std::size_t kMostOrigins = 4096;
  last_origin_ = id;
  if (const auto found = origins_.find(id); found != origins_.end()) {
    origin_ = &found->second->row;
    return;
  }
  if (origins_.size() >= kMostOrigins) {
    for (auto& [known, origin] : origins_) gone_origins_.push_back(std::move(origin));
    origins_.clear();
  }
  std::shared_ptr<Origin>& origin = origins_[id];
  origin = std::make_shared<Origin>();
  if (trace != nullptr) {
    traces_.see_once(*trace);
    origin->trace = traces_.name_of(*trace);
  }
  if (stream != nullptr) {
    tools_.text.clear();
    render::append_stream_object(tools_.text, *stream);
    origin->stream = tools_.text.view();
  }
  origin->row = {.number = ++origin_count_, .trace = origin->trace};
  if (origin->stream) origin->row.stream = *origin->stream;
  origin_ = &origin->row;
}

}  // namespace tracedeck::capi
