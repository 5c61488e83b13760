// The values of some expressions, of events and of rows.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/query/bound.hpp"
#include "tracedeck/query/field_watch.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// Expressions with the patterns in them.
class ExpressionList {
 public:
  // `text` is what they were parsed from, for messages. Errors: those of `Matchers`.
  [[nodiscard]] static Result<ExpressionList> from(std::vector<ExpressionPtr> expressions,
                                                   std::string_view text);

  [[nodiscard]] const std::vector<ExpressionPtr>& expressions() const { return expressions_; }
  [[nodiscard]] const Matchers& matchers() const { return matchers_; }

 private:
  std::vector<ExpressionPtr> expressions_;
  Matchers matchers_;
};

class EventProjection {
 public:
  // `fields` gets to see the classes of events, and must outlive the projection.
  EventProjection(ExpressionList list, FieldWatch& fields)
      : list_(std::move(list)), fields_(&fields) {}

  // What distinguishes a trace from the others that events come from.
  using NameOfTrace = std::function<std::string(const TraceDescription& trace)>;
  // Before the first event.
  void name_traces(NameOfTrace name_of) { name_of_ = std::move(name_of); }
  // Empty: nothing does.
  [[nodiscard]] std::string name_of(const TraceDescription& trace) const {
    return name_of_ ? name_of_(trace) : std::string();
  }

  // What the numbers of the expression count is to be seen in `unit`, which outlives the
  // projection. Before the first event.
  void watch_unit(std::size_t index, SeenUnit& unit) { units_.emplace_back(index, &unit); }

  // Valid until the next call, and as long as the event.
  [[nodiscard]] std::span<const Value> operator()(const Event& event);
  // The same of one of the expressions.
  [[nodiscard]] Value value(const Event& event, std::size_t index);
  // Sets the event that `values` returns values of.
  void look_at(const Event& event);
  // The values of `count` expressions from `first` on; valid until the next event is looked at.
  [[nodiscard]] std::span<const Value> values(std::size_t first, std::size_t count);
  // The expressions as they are bound to a class; valid until another class is asked for.
  [[nodiscard]] std::span<const BoundNode> nodes_of(const EventClass& event_class) {
    return entry_of(event_class).nodes;
  }

 private:
  struct Entry {
    explicit Entry(const EventClass&) {}
    bool bound = false;
    std::vector<BoundNode> nodes = {};
    const ValueNames* names = nullptr;
    std::string trace = {};              // what distinguishes it
    std::deque<std::string> texts = {};  // of constants
  };

  [[nodiscard]] Entry& entry_of(const EventClass& event_class) {
    Entry& entry = entries_[event_class];
    if (!entry.bound) [[unlikely]]
      bind_to(entry, event_class);
    return entry;
  }
  void bind_to(Entry& entry, const EventClass& event_class) const;

  ExpressionList list_;
  FieldWatch* fields_;
  NameOfTrace name_of_;
  std::vector<std::pair<std::size_t, SeenUnit*>> units_;
  ClassCache<Entry> entries_;
  std::vector<Value> values_;
  std::deque<std::string> texts_;  // of the event at hand
  // What `look_at` was given.
  const Event* event_ = nullptr;
  const Entry* entry_ = nullptr;
};

class RowProjection {
 public:
  // What is to be said of a path that names no column, behind the columns that there are: it begins
  // with "; ", or is empty.
  using Advise = std::function<std::string(const Path& path)>;
  // Errors: kInvalidArgument, a path that names no column.
  [[nodiscard]] static Result<RowProjection> from(ExpressionList list,
                                                  std::span<const Column> columns,
                                                  std::string_view text, const Advise& advise = {});

  // Valid until the next call, and as long as the row.
  [[nodiscard]] std::span<const Value> operator()(std::span<const Value> row);

 private:
  explicit RowProjection(ExpressionList list) : list_(std::move(list)) {}

  ExpressionList list_;
  std::vector<BoundNode> nodes_;
  std::deque<std::string> constants_;
  std::vector<Value> values_;
  std::deque<std::string> texts_;  // of the row at hand
};

// What the numbers are that an expression makes of columns, or, without columns, of events.
[[nodiscard]] Unit unit_of(const Expression& expression, std::span<const Column> columns);

// What a path is called where it names a column.
[[nodiscard]] std::string column_name(const Path& path);

// The column that a path names: as it is written, or the only aggregate of that word (`p99` of
// `p99(duration)`). Null: there is none.
[[nodiscard]] const Column* find_column(std::span<const Column> columns, std::string_view name);

}  // namespace tracedeck::query
