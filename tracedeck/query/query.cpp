#include "tracedeck/query/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/event_grouping.hpp"
#include "tracedeck/query/grouping.hpp"
#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/rewriting.hpp"
#include "tracedeck/query/row_stages.hpp"
#include "tracedeck/query/stages.hpp"

namespace tracedeck::query {
namespace {

// Makes a stage before the one that it is given.
using MakeSink = std::function<std::unique_ptr<RowSink>(std::unique_ptr<RowSink>)>;

// Operations that names of one query may stand for, all together.
constexpr std::size_t kMostNamed = std::size_t{1} << 16;

std::size_t size_of(const Expression& expression) {
  std::size_t size = 1;
  for (const ExpressionPtr& each : expression.operands) size += size_of(*each);
  return size;
}

bool names_stream(const Expression& expression) {
  if (expression.operation == Operator::kPath) return expression.path.root == Root::kStream;
  return std::ranges::any_of(expression.operands,
                             [](const ExpressionPtr& each) { return names_stream(*each); });
}

ExpressionPtr path_expression(Path path) {
  return std::make_unique<const Expression>(
      Expression{.operation = Operator::kPath, .path = std::move(path)});
}

// What the columns of events are when nothing says which: made for reading.
std::vector<NamedExpression> usual_columns() {
  std::vector<NamedExpression> columns;
  columns.push_back({.name = "time", .expression = path_expression({.root = Root::kTime})});
  columns.push_back({.name = "name", .expression = path_expression({.root = Root::kName})});
  columns.push_back({.name = "duration", .expression = path_expression({.root = Root::kDuration})});
  return columns;
}

}  // namespace

// What is built from the stages, and works on what comes.
class Query::Plan {
 public:
  Plan(std::string_view text, std::shared_ptr<const Condition> where)
      : text_(text), condition_(std::move(where)) {}

  Result<void> build() {
    auto stages = parse_stages(text_);
    if (!stages) return std::unexpected(stages.error());
    stages_ = *std::move(stages);
    note_question();
    if (auto front = build_front(); !front) return front;
    for (; next_ < stages_.size(); ++next_) {
      if (auto built = build_row_stage(stages_[next_]); !built) return built;
    }
    return names_too_much_ ? too_much_named() : Result<void>();
  }

  void answer_to(std::unique_ptr<RowSink> sink) {
    for (auto make = makers_.rbegin(); make != makers_.rend(); ++make)
      sink = (*make)(std::move(sink));
    if (pairing_plan_) {
      pairing_.emplace(*std::move(pairing_plan_), *std::move(projection_), std::move(sink));
    } else {
      sink_ = std::move(sink);
      // The first stage was made last.
      if (groups_events_) event_grouping_.emplace(*projection_, *groupings_.back());
    }
  }

  Result<void> add(const Batch& batch) {
    std::span<const Record> records = batch.records();
    while (!records.empty()) {
      const auto added = add(records);
      if (!added) return std::unexpected(added.error());
      records = records.subspan(*added);
    }
    return {};
  }

  [[nodiscard]] bool full() const {
    if (std::ranges::any_of(limits_, &EventLimit::reached)) return true;
    return pairing_ ? pairing_->full() : sink_->full();
  }

  Result<void> show() { return pairing_ ? pairing_->show() : sink_->show(); }

  Result<void> close() {
    if (std::exchange(closed_, true) || !pairing_) return {};
    return pairing_->close();
  }

  Result<void> finish() {
    if (auto closed = close(); !closed) return closed;
    return pairing_ ? pairing_->finish() : sink_->finish();
  }

  [[nodiscard]] QueryCounts counts() const {
    QueryCounts counts = counts_;
    counts.read = counts.selected = events_;
    if (condition_ != nullptr) {
      // Conditions count what they let pass when their source ends.
      counts.selected = std::max(condition_->events_passed(), events_);
      counts.read = std::max(condition_->events_seen(), counts.selected);
    }
    if (pairing_) counts.pairs = pairing_->counts();
    counts.in_order =
        std::ranges::none_of(groupings_, [](const Grouping* each) { return each->spilled(); });
    QueryCounts all = merged_;
    add_counts(all, counts);
    return all;
  }

