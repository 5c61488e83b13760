// Records as batches of rows, class by class.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/c/arrow_interface.hpp"
#include "tracedeck/c/column_kinds.hpp"
#include "tracedeck/columns/class_rows.hpp"
#include "tracedeck/columns/trace_facts.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::capi {

// Rows of one name and of the same columns.
struct RowClass {
  RowClass(std::string class_name, columns::Column root)
      : name(std::move(class_name)), table(name, std::move(root)) {}

  std::string name;
  columns::Table table;
  std::vector<ColumnNote> notes = {};
  std::optional<std::uint64_t> id = {};  // of the first event class
  bool is_event = false;
  bool self_described = false;
};

// One thread at a time.
class ClassBatches {
 public:
  // Bytes of rows that a group has at most, about.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{48} << 20;

  // `names`: those whose rows are wanted; empty: all.
  ClassBatches(TraceNames trace_names, std::set<std::string, std::less<>> names);

  // Events wait to be appended together, and must live until `append_waiting`. Errors:
  // kInvalidArgument, an event whose values are not those of its class.
  [[nodiscard]] Result<void> add(const Event& event) {
    ClassEntry& entry = entries_[*event.event_class];
    if (!entry.is_known) [[unlikely]]
      know(entry, *event.event_class);
    const std::int64_t seq = seq_++;
    if (entry.appender == nullptr) return {};
    const columns::RowOrigin* const origin = origin_of(event);
    Appender& appender = *entry.appender;
    if (appender.waiting.empty()) [[unlikely]] {
      if (auto done = keep_order(appender); !done) return done;
      waiting_.push_back(entry.appender);
    }
    appender.waiting.push_back({.event = &event, .origin = origin, .seq = seq});
    ++rows_;
    return appender.waiting.size() < columns::ClassRows::kBlock ? Result<void>() : append(appender);
  }
  void add(const Record& other);
  [[nodiscard]] Result<void> append_waiting();

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t bytes() const;
  // That were added so far, wanted or not.
  [[nodiscard]] std::int64_t events() const { return seq_; }

  [[nodiscard]] std::deque<RowClass>& classes() { return classes_; }
  // The number of the first class from `begin` on that has rows, or none.
  [[nodiscard]] std::optional<std::uint32_t> next_filled(std::uint32_t begin) const;
  // Hands out all rows of a class.
  void export_class(std::uint32_t number, ArrowArray& array);

 private:
  // Events that wait to become rows.
  struct Appender {
    std::unique_ptr<columns::ClassRows> rows = {};
    std::vector<columns::EventRow> waiting = {};
  };
  struct ClassEntry {
    explicit ClassEntry(const EventClass&) {}
    std::shared_ptr<Appender> appender = {};  // null: its events are not wanted
    bool is_known = false;
  };
  struct Origin {
    std::string trace = {};
    std::optional<std::string> stream = {};
    columns::RowOrigin row = {};  // of these
  };

  [[nodiscard]] bool wants(std::string_view name) const {
    return names_.empty() || names_.contains(name);
  }
  void know(ClassEntry& entry, const EventClass& event_class);
  // Rows of a table may be of several classes: those that wait come first.
  [[nodiscard]] Result<void> keep_order(Appender& appender);
  [[nodiscard]] Result<void> append(Appender& appender);
  [[nodiscard]] Result<void> append(Appender& appender, const columns::EventRow& row);
  std::unique_ptr<columns::ClassRows> make_rows(const EventClass& event_class, bool wide);
  RowClass& find_or_make(std::string name, columns::Column root);
  const columns::RowOrigin* origin_of(const Event& event) {
    const EntityId id = event.stream == nullptr
                            ? EntityId{event.event_class->entity.trace, ~std::uint64_t{0}}
                            : event.stream->entity;
    if (id != last_origin_ || origin_ == nullptr) [[unlikely]] {
      const DataStreamClass* const stream_class = event.event_class->stream_class;
      find_origin(id, event.stream, stream_class == nullptr ? nullptr : stream_class->trace);
    }
    return origin_;
  }
  void find_origin(EntityId id, const DataStream* stream, const TraceDescription* trace);
  RowClass* notice_class(std::string_view name,
                         columns::Column (*columns)(const columns::TableOptions&));

  columns::TraceFacts traces_;
  std::set<std::string, std::less<>> names_;
  columns::RowTools tools_;
  std::deque<RowClass> classes_;
  std::map<std::pair<std::string, std::string>, RowClass*> by_columns_;
  ClassCache<ClassEntry> entries_;
  std::vector<std::shared_ptr<Appender>> waiting_;  // that have some
  // Whose events wait for a table, if any do.
  std::unordered_map<const columns::Table*, Appender*> filling_;
  WordSnapshots words_;
  // Those that went are kept while rows that wait refer to them.
  std::unordered_map<EntityId, std::shared_ptr<Origin>, EntityIdHash> origins_;
  std::vector<std::shared_ptr<Origin>> gone_origins_;
  EntityId last_origin_ = EntityId::none();
  const columns::RowOrigin* origin_ = nullptr;
  std::uint64_t origin_count_ = 0;
  std::int64_t seq_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace tracedeck::capi
