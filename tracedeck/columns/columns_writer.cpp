#include "tracedeck/columns/columns_writer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/class_rows.hpp"
#include "tracedeck/columns/mark_tables.hpp"
#include "tracedeck/columns/notice_rows.hpp"
#include "tracedeck/columns/one_table.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/columns/time_partition.hpp"
#include "tracedeck/columns/trace_facts.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::columns {
namespace {

// What is appended to for events of a class: made when the first comes.
struct ClassEntry {
  explicit ClassEntry(const EventClass&) {}

  std::unique_ptr<ClassRows> rows = {};
  // Of tables that are divided by time, those of other hours; `rows` are of `hour`.
  std::map<std::optional<std::int64_t>, std::unique_ptr<ClassRows>> other_hours = {};
  std::optional<std::int64_t> hour = {};
  bool is_wide = false;
  Values<EventRow> pending = {};  // of the batch at hand
};

// Is of no event.
const DataStream kNoStream;

std::string table_name(const EventClass& event_class) {
  return event_class.name ? repaired_utf8(*event_class.name) : std::string();
}

class ColumnsWriter final : public Writer {
 public:
  ColumnsWriter(std::unique_ptr<TableSink> sink, TableOptions options, TraceNames names)
      : sink_(std::move(sink)), options_(std::move(options)), traces_(std::move(names)) {
    if (options_.marks != nullptr) options_.marks->attach(tables_, tools_.losses, options_);
  }

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) return event(record.event);
    return other(record);
  }

  // Rows of a class are collected and appended together, up to a record that is no event.
  Result<void> write_batch(const Batch& batch, Written& written) override {
    last_stream_ = &kNoStream;
    std::span<const Record> rest = batch.records();
    for (const std::uint32_t place : batch.others()) {
      const auto events = static_cast<std::size_t>(&batch.records()[place] - rest.data());
      if (auto done = collect(rest.first(events), written); !done) return done;
      if (auto done = append_pending(written); !done) return done;
      if (auto done = write_or_refuse(batch.records()[place], written); !done) return done;
      rest = rest.subspan(events + 1);
    }
    if (auto done = collect(rest, written); !done) return done;
    if (auto done = append_pending(written); !done) return done;
    forget_origins();
    return tables_.bound_memory();
  }

  Result<void> describe(const TraceDescription& trace) override {
    left_out_.see(trace);
    traces_.see(trace);
    return {};
  }

  Result<void> flush() override { return sink_->flush(); }

  Result<void> finish() override {
    if (auto done = tables_.finish(); !done) return done;
    // A stream says its columns, even of no rows.
    if (options_.alone && !one_) {
      if (auto taken = sink_->take(only_table()); !taken) return taken;
    }
    return sink_->finish(facts());
  }

  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = receipt_of(tools_.losses);
    std::ranges::move(sink_->receipt(), std::back_inserter(receipt));
    if (options_.marks != nullptr)
      std::ranges::move(options_.marks->receipt(), std::back_inserter(receipt));
    std::ranges::move(left_out_.receipt(), std::back_inserter(receipt));
    if (one_)
      std::ranges::move(render::json_receipt(tools_.json.style().faults()),
                        std::back_inserter(receipt));
    return receipt;
  }

 private:
  // Of events. Errors: those of the sink.
  Result<void> collect(std::span<const Record> events, Written& written) {
    if (!collects_) {
      for (const Record& record : events) {
        if (auto done = write_or_refuse(record, written); !done) return done;
      }
      return {};
    }
    auto at_hand = classes_.at_hand();
    const DataStream* stream = last_stream_;
    const RowOrigin* origin = origin_ == nullptr ? nullptr : &origin_->row;
    const std::int64_t end = seq_ + static_cast<std::int64_t>(events.size());
    const Record* record = events.data();
    for (std::int64_t seq = seq_; seq != end; ++seq, ++record) {
      const Event& event = record->event;
      ClassEntry* entry = at_hand.find(*event.event_class);
      if (entry == nullptr || entry->pending.full() || event.stream != stream) [[unlikely]] {
        auto begun = begin_pending(event, written);
        if (!begun) return std::unexpected(std::move(begun.error()));
        entry = *begun;
        at_hand = classes_.at_hand();
        stream = last_stream_;
        origin = &origin_->row;
      }
      entry->pending.push_back({.event = &event, .origin = origin, .seq = seq});
    }
    seq_ = end;
    return {};
  }

  // The entry of an event's class, ready for rows of the event's origin. Errors: those of the sink.
  Result<ClassEntry*> begin_pending(const Event& event, Written& written) {
    // The table of classes may be about to forget them.
    if (classes_.entries().size() >= decltype(classes_)::kMany) {
      if (auto done = append_pending(written); !done)
        return std::unexpected(std::move(done.error()));
    }
    ClassEntry& entry = entry_of(event);
    if (entry.pending.empty()) {
      if (auto done = keep_order(entry, written); !done)
        return std::unexpected(std::move(done.error()));
      left_out_.see(event);
      entry.pending = take_spare();
      pending_.push_back(&entry);
      filling_[entry.rows->table().number] = &entry;
    }
    if (entry.pending.full()) entry.pending.reserve(2 * entry.pending.size() + 1);
    find_origin(event);
    last_stream_ = event.stream == nullptr ? &kNoStream : event.stream;
    return &entry;
  }

  // Rows of a table may be of several classes: those that wait come first. Errors: those of the
  // sink.
  Result<void> keep_order(const ClassEntry& entry, Written& written) {
    const std::size_t number = entry.rows->table().number;
    if (number >= filling_.size()) filling_.resize(number + 1);
    ClassEntry* const other = filling_[number];
    return other == nullptr || other == &entry ? Result<void>() : append_pending(*other, written);
  }

  Values<EventRow> take_spare() {
    if (spare_.empty()) return {};
    Values<EventRow> rows = std::move(spare_.back());
    spare_.pop_back();
    return rows;
  }

  Result<void> append_pending(Written& written) {
    for (ClassEntry* const entry : pending_) {
      if (auto done = append_pending(*entry, written); !done) return done;
    }
    pending_.clear();
    return {};
  }

  Result<void> append_pending(ClassEntry& entry, Written& written) {
    Values<EventRow> all = std::move(entry.pending);
    entry.pending = {};
    if (!all.empty()) filling_[entry.rows->table().number] = nullptr;
    for (std::span<const EventRow> rows(all); !rows.empty();) {
      const Table& table = entry.rows->table();
      const std::size_t count =
          std::min({rows.size(), ClassRows::kBlock, Tables::kRows - table.rows});
      if (auto done = append(entry, rows.first(count), written); !done) return done;
      rows = rows.subspan(count);
    }
    all.clear();
    spare_.push_back(std::move(all));
    return {};
  }

  // At most a block. Errors: those of the sink.
  Result<void> append(ClassEntry& entry, std::span<const EventRow> rows, Written& written) {
    // What a block takes before its first row is more than a few rows take one by one.
    constexpr std::size_t kFew = 4;
    if (rows.size() >= kFew && entry.rows->append_block(rows)) [[likely]] {
      events_ += rows.size();
      written.events += rows.size();
      return tables_.appended(entry.rows->table());
    }
    for (const EventRow& row : rows) {
      if (auto done = counted(append(entry, row, &written), true, written); !done) return done;
    }
    return {};
  }

  // `written`: null where no rows wait. Errors: those of the sink, and a refusal of the event.
  Result<void> append(ClassEntry& entry, const EventRow& row, Written* written) {
    RowResult result = entry.rows->append(row);
    if (result == RowResult::kTooWide && !entry.rows->is_wide()) [[unlikely]] {
      // From here on all events of the class have wider columns.
      entry.is_wide = true;
      entry.other_hours.clear();
      entry.rows = rows_of(*row.event->event_class, true, entry.hour);
      tools_.losses.add(ColumnLoss::kWideClass);
      if (written != nullptr) {
        if (auto done = keep_order(entry, *written); !done) return done;
      }
      result = entry.rows->append(row);
    }
    return count(result, entry.rows->table());
  }

  Result<void> event(const Event& event) {
    if (!options_.events) {
      ++seq_;
      ++events_;
      return {};
    }
    left_out_.see(event);
    forget_origins();
    find_origin(event);
    const EventRow row{&event, &origin_->row, seq_++};
    if (options_.one_table) return event_of_one(row);
    return append(entry_of(event), row, nullptr);
  }

  ClassEntry& entry_of(const Event& event) {
    ClassEntry& entry = classes_[*event.event_class];
    if (options_.partition != TimePartition::kNone)
      turn_to(entry, partition_hour(event, options_.partition));
    if (entry.rows == nullptr) [[unlikely]]
      entry.rows = rows_of(*event.event_class, entry.is_wide, entry.hour);
    return entry;
  }

  static void turn_to(ClassEntry& entry, std::optional<std::int64_t> hour) {
    // Times may come in any order.
    constexpr std::size_t kMostHours = 64;
    if (hour == entry.hour) return;
    if (entry.other_hours.size() >= kMostHours) entry.other_hours.clear();
    if (entry.rows != nullptr) entry.other_hours[entry.hour] = std::move(entry.rows);
    entry.hour = hour;
    const auto found = entry.other_hours.find(hour);
    if (found == entry.other_hours.end()) return;
    entry.rows = std::move(found->second);
    entry.other_hours.erase(found);
  }

  Result<void> event_of_one(const EventRow& row) {
    if (!one_) one_.emplace(only_table(), tools_);
    return count(one_->append(row), one_->table());
  }

  Table& only_table() { return tables_.find_or_make("", one_columns(options_)); }

  Result<void> count(RowResult result, Table& table) {
    if (result != RowResult::kAppended) [[unlikely]] {
      return fail(ErrorCode::kInvalidArgument,
                  "the values of an event are not those that its class has");
    }
    ++events_;
    return tables_.appended(table);
  }

  std::unique_ptr<ClassRows> rows_of(const EventClass& event_class, bool wide,
                                     std::optional<std::int64_t> hour) {
    ClassColumns columns = columns_of(event_class, options_, wide);
    if (!wide) {
      tools_.losses.add(ColumnLoss::kRenamed, columns.renamed.size());
      tools_.losses.add(ColumnLoss::kAsJson, columns.as_json.size());
    }
    Table& table = tables_.find_or_make(table_name(event_class), columns.root,
                                        partition_folder(hour, options_.partition));
    return std::make_unique<ClassRows>(std::move(columns), table, tools_);
  }

  Result<void> other(const Record& record) {
    left_out_.see(record);
    if (options_.alone) return {};
    switch (record.kind) {
      case RecordKind::kStreamBegin:
      case RecordKind::kStreamEnd:
        if (record.stream->stream_class != nullptr && record.stream->stream_class->trace != nullptr)
          traces_.see(*record.stream->stream_class->trace);
        return {};
      case RecordKind::kLoss: {
        Table& table = tables_.find_or_make(kLossTable, loss_columns(options_));
        append_loss(table, *record.loss, origin_of(record.loss->stream), seq_, tools_.losses);
        return tables_.appended(table);
      }
      case RecordKind::kProblem:
      case RecordKind::kFinding: {
        Table& table = tables_.find_or_make(kProblemTable, problem_columns(options_));
        append_problem(table, *record.notice, record.kind == RecordKind::kProblem,
                       traces_.name_of_input(record.notice->trace_input()), seq_);
        return tables_.appended(table);
      }
      default:
        return {};
    }
  }

  // Where rows come from: a data stream, or a trace without one. `row` shows the texts.
  struct Origin {
    std::string trace = {};
    std::optional<std::string> stream = {};
    RowOrigin row = {};
  };

  void find_origin(const Event& event) {
    const EntityId stream = event.stream == nullptr
                                ? EntityId{event.event_class->entity.trace, ~std::uint64_t{0}}
                                : event.stream->entity;
    if (stream != last_origin_) [[unlikely]]
      find_origin(stream, event.stream, event.event_class->stream_class);
  }
  const RowOrigin& origin_of(const DataStream* stream) {
    find_origin(stream == nullptr ? EntityId::none() : stream->entity, stream,
                stream == nullptr ? nullptr : stream->stream_class);
    return origin_->row;
  }

  void find_origin(EntityId id, const DataStream* stream, const DataStreamClass* stream_class) {
    last_origin_ = id;
    const auto found = origins_.find(id);
    if (found != origins_.end()) {
      origin_ = &found->second;
      return;
    }
    Origin& origin = origins_[id];
    origin.row.number = ++origin_count_;
    const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
    if (trace != nullptr) {
      traces_.see_once(*trace);
      origin.trace = traces_.name_of(*trace);
    }
    origin.row.trace = origin.trace;
    if (stream != nullptr) {
      tools_.text.clear();
      render::append_stream_object(tools_.text, *stream);
      origin.stream = tools_.text.view();
      origin.row.stream = *origin.stream;
    }
    origin_ = &origin;
  }

  // There may be data streams without end, one after the other. No row may wait.
  void forget_origins() {
    constexpr std::size_t kMostOrigins = 4096;
    if (origins_.size() < kMostOrigins) return;
    origins_.clear();
    last_origin_ = EntityId::none();
  }

  [[nodiscard]] std::string facts() const {
    TextBuffer out(nullptr, 4096);
    out.append(",\"events\":");
    append_decimal(out, events_);
    out.append(",\"traces\":");
    traces_.append(out);
    out.append(",\"receipt\":");
    JsonArray entries(out);
    Receipt all = receipt();
    if (options_.hidden) std::ranges::move(options_.hidden(), std::back_inserter(all));
    for (const ReceiptEntry& entry : all) {
      JsonObject object(entries.next());
      object.string("what", entry.what);
      object.string("done", entry.done);
      object.integer("count", entry.count);
      object.boolean("lossy", entry.lossy);
      object.end();
    }
    entries.end();
    return std::string(out.view());
  }

  std::unique_ptr<TableSink> sink_;
  TableOptions options_;
  TraceFacts traces_;
  RowTools tools_;
  Tables tables_{*sink_, tools_.losses, options_.names_columns};
  ClassCache<ClassEntry> classes_;
  std::optional<OneTable> one_;
  render::LeftOut left_out_{!options_.alone, true, !options_.alone};
  std::int64_t seq_ = 0;      // of the next event
  std::uint64_t events_ = 0;  // that have a row, or need none
  // Whether events have rows of their class, and one table for each.
  bool collects_ =
      options_.events && !options_.one_table && options_.partition == TimePartition::kNone;
  std::vector<ClassEntry*> pending_;         // that have rows which wait; some may have none more
  std::vector<ClassEntry*> filling_;         // by the numbers of tables: whose rows wait
  std::vector<Values<EventRow>> spare_;      // empty
  const DataStream* last_stream_ = nullptr;  // of the batch at hand
  std::unordered_map<EntityId, Origin, EntityIdHash> origins_;
  EntityId last_origin_ = EntityId::none();
  const Origin* origin_ = nullptr;
  std::uint64_t origin_count_ = 0;
};

}  // namespace

std::unique_ptr<Writer> columns_writer(std::unique_ptr<TableSink> sink, TableOptions options,
                                       TraceNames names) {
  return std::make_unique<ColumnsWriter>(std::move(sink), std::move(options), std::move(names));
}

}  // namespace tracedeck::columns