  // The state of the first groups says all of what came before it.
  Result<void> encode(const TakePortion& take) {
    std::string known(1, kCountsPortion);
    QueryCounts counts = this->counts();
    counts.partial_answers = std::max<std::uint64_t>(counts.partial_answers, 1);
    query::encode(known, counts);
    put_varint(known, has_origin_ ? 1 + std::to_underlying(origin_) : 0);
    if (auto taken = take(known); !taken) return taken;
    return groupings_.back()->encode([&](std::string_view groups) {
      known.assign(1, kGroupsPortion);
      known += groups;
      return take(known);
    });
  }

  [[nodiscard]] bool understands(ByteSpan portion) const {
    if (portion.empty()) return false;
    if (portion.front() == kGroupsPortion)
      return groupings_.back()->understands(portion.subspan(1));
    return portion.front() == kCountsPortion && decode_known(portion.subspan(1));
  }

  Result<void> merge(ByteSpan portion) {
    if (portion.front() == kGroupsPortion) return groupings_.back()->merge(portion.subspan(1));
    const auto known = decode_known(portion.subspan(1));
    add_counts(merged_, known->counts);
    if (!has_origin_ && known->origin) {
      has_origin_ = true;
      origin_ = *known->origin;
    }
    return {};
  }

 private:
  friend class Query;

  // What the first byte of a portion says of it.
  static constexpr char kCountsPortion = 0;
  static constexpr char kGroupsPortion = 1;
  struct Known {
    QueryCounts counts;
    std::optional<ClockOrigin> origin;
  };

  [[nodiscard]] static std::optional<Known> decode_known(ByteSpan bytes) {
    const auto counts = decode_counts(bytes);
    const auto origin = take_varint(bytes);
    constexpr auto kLast = std::to_underlying(ClockOrigin::kCustom);
    if (!counts || !origin || *origin > 1 + kLast || !bytes.empty()) return std::nullopt;
    if (*origin == 0) return Known{.counts = *counts, .origin = std::nullopt};
    return Known{.counts = *counts, .origin = static_cast<ClockOrigin>(*origin - 1)};
  }

  // Parts of the answer add up if its groups are of events that were each looked at alone.
  void note_question() {
    if (condition_ != nullptr) question_ = "where " + condition_->text() + " | ";
    question_ += text_;
    for (const StageSyntax& stage : stages_) {
      if (std::holds_alternative<GroupStage>(stage.what)) return;
      const bool is_limit = std::holds_alternative<LimitStage>(stage.what);
      if (!is_limit && !std::holds_alternative<SortStage>(stage.what)) continue;
      apart_ = syntax_error(text_, stage.place,
                            "partial answers do not add up where this stands before an aggregate: "
                            "it is about all events together");
      return;
    }
    apart_ = Error{.code = ErrorCode::kInvalidArgument,
                   .message =
                       "partial answers add up by aggregates (count, sum, p99, ...), and "
                       "this query has none"};
  }

  // What a name that `let` gave stands for.
  struct Named {
    ExpressionPtr expression;
    std::size_t size = 0;  // operations
  };
  // So many events, and what is asked of each of them behind it.
  struct EventLimit {
    std::uint64_t most = 0;
    std::uint64_t passed = 0;
    std::optional<EventProjection> condition = {};

    [[nodiscard]] bool reached() const { return passed >= most; }
  };

