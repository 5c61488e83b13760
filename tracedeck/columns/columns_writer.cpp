#include "tracedeck/columns/columns_writer.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/class_rows.hpp"
#include "tracedeck/columns/mark_tables.hpp"
#include "tracedeck/columns/notice_rows.hpp"
#include "tracedeck/columns/one_table.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/columns/trace_facts.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/json_object.hpp"
#include "tracedeck/render/left_out.hpp"

namespace tracedeck::columns {
namespace {

// What is appended to for events of a class: made when the first comes.
struct ClassEntry {
  explicit ClassEntry(const EventClass&) {}

  std::unique_ptr<ClassRows> rows = {};
};

std::string table_name(const EventClass& event_class) {
  return event_class.name ? repaired_utf8(*event_class.name) : std::string();
}

class ColumnsWriter final : public Writer {
 public:
  ColumnsWriter(std::unique_ptr<TableSink> sink, TableOptions options, render::TraceNames names)
      : sink_(std::move(sink)), options_(std::move(options)), traces_(std::move(names)) {
    if (options_.marks != nullptr) options_.marks->attach(tables_, tools_.losses, options_.tags);
  }

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) return event(record.event);
    return other(record);
  }

  Result<void> write_batch(const Batch& batch, Written& written) override {
    for (const Record& record : batch.records()) {
      auto result = write_or_refuse(record, written);
      if (!result) [[unlikely]]
        return result;
    }
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
      std::ranges::move(render::json_receipt(tools_.json.style()), std::back_inserter(receipt));
    return receipt;
  }

 private:
  Result<void> event(const Event& event) {
    if (!options_.events) {
      ++seq_;
      return {};
    }
    left_out_.see(event);
    const RowOrigin origin = origin_of(event);
    if (options_.one_table) [[unlikely]]
      return event_of_one(event, origin);
    ClassEntry& entry = classes_[*event.event_class];
    if (entry.rows == nullptr) [[unlikely]]
      entry.rows = rows_of(*event.event_class, false);
    RowResult result = entry.rows->append(event, origin);
    if (result == RowResult::kTooWide) [[unlikely]]
      result = append_wide(entry, event, origin);
    return count(result, entry.rows->table());
  }

  // From here on all events of the class have wider columns.
  RowResult append_wide(ClassEntry& entry, const Event& event, const RowOrigin& origin) {
    if (entry.rows->is_wide()) return RowResult::kRefused;
    entry.rows = rows_of(*event.event_class, true);
    tools_.losses.add(ColumnLoss::kWideClass);
    return entry.rows->append(event, origin);
  }

  Result<void> event_of_one(const Event& event, const RowOrigin& origin) {
    if (!one_) one_.emplace(only_table(), tools_);
    return count(one_->append(event, origin), one_->table());
  }

  Table& only_table() { return tables_.find_or_make("", one_columns(options_.tags)); }

  Result<void> count(RowResult result, Table& table) {
    if (result != RowResult::kAppended) [[unlikely]] {
      return fail(ErrorCode::kInvalidArgument,
                  "the values of an event are not those that its class has");
    }
    ++seq_;
    return tables_.appended(table);
  }

  std::unique_ptr<ClassRows> rows_of(const EventClass& event_class, bool wide) {
    ClassColumns columns = columns_of(event_class, options_.tags, wide);
    if (!wide) {
      tools_.losses.add(ColumnLoss::kRenamed, columns.renamed.size());
      tools_.losses.add(ColumnLoss::kAsJson, columns.as_json.size());
    }
    Table& table = tables_.find_or_make(table_name(event_class), columns.root);
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
        Table& table = tables_.find_or_make(kLossTable, loss_columns(options_.tags));
        append_loss(table, *record.loss, origin_of(record.loss->stream), tools_.losses);
        return tables_.appended(table);
      }
      case RecordKind::kProblem:
      case RecordKind::kFinding: {
        Table& table = tables_.find_or_make(kProblemTable, problem_columns(options_.tags));
        RowOrigin origin{.seq = seq_};
        const std::string trace = traces_.name_of_input(record.notice->trace_input());
        origin.trace = trace;
        append_problem(table, *record.notice, record.kind == RecordKind::kProblem, origin);
        return tables_.appended(table);
      }
      default:
        return {};
    }
  }

  // Where rows come from: a data stream, or a trace without one.
  struct Origin {
    std::uint64_t number = 0;
    std::string trace = {};
    std::optional<std::string> stream = {};
  };

  RowOrigin origin_of(const Event& event) {
    const EntityId stream = event.stream == nullptr
                                ? EntityId{event.event_class->entity.trace, ~std::uint64_t{0}}
                                : event.stream->entity;
    if (stream != last_origin_) [[unlikely]]
      find_origin(stream, event.stream, event.event_class->stream_class);
    return row_origin();
  }
  RowOrigin origin_of(const DataStream* stream) {
    find_origin(stream == nullptr ? EntityId::none() : stream->entity, stream,
                stream == nullptr ? nullptr : stream->stream_class);
    return row_origin();
  }
  [[nodiscard]] RowOrigin row_origin() const {
    RowOrigin origin{.number = origin_->number, .trace = origin_->trace, .seq = seq_};
    if (origin_->stream) origin.stream = *origin_->stream;
    return origin;
  }

  void find_origin(EntityId id, const DataStream* stream, const DataStreamClass* stream_class) {
    // There may be data streams without end, one after the other.
    constexpr std::size_t kMostOrigins = 4096;
    last_origin_ = id;
    const auto found = origins_.find(id);
    if (found != origins_.end()) {
      origin_ = &found->second;
      return;
    }
    if (origins_.size() >= kMostOrigins) origins_.clear();
    Origin& origin = origins_[id];
    origin.number = ++origin_count_;
    const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
    if (trace != nullptr) {
      traces_.see_once(*trace);
      origin.trace = traces_.name_of(*trace);
    }
    if (stream != nullptr) {
      tools_.text.clear();
      render::append_stream_object(tools_.text, *stream);
      origin.stream = tools_.text.view();
    }
    origin_ = &origin;
  }

  [[nodiscard]] std::string facts() const {
    render::TextBuffer out(nullptr, 4096);
    out.append(",\"events\":");
    render::append_decimal(out, seq_);
    out.append(",\"traces\":");
    traces_.append(out);
    out.append(",\"receipt\":");
    render::JsonArray entries(out);
    for (const ReceiptEntry& entry : receipt()) {
      render::JsonObject object(entries.next());
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
  std::int64_t seq_ = 0;  // of the next event
  std::unordered_map<EntityId, Origin, EntityIdHash> origins_;
  EntityId last_origin_ = EntityId::none();
  const Origin* origin_ = nullptr;
  std::uint64_t origin_count_ = 0;
};

}  // namespace

std::unique_ptr<Writer> columns_writer(std::unique_ptr<TableSink> sink, TableOptions options,
                                       render::TraceNames names) {
  return std::make_unique<ColumnsWriter>(std::move(sink), std::move(options), std::move(names));
}

}  // namespace tracedeck::columns