  // Adds records from the first on, and returns how many.
  Result<std::size_t> add(std::span<const Record> records) {
    const Record& first = records.front();
    if (first.kind != RecordKind::kEvent) {
      if (auto noted = note(first); !noted) return std::unexpected(noted.error());
      return 1;
    }
    if (!has_origin_) see_origin(records);
    if (event_grouping_ && limits_.empty()) {
      const auto added = event_grouping_->add(records);
      events_ += added.value_or(0);
      return added;
    }
    ++events_;
    if (auto added = add(first.event); !added) return std::unexpected(added.error());
    return 1;
  }

  void see_origin(std::span<const Record> records) {
    const auto timed = std::ranges::find_if(records, [](const Record& record) {
      return record.kind == RecordKind::kEvent && record.event.has_time();
    });
    if (timed == records.end()) return;
    has_origin_ = true;
    origin_ = timed->event.event_class->clock->origin;
  }

  Result<void> add(const Event& event) {
    if (!limits_.empty() && !passes_limits(event)) return {};
    if (!pairing_) return sink_->add((*projection_)(event));
    counts_.without_time += event.event_class->clock == nullptr ? 1 : 0;
    return pairing_->add(event);
  }

  bool passes_limits(const Event& event) {
    for (EventLimit& limit : limits_) {
      if (limit.reached()) return false;
      ++limit.passed;
      if (!limit.condition) continue;
      const Value& met = (*limit.condition)(event).front();
      if (met.kind != Value::Kind::kBoolean || !met.boolean) return false;
    }
    return true;
  }

  Result<void> note(const Record& record) {
    // Also of classes whose events a condition leaves out.
    if (record.kind == RecordKind::kDescription && record.event_class != nullptr)
      fields_.see(*record.event_class);
    if (record.kind == RecordKind::kProblem) counts_.damaged_bytes += record.notice->finding.length;
    if (record.kind != RecordKind::kLoss) return {};
    const Loss& loss = *record.loss;
    if (loss.taken_back) {
      counts_.lost -= loss.events.value_or(0);
    } else {
      counts_.lost += loss.events.value_or(0);
      counts_.losses_of_unknown_size += loss.events ? 0 : 1;
    }
    return pairing_ ? pairing_->add(loss) : Result<void>();
  }

  static std::unexpected<Error> too_much_named() {
    return fail(ErrorCode::kLimitExceeded, "the names that `let` gives stand for too much");
  }

  // The expression with what its names stand for.
  ExpressionPtr resolved(const Expression& expression) {
    ExpressionPtr made = rewritten(expression, [this](const Path& path) -> ExpressionPtr {
      if (path.root != Root::kAnyField || path.steps.size() != 1) return nullptr;
      const auto known = names_.find(path.steps.front().name);
      if (known == names_.end()) return nullptr;
      named_ += known->second.size;
      return named_ > kMostNamed ? nullptr : clone(*known->second.expression);
    });
    names_too_much_ = names_too_much_ || named_ > kMostNamed || made->depth > kMaxDepth;
    return made;
  }

  Result<void> name(const LetStage& let) {
    ExpressionPtr expression = resolved(*let.expression);
    if (names_too_much_) return too_much_named();
    const std::size_t size = size_of(*expression);
    names_[let.name] = {.expression = std::move(expression), .size = size};
    return {};
  }

  // The stages that events pass: conditions, names, limits; then what makes rows of events.
  Result<void> build_front() {
    std::vector<ExpressionPtr> conditions;
    for (; next_ < stages_.size(); ++next_) {
      StageSyntax& stage = stages_[next_];
      if (auto* const where = std::get_if<WhereStage>(&stage.what)) {
        if (!limits_.empty()) {
          if (auto added = add_condition(*where); !added) return added;
          continue;
        }
        conditions.push_back(resolved(*where->condition));
      } else if (auto* const let = std::get_if<LetStage>(&stage.what)) {
        if (auto named = name(*let); !named) return named;
      } else if (auto* const limit = std::get_if<LimitStage>(&stage.what)) {
        limits_.push_back({.most = limit->rows});
      } else {
        break;
      }
    }
    if (auto condition = make_condition(std::move(conditions)); !condition) return condition;
    if (next_ < stages_.size()) {
      StageSyntax& stage = stages_[next_];
      if (auto* const pair = std::get_if<PairStage>(&stage.what)) return build_pairs(*pair);
      if (auto* const group = std::get_if<GroupStage>(&stage.what)) {
        ++next_;
        any_order_ = limits_.empty();
        groups_events_ = true;
        return build_groups(*group, stage.place, {});
      }
      if (auto* const select = std::get_if<SelectStage>(&stage.what)) {
        ++next_;
        return select_events(std::move(select->columns));
      }
    }
    // A sort of events, or nothing at all.
    return select_events(usual_columns());
  }

  // A condition on the events that a limit lets pass.
  Result<void> add_condition(const WhereStage& where) {
    // Two in a row have a limit between them that lets all pass.
    if (limits_.back().condition) limits_.push_back({.most = ~std::uint64_t{0}});
    std::vector<ExpressionPtr> expressions;
    expressions.push_back(resolved(*where.condition));
    auto projection = event_projection(std::move(expressions));
    if (!projection) return std::unexpected(projection.error());
    limits_.back().condition.emplace(*std::move(projection));
    return {};
  }

  Result<void> make_condition(std::vector<ExpressionPtr> conditions) {
    if (conditions.empty()) return {};
    if (condition_ != nullptr) conditions.push_back(clone(condition_->expression()));
    auto condition = Condition::from(std::move(conditions), text_);
    if (!condition) return std::unexpected(condition.error());
    condition_ = *std::move(condition);
    return {};
  }

  Result<void> select_events(std::vector<NamedExpression> columns) {
    std::vector<ExpressionPtr> expressions;
    for (NamedExpression& column : columns) {
      ExpressionPtr expression = resolved(*column.expression);
      columns_.push_back({.name = std::move(column.name), .unit = unit_of(*expression, {})});
      expressions.push_back(std::move(expression));
    }
    names_.clear();
    return project_events(std::move(expressions));
  }

  Result<EventProjection> event_projection(std::vector<ExpressionPtr> expressions) {
    for (const ExpressionPtr& each : expressions) {
      needs_values_ = needs_values_ || reads_values(*each);
      needs_names_ = needs_names_ || reads_names(*each);
      needs_symbols_ = needs_symbols_ || names_symbols(*each);
      fields_.add(*each);
    }
    auto list = ExpressionList::from(std::move(expressions), text_);
    if (!list) return std::unexpected(list.error());
    return EventProjection(*std::move(list), fields_);
  }

  Result<void> project_events(std::vector<ExpressionPtr> expressions) {
    auto projection = event_projection(std::move(expressions));
    if (!projection) return std::unexpected(projection.error());
    projection_.emplace(*std::move(projection));
    return {};
  }

  // Rows of values in the order that a `Grouping` wants: of events, unless there are columns.
  Result<void> build_groups(GroupStage& group, Place place, std::vector<Column> from) {
    GroupingPlan plan{.keys = group.keys.size(), .every = group.every};
    std::vector<ExpressionPtr> expressions;
    std::vector<Column> columns;
    if (group.every) columns.push_back({.name = "time", .unit = Unit::kTime});
    for (NamedExpression& key : group.keys) {
      expressions.push_back(resolved(*key.expression));
      columns.push_back({.name = key.name, .unit = unit_of(*expressions.back(), from)});
    }
    bool by_time = group.every.has_value();
    for (GroupStage::Aggregate& each : group.aggregates) {
      GroupingPlan::Aggregate aggregate{.kind = each.kind, .part = each.part};
      Unit unit = Unit::kNone;
      if (each.argument != nullptr) {
        aggregate.argument = expressions.size();
        expressions.push_back(resolved(*each.argument));
        const bool counts = each.kind == AggregateKind::kDistinct;
        unit = counts ? Unit::kNone : unit_of(*expressions.back(), from);
      }
      by_time = by_time || each.kind == AggregateKind::kRate;
      const bool in_order = each.kind == AggregateKind::kFirst || each.kind == AggregateKind::kLast;
      needs_order_ = needs_order_ || (in_order && from.empty());
      columns.push_back({.name = each.name, .unit = unit});
      plan.aggregates.push_back(aggregate);
    }
    if (by_time) {
      plan.time = expressions.size();
      const Root time = from.empty() ? Root::kRealTime : Root::kTime;
      expressions.push_back(path_expression({.root = time}));
      const bool has_time = from.empty() || find_column(from, "time") != nullptr;
      if (!has_time)
        return std::unexpected(
            syntax_error(text_, place, "`every` and `rate` need a column `time` here"));
    }
    if (from.empty()) {
      if (auto projected = project_events(std::move(expressions)); !projected) return projected;
    } else if (auto added = add_projection(std::move(expressions), from, project_rows); !added) {
      return added;
    }
    columns_ = std::move(columns);
    names_.clear();
    makers_.push_back([this, plan](std::unique_ptr<RowSink> next) {
      auto grouping = std::make_unique<Grouping>(plan, std::move(next));
      groupings_.push_back(grouping.get());
      return grouping;
    });
    return {};
  }

  // Collects what the stages behind a pair name of its events.
  void collect_sides(const Expression& expression, std::map<std::string, Path>& a,
                     std::map<std::string, Path>& b) const {
    if (expression.operation == Operator::kPath) {
      const Path& path = expression.path;
      if (path.root != Root::kAnyField || path.steps.size() < 2) return;
      if (path.steps.front().name == "a") a.emplace(to_string(path), path);
      if (path.steps.front().name == "b") b.emplace(to_string(path), path);
    }
    for (const ExpressionPtr& operand : expression.operands) collect_sides(*operand, a, b);
  }

  template <class Visit>
  static void for_each_expression(const StageSyntax& stage, Visit visit) {
    if (const auto* const where = std::get_if<WhereStage>(&stage.what)) visit(*where->condition);
    if (const auto* const let = std::get_if<LetStage>(&stage.what)) visit(*let->expression);
    if (const auto* const select = std::get_if<SelectStage>(&stage.what)) {
      for (const NamedExpression& each : select->columns) visit(*each.expression);
    }
    if (const auto* const sort = std::get_if<SortStage>(&stage.what)) {
      for (const SortStage::Key& key : sort->keys) visit(*key.expression);
    }
    if (const auto* const group = std::get_if<GroupStage>(&stage.what)) {
      for (const NamedExpression& key : group->keys) visit(*key.expression);
      for (const GroupStage::Aggregate& each : group->aggregates) {
        if (each.argument != nullptr) visit(*each.argument);
      }
    }
  }

  Result<void> build_pairs(PairStage& pair) {
    ++next_;
    std::map<std::string, Path> a;
    std::map<std::string, Path> b;
    for (std::size_t i = next_; i < stages_.size(); ++i) {
      for_each_expression(stages_[i], [&](const Expression& each) { collect_sides(each, a, b); });
    }
    // Both are equal: one column is enough.
    for (const PairStage::Key& key : pair.keys) {
      a.erase(key.name);
      b.erase(key.name);
    }
    PairingPlan plan{.keys = pair.keys.size(),
                     .kept_of_a = a.size(),
                     .kept_of_b = b.size(),
                     .nested = pair.nested,
                     .within = pair.within};
    std::vector<ExpressionPtr> expressions;
    expressions.push_back(resolved(*pair.begins));
    expressions.push_back(resolved(*pair.ends));
    columns_ = {{.name = "time", .unit = Unit::kTime},
                {.name = "end", .unit = Unit::kTime},
                {.name = "duration", .unit = Unit::kDuration}};
    for (const PairStage::Key& key : pair.keys) {
      plan.by_stream = plan.by_stream || names_stream(*key.a);
      expressions.push_back(resolved(*key.a));
    }
    for (const PairStage::Key& key : pair.keys) {
      expressions.push_back(resolved(*key.b));
      columns_.push_back({.name = key.name, .unit = unit_of(*key.b, {})});
    }
    for (const auto& sides : {a, b}) {
      for (const auto& [name, path] : sides) {
        expressions.push_back(path_expression(path_of_side(path)));
        columns_.push_back({.name = name, .unit = unit_of(*expressions.back(), {})});
      }
    }
    names_.clear();
    needs_order_ = true;
    pairing_plan_ = plan;
    return project_events(std::move(expressions));
  }

  Result<void> add_projection(std::vector<ExpressionPtr> expressions, std::span<const Column> from,
                              std::unique_ptr<RowSink> (*make)(RowProjection,
                                                               std::unique_ptr<RowSink>)) {
    return with_projection(std::move(expressions), from, [make](RowProjection projection) {
      auto shared = std::make_shared<RowProjection>(std::move(projection));
      return MakeSink([shared, make](std::unique_ptr<RowSink> next) {
        return make(std::move(*shared), std::move(next));
      });
    });
  }

  template <class Make>
  Result<void> with_projection(std::vector<ExpressionPtr> expressions, std::span<const Column> from,
                               Make make) {
    auto list = ExpressionList::from(std::move(expressions), text_);
    if (!list) return std::unexpected(list.error());
    auto projection = RowProjection::from(*std::move(list), from, text_);
    if (!projection) return std::unexpected(projection.error());
    makers_.push_back(make(*std::move(projection)));
    return {};
  }

  Result<void> build_row_stage(StageSyntax& stage) {
    if (auto* const where = std::get_if<WhereStage>(&stage.what)) {
      std::vector<ExpressionPtr> expressions;
      expressions.push_back(resolved(*where->condition));
      return add_projection(std::move(expressions), columns_, filter_rows);
    }
    if (auto* const let = std::get_if<LetStage>(&stage.what)) {
      if (auto named = name(*let); !named) return named;
      return {};
    }
    if (auto* const limit = std::get_if<LimitStage>(&stage.what)) {
      makers_.push_back([rows = limit->rows](std::unique_ptr<RowSink> next) {
        return limit_rows(rows, std::move(next));
      });
      return {};
    }
    if (auto* const select = std::get_if<SelectStage>(&stage.what)) return build_select(*select);
    if (auto* const sort = std::get_if<SortStage>(&stage.what)) return build_sort(*sort);
    if (auto* const group = std::get_if<GroupStage>(&stage.what))
      return build_groups(*group, stage.place, columns_);
    return std::unexpected(syntax_error(
        text_, stage.place, "`pair` makes pairs of events, not of what is computed of them"));
  }

  Result<void> build_select(SelectStage& select) {
    std::vector<ExpressionPtr> expressions;
    std::vector<Column> columns;
    for (NamedExpression& column : select.columns) {
      expressions.push_back(resolved(*column.expression));
      columns.push_back({.name = column.name, .unit = unit_of(*expressions.back(), columns_)});
    }
    if (auto added = add_projection(std::move(expressions), columns_, project_rows); !added)
      return added;
    columns_ = std::move(columns);
    names_.clear();
    return {};
  }

  Result<void> build_sort(SortStage& sort) {
    std::vector<ExpressionPtr> expressions;
    std::vector<bool> descending;
    for (SortStage::Key& key : sort.keys) {
      expressions.push_back(resolved(*key.expression));
      descending.push_back(key.descending);
    }
    // `top 5` is by the last column.
    if (expressions.empty()) {
      Path path{.root = Root::kAnyField};
      path.steps.push_back({.name = columns_.back().name});
      expressions.push_back(path_expression(std::move(path)));
      descending.push_back(true);
    }
    return with_projection(std::move(expressions), columns_, [&](RowProjection projection) {
      auto shared = std::make_shared<RowProjection>(std::move(projection));
      RowOrder order{.descending = descending, .most = sort.most};
      return MakeSink([shared, order](std::unique_ptr<RowSink> next) {
        return sort_rows(std::move(*shared), order, std::move(next));
      });
    });
  }

  std::string text_;
  std::shared_ptr<const Condition> condition_;
  bool needs_order_ = false;
  bool any_order_ = false;
  bool needs_values_ = false;
  bool needs_names_ = false;
  bool needs_symbols_ = false;
  std::vector<Column> columns_;
  ClockOrigin origin_ = ClockOrigin::kUnknown;
  FieldWatch fields_;
  std::vector<StageSyntax> stages_;
  std::size_t next_ = 0;  // of `stages_`, to be built
  std::map<std::string, Named, std::less<>> names_;
  std::size_t named_ = 0;  // operations that names stood for so far
  bool names_too_much_ = false;
  std::deque<EventLimit> limits_;
  std::uint64_t events_ = 0;  // that came
  std::optional<EventProjection> projection_;
  std::optional<PairingPlan> pairing_plan_;
  std::optional<Pairing> pairing_;
  std::vector<MakeSink> makers_;
  bool groups_events_ = false;        // and not rows
  std::vector<Grouping*> groupings_;  // the first one last
  std::unique_ptr<RowSink> sink_;
  std::optional<EventGrouping> event_grouping_;
  QueryCounts counts_;
  QueryCounts merged_;  // of other answers
  std::string question_;
  std::optional<Error> apart_;  // why parts of the answer do not add up
  bool has_origin_ = false;
  bool closed_ = false;
};

Query::Query(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Query::~Query() = default;

Result<std::unique_ptr<Query>> Query::parse(std::string_view text,
                                            const std::shared_ptr<const Condition>& where) {
  auto plan = std::make_unique<Plan>(text, where);
  if (auto built = plan->build(); !built) return std::unexpected(built.error());
  return std::unique_ptr<Query>(new Query(std::move(plan)));
}

const std::shared_ptr<const Condition>& Query::condition() const { return plan_->condition_; }
bool Query::needs_order() const { return plan_->needs_order_; }
bool Query::needs_values() const { return plan_->needs_values_; }

bool Query::needs_names() const { return plan_->needs_names_; }
bool Query::needs_symbols() const { return plan_->needs_symbols_; }
bool Query::any_order() const { return plan_->any_order_ && !plan_->needs_order_; }
void Query::name_traces(std::function<std::string(const TraceDescription& trace)> name_of) {
  plan_->projection_->name_traces(std::move(name_of));
}
FieldWatch& Query::fields() const { return plan_->fields_; }
ClockOrigin Query::origin() const { return plan_->origin_; }
std::span<const Column> Query::columns() const { return plan_->columns_; }
void Query::answer_to(std::unique_ptr<RowSink> sink) { plan_->answer_to(std::move(sink)); }
Result<void> Query::add(const Batch& batch) { return plan_->add(batch); }
bool Query::full() const { return plan_->full(); }
void Query::note_late(std::uint64_t events) { plan_->counts_.late += events; }
Result<void> Query::show() { return plan_->show(); }
Result<void> Query::close() { return plan_->close(); }
Result<void> Query::finish() { return plan_->finish(); }
QueryCounts Query::counts() const { return plan_->counts(); }
const std::string& Query::question() const { return plan_->question_; }
Result<void> Query::adds_up() const {
  return plan_->apart_ ? std::unexpected(*plan_->apart_) : Result<void>();
}
Result<void> Query::encode(const TakePortion& take) { return plan_->encode(take); }
bool Query::understands(ByteSpan portion) const { return plan_->understands(portion); }
Result<void> Query::merge(ByteSpan portion) { return plan_->merge(portion); }

}  // namespace tracedeck::query
