#include "tracedeck/query/query_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tracedeck/query/allocation_rows.hpp"
#include "tracedeck/query/given_names.hpp"
#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/path_parser.hpp"
#include "tracedeck/query/rewriting.hpp"
#include "tracedeck/query/row_stages.hpp"
#include "tracedeck/query/sample_rows.hpp"
#include "tracedeck/query/stage_names.hpp"
#include "tracedeck/query/stages.hpp"
#include "tracedeck/query/time_texts.hpp"

namespace tracedeck::query {
namespace {

// If that is what the key of that index is on both sides.
void add_to_scope(ScopeKeys& scope, std::size_t index, const Expression& a, const Expression& b) {
  if (a.operation != Operator::kPath || b.operation != Operator::kPath) return;
  if (a.path.root != b.path.root) return;
  if (a.path.root == Root::kTrace) scope.trace = index;
  if (a.path.root != Root::kStream || a.path.steps.size() != 1 || b.path.steps.size() != 1) return;
  const std::string& name = a.path.steps.front().name;
  if (name == b.path.steps.front().name) scope.stream.emplace_back(index, name);
}

ExpressionPtr path_expression(Path path) {
  return std::make_unique<const Expression>(
      Expression{.operation = Operator::kPath, .path = std::move(path)});
}

bool is_time_of_event(const Expression& expression) {
  return expression.operation == Operator::kPath && expression.path.root == Root::kTime;
}

// What the columns of events are when nothing says which: made for reading.
std::vector<NamedExpression> usual_columns() {
  std::vector<NamedExpression> columns;
  columns.push_back({.name = "time", .expression = path_expression({.root = Root::kTime})});
  columns.push_back({.name = "name", .expression = path_expression({.root = Root::kName})});
  columns.push_back({.name = "duration", .expression = path_expression({.root = Root::kDuration})});
  return columns;
}

class PlanBuilder {
 public:
  PlanBuilder(std::string_view text, const std::shared_ptr<const Condition>& where,
              const std::optional<std::vector<AllColumn>>& all)
      : text_(text), all_(all), plan_(std::make_unique<QueryPlan>()) {
    plan_->condition = where;
  }

  Result<std::unique_ptr<QueryPlan>> build() {
    auto stages = parse_stages(text_);
    if (!stages) return std::unexpected(stages.error());
    stages_ = *std::move(stages);
    note_question();
    if (auto front = build_front(); !front) return std::unexpected(front.error());
    // What the stages behind it may name is not known yet.
    if (plan_->selects_all && !all_) return std::move(plan_);
    for (; next_ < stages_.size(); ++next_) {
      if (auto built = build_row_stage(stages_[next_]); !built)
        return std::unexpected(built.error());
    }
    if (auto shown = show_rows(); !shown) return std::unexpected(shown.error());
    if (auto small = names_.check(); !small) return std::unexpected(small.error());
    plan_->compares_times = plan_->reads_times;
    if (plan_->condition != nullptr && reads_times(plan_->condition->expression()))
      plan_->reads_times = true;
    return std::move(plan_);
  }

 private:
  // What the rows at hand are.
  enum class Rows : std::uint8_t {
    kUsual,  // events, of which nothing says what is wanted
    kPairs,
    kSpans,
    kAllocations,
    kSamples,
    kMade,  // what a stage names
  };
  // Parts of the answer add up if its groups are of events that were each looked at alone.
  void note_question() {
    if (plan_->condition != nullptr) plan_->question = "where " + plan_->condition->text() + " | ";
    plan_->question += text_;
    for (const StageSyntax& stage : stages_) {
      if (std::holds_alternative<GroupStage>(stage.what)) return;
      const bool is_limit = std::holds_alternative<LimitStage>(stage.what);
      if (!is_limit && !std::holds_alternative<SortStage>(stage.what)) continue;
      plan_->apart =
          syntax_error(text_, stage.place,
                       "partial answers do not add up where this stands before an aggregate: "
                       "it is about all events together");
      return;
    }
    plan_->apart = Error{.code = ErrorCode::kInvalidArgument,
                         .message =
                             "partial answers add up by aggregates (count, sum, p99, ...), and "
                             "this query has none"};
  }

  // The stages that events pass: conditions, names, limits; then what makes rows of events.
  Result<void> build_front() {
    if (const auto* const spans = std::get_if<SpansStage>(&stages_.front().what))
      return build_spans(*spans);
    if (const auto* const source = std::get_if<SourceStage>(&stages_.front().what))
      return build_source(source->source);
    std::vector<ExpressionPtr> conditions;
    for (; next_ < stages_.size(); ++next_) {
      StageSyntax& stage = stages_[next_];
      if (auto* const where = std::get_if<WhereStage>(&stage.what)) {
        if (!plan_->limits.empty()) {
          if (auto added = add_condition(stage, *where); !added) return added;
          continue;
        }
        conditions.push_back(names_.resolved(*where->condition));
      } else if (auto* const let = std::get_if<LetStage>(&stage.what)) {
        if (auto named = names_.add(let->name, *let->expression); !named) return named;
      } else if (auto* const limit = std::get_if<LimitStage>(&stage.what)) {
        plan_->limits.push_back({.most = limit->rows});
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
        plan_->any_order = plan_->limits.empty();
        plan_->groups_events = true;
        return build_groups(*group, stage.place, {});
      }
      if (auto* const select = std::get_if<SelectStage>(&stage.what)) {
        ++next_;
        auto columns = all_of_events(std::move(select->columns), stage.place);
        if (!columns) return std::unexpected(columns.error());
        return select_events(*std::move(columns));
      }
    }
    // A sort of events, or nothing at all.
    usual_ = true;
    auto selected = select_events(usual_columns());
    rows_ = Rows::kUsual;
    return selected;
  }

  // What counts for a condition, with the word of the stage that it is behind.
  std::shared_ptr<Tried> tried_behind(const StageSyntax& condition) {
    Tried tried;
    for (const StageSyntax& stage : stages_) {
      if (&stage == &condition) break;
      const bool makes_none = std::holds_alternative<WhereStage>(stage.what) ||
                              std::holds_alternative<LetStage>(stage.what);
      if (makes_none) continue;
      const std::string_view words = text_.substr(stage.place.begin);
      tried.behind =
          words.substr(0, words.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789."));
    }
    plan_->tried.push_back(std::make_shared<Tried>(std::move(tried)));
    return plan_->tried.back();
  }

  // A condition on the events that a limit lets pass.
  Result<void> add_condition(const StageSyntax& stage, const WhereStage& where) {
    // Two in a row have a limit between them that lets all pass.
    if (plan_->limits.back().condition) plan_->limits.push_back({.most = ~std::uint64_t{0}});
    std::vector<ExpressionPtr> expressions;
    expressions.push_back(names_.resolved(*where.condition));
    auto projection = event_projection(std::move(expressions));
    if (!projection) return std::unexpected(projection.error());
    plan_->limits.back().condition.emplace(*std::move(projection));
    plan_->limits.back().tried = tried_behind(stage);
    return {};
  }

  Result<void> make_condition(std::vector<ExpressionPtr> conditions) {
    if (conditions.empty()) return {};
    if (plan_->condition != nullptr) conditions.push_back(clone(plan_->condition->expression()));
    auto condition = Condition::from(std::move(conditions), text_);
    if (!condition) return std::unexpected(condition.error());
    plan_->condition = *std::move(condition);
    return {};
  }

  // The columns of events, with those that `*` stands for.
  Result<std::vector<NamedExpression>> all_of_events(std::vector<NamedExpression> columns,
                                                     Place place) {
    std::vector<NamedExpression> all;
    for (NamedExpression& column : columns) {
      if (column.expression != nullptr) {
        all.push_back(std::move(column));
        continue;
      }
      plan_->selects_all = true;
      plan_->apart = syntax_error(text_, place, "partial answers have the columns that they name");
      if (!all_) continue;
      for (const AllColumn& each : *all_)
        all.push_back({.name = each.name, .expression = path_expression(each.path)});
    }
    if (all.size() <= kMostOfAll) return all;
    return std::unexpected(
        syntax_error(text_, place,
                     fmt::format("these are {} columns, and a stage has at most {}: name those "
                                 "that are wanted, or select events before it",
                                 all.size(), kMostOfAll)));
  }

  // A column with what its numbers count. Without columns that it is made `from` it is of events,
  // and which of the expressions on those is `index`.
  Column column_of(std::string name, const Expression& expression, std::size_t index,
                   std::span<const Column> from) {
    Column column{.name = std::move(name), .unit = unit_of(expression, from)};
    if (column.unit != Unit::kNone) return column;
    if (from.empty()) {
      SeenUnit& seen = plan_->units.emplace_back();
      watched_.emplace_back(index, &seen);
      column.seen = &seen;
    } else if (const auto unit = unit_in(expression, from)) {
      column.seen = unit->seen;
    }
    return column;
  }

  Result<void> select_events(std::vector<NamedExpression> columns) {
    std::vector<ExpressionPtr> expressions;
    for (NamedExpression& column : columns) {
      ExpressionPtr expression = names_.resolved(*column.expression);
      plan_->columns.push_back(
          column_of(std::move(column.name), *expression, expressions.size(), {}));
      expressions.push_back(std::move(expression));
    }
    begin_rows(Rows::kMade);
    return project_events(std::move(expressions));
  }

  // Makes times of the texts beside them. Without columns the expressions are on events.
  Result<void> resolve_times(std::vector<ExpressionPtr>& expressions,
                             std::span<const Column> columns) {
    for (ExpressionPtr& each : expressions) {
      auto timed = with_times(*each, columns, text_);
      if (!timed) return std::unexpected(timed.error());
      each = std::move(timed->expression);
      if (timed->date) plan_->date = std::move(timed->date);
    }
    return {};
  }

  Result<EventProjection> event_projection(std::vector<ExpressionPtr> expressions) {
    if (auto done = resolve_times(expressions, {}); !done) return std::unexpected(done.error());
    for (const ExpressionPtr& each : expressions) {
      plan_->needs_values = plan_->needs_values || reads_values(*each);
      plan_->needs_names = plan_->needs_names || reads_names(*each);
      plan_->needs_symbols = plan_->needs_symbols || names_symbols(*each);
      plan_->reads_times = plan_->reads_times || reads_times(*each);
      if (!usual_) plan_->fields.add(*each);
    }
    auto list = ExpressionList::from(std::move(expressions), text_);
    if (!list) return std::unexpected(list.error());
    return EventProjection(*std::move(list), plan_->fields);
  }

  Result<void> project_events(std::vector<ExpressionPtr> expressions) {
    auto projection = event_projection(std::move(expressions));
    if (!projection) return std::unexpected(projection.error());
    plan_->projection.emplace(*std::move(projection));
    for (const auto& [index, seen] : watched_) plan_->projection->watch_unit(index, *seen);
    watched_.clear();
    return {};
  }

  // Adds the column of an aggregate, and what it is of to the values of the rows that come to it.
  GroupingPlan::Aggregate add_aggregate(const GroupStage::Aggregate& each,
                                        std::span<const Column> from,
                                        std::vector<ExpressionPtr>& values,
                                        std::vector<Column>& columns) {
    GroupingPlan::Aggregate aggregate{.kind = each.kind, .part = each.part};
    Column column{.name = each.name};
    if (each.argument != nullptr) {
      aggregate.argument = values.size();
      values.push_back(names_.resolved(*each.argument));
      if (each.kind != AggregateKind::kDistinct)
        column = column_of(each.name, *values.back(), *aggregate.argument, from);
      if (from.empty() && is_time_of_event(*values.back()))
        values.back() = path_expression({.root = Root::kRealTime});
    }
    const bool in_order = each.kind == AggregateKind::kFirst || each.kind == AggregateKind::kLast;
    if (in_order && from.empty()) {
      plan_->needs_order = true;
      Expression placed{.operation = Operator::kInOrder};
      placed.operands.push_back(std::move(values.back()));
      values.back() = std::make_unique<const Expression>(std::move(placed));
    }
    columns.push_back(std::move(column));
    return aggregate;
  }

  // Rows of values in the order that a `Grouping` wants: of events, unless there are columns.
  Result<void> build_groups(GroupStage& group, Place place, std::vector<Column> from) {
    GroupingPlan plan{.keys = group.keys.size(), .every = group.every};
    std::vector<ExpressionPtr> expressions;
    std::vector<Column> columns;
    if (group.every) columns.push_back({.name = "time", .unit = Unit::kTime});
    for (NamedExpression& key : group.keys) {
      const std::size_t index = expressions.size();
      expressions.push_back(names_.resolved(*key.expression));
      columns.push_back(column_of(key.name, *expressions.back(), index, from));
    }
    bool by_time = group.every.has_value();
    for (const GroupStage::Aggregate& each : group.aggregates) {
      by_time = by_time || each.kind == AggregateKind::kRate;
      plan.aggregates.push_back(add_aggregate(each, from, expressions, columns));
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
    plan_->columns = std::move(columns);
    begin_rows(Rows::kMade);
    plan_->makers.push_back(
        [plan](std::unique_ptr<RowSink> next, std::vector<Grouping*>& groupings) {
          auto grouping = std::make_unique<Grouping>(plan, std::move(next));
          groupings.push_back(grouping.get());
          return grouping;
        });
    return {};
  }

  Result<void> build_pairs(PairStage& pair) {
    ++next_;
    std::map<std::string, Path> a;
    std::map<std::string, Path> b;
    collect_sides(std::span(stages_).subspan(next_), a, b);
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
    expressions.push_back(names_.resolved(*pair.begins));
    expressions.push_back(names_.resolved(*pair.ends));
    plan_->columns = {{.name = "time", .unit = Unit::kTime},
                      {.name = "end", .unit = Unit::kTime},
                      {.name = "duration", .unit = Unit::kDuration}};
    for (const PairStage::Key& key : pair.keys) {
      expressions.push_back(names_.resolved(*key.a));
    }
    for (const PairStage::Key& key : pair.keys) {
      const std::size_t index = expressions.size();
      expressions.push_back(names_.resolved(*key.b));
      plan_->columns.push_back(column_of(key.name, *expressions.back(), index, {}));
    }
    for (std::size_t i = 0; i != plan.keys; ++i)
      add_to_scope(plan.scope, i, *expressions[2 + i], *expressions[2 + plan.keys + i]);
    for (const auto& sides : {a, b}) {
      for (const auto& [name, path] : sides) {
        const std::size_t index = expressions.size();
        expressions.push_back(path_expression(path_of_side(path)));
        plan_->columns.push_back(column_of(name, *expressions.back(), index, {}));
      }
    }
    begin_rows(Rows::kPairs);
    plan_->needs_order = true;
    plan_->reads_times = true;
    plan_->pairing = plan;
    return project_events(std::move(expressions));
  }

  Result<void> build_spans(const SpansStage& spans) {
    if (plan_->condition != nullptr)
      return fail(ErrorCode::kInvalidArgument,
                  "a condition on events does not go with `spans`: without some events, begins and "
                  "ends would not be found; ask for slices: spans | where ...");
    ++next_;
    plan_->source = RowSource::kSpans;
    plan_->spans = SpanPlan{.all = spans.all};
    plan_->columns = span_columns();
    const std::set<std::string> arguments = arguments_of_spans(std::span(stages_).subspan(next_));
    if (arguments.size() > kMostSpanArguments)
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("a query names at most {} arguments of spans", kMostSpanArguments));
    for (const std::string& name : arguments) {
      plan_->argument_units.push_back(&plan_->units.emplace_back());
      plan_->columns.push_back({.name = name, .seen = plan_->argument_units.back()});
      // `.name` is the argument of that name.
      plan_->spans->arguments.push_back(name.substr(name.starts_with('.') ? 1 : 0));
    }
    begin_made_elsewhere(Rows::kSpans);
    return {};
  }

  Result<void> build_source(RowSource source) {
    const bool is_samples = source == RowSource::kSamples;
    if (plan_->condition != nullptr)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("a condition on events does not go with `{0}`: without some events, "
                              "{1} would not be known; ask for {0}: {0} | where ...",
                              is_samples ? "samples" : "allocations",
                              is_samples ? "what they are inside of" : "what is live"));
    ++next_;
    plan_->source = source;
    plan_->columns = is_samples ? sample_columns() : allocation_columns();
    plan_->needs_symbols = names_functions(std::span(stages_).subspan(next_), plan_->columns);
    begin_made_elsewhere(is_samples ? Rows::kSamples : Rows::kAllocations);
    return {};
  }

  void begin_made_elsewhere(Rows rows) {
    begin_rows(rows);
    plan_->needs_order = true;
    plan_->needs_values = true;
    plan_->reads_times = true;
  }

  // The columns of rows of which no stage says what is wanted: what they are, and of spans the
  // arguments that were named.
  [[nodiscard]] std::vector<std::size_t> shown_columns() const {
    const auto numbers = [](auto... columns) {
      return std::vector<std::size_t>{std::size_t{std::to_underlying(columns)}...};
    };
    if (rows_ == Rows::kAllocations)
      return numbers(AllocationColumn::kTime, AllocationColumn::kSize,
                     AllocationColumn::kWeightBytes, AllocationColumn::kLive,
                     AllocationColumn::kLifetime, AllocationColumn::kSymbol);
    if (rows_ == Rows::kSamples)
      return numbers(SampleColumn::kTime, SampleColumn::kName, SampleColumn::kTrack,
                     SampleColumn::kInside, SampleColumn::kSymbol);
    if (rows_ != Rows::kSpans) return {};
    auto shown = numbers(SpanColumn::kTime, SpanColumn::kDuration, SpanColumn::kKind,
                         SpanColumn::kCategory, SpanColumn::kName, SpanColumn::kTrack);
    if (plan_->spans->all) shown.push_back(std::to_underlying(SpanColumn::kWhole));
    for (std::size_t i = kSpanColumns; i < plan_->columns.size(); ++i) shown.push_back(i);
    return shown;
  }

  Result<void> show_rows() {
    SelectStage select;
    for (const std::size_t column : shown_columns()) {
      Path path{.root = Root::kAnyField};
      path.steps.push_back({.name = plan_->columns[column].name});
      select.columns.push_back(
          {.name = plan_->columns[column].name, .expression = path_expression(std::move(path))});
    }
    return select.columns.empty() ? Result<void>() : build_select(select);
  }

  Result<void> add_projection(std::vector<ExpressionPtr> expressions, std::span<const Column> from,
                              std::unique_ptr<RowSink> (*make)(RowProjection,
                                                               std::unique_ptr<RowSink>)) {
    return with_projection(std::move(expressions), from, [make](RowProjection projection) {
      auto shared = std::make_shared<RowProjection>(std::move(projection));
      return QueryPlan::MakeSink(
          [shared, make](std::unique_ptr<RowSink> next, std::vector<Grouping*>&) {
            return make(std::move(*shared), std::move(next));
          });
    });
  }

  // What helps who names what no column is.
  [[nodiscard]] std::string advice(const Path& path) const {
    const std::string word = to_string(path);
    if (names_.forgot(word))
      return "; `let` named it before, which holds up to here: name it again";
    if (rows_ == Rows::kUsual) return "; `select` it first";
    const std::string side = word.substr(0, 2);
    if (rows_ != Rows::kPairs || side == "a." || side == "b.") return "";
    const std::string field = word.substr(word.starts_with('.') ? 1 : 0);
    const std::string_view of_payload = word.starts_with('.') ? "fields." : "";
    return fmt::format("; of its events `a.{0}{1}` and `b.{0}{1}`", of_payload, field);
  }

  // The rows from here on are `rows`, and what `let` gave names to is not known of them.
  void begin_rows(Rows rows) {
    rows_ = rows;
    names_.forget();
  }

  template <class Make>
  Result<void> with_projection(std::vector<ExpressionPtr> expressions, std::span<const Column> from,
                               Make make) {
    if (auto done = resolve_times(expressions, from); !done) return done;
    for (const ExpressionPtr& each : expressions) plan_->compared.add(*each, from, is_sorted_);
    auto list = ExpressionList::from(std::move(expressions), text_);
    if (!list) return std::unexpected(list.error());
    auto projection = RowProjection::from(*std::move(list), from, text_,
                                          [this](const Path& path) { return advice(path); });
    if (!projection) return std::unexpected(projection.error());
    plan_->makers.push_back(make(*std::move(projection)));
    return {};
  }

  Result<void> build_row_stage(StageSyntax& stage) {
    if (auto* const where = std::get_if<WhereStage>(&stage.what)) {
      std::vector<ExpressionPtr> expressions;
      expressions.push_back(names_.resolved(*where->condition));
      return with_projection(std::move(expressions), plan_->columns, [&](RowProjection projection) {
        auto shared = std::make_shared<RowProjection>(std::move(projection));
        return QueryPlan::MakeSink([shared, tried = tried_behind(stage)](
                                       std::unique_ptr<RowSink> next, std::vector<Grouping*>&) {
          return filter_rows(std::move(*shared), tried, std::move(next));
        });
      });
    }
    if (auto* const let = std::get_if<LetStage>(&stage.what)) {
      if (auto named = names_.add(let->name, *let->expression); !named) return named;
      return {};
    }
    if (auto* const limit = std::get_if<LimitStage>(&stage.what)) {
      plan_->makers.push_back(
          [rows = limit->rows](std::unique_ptr<RowSink> next, std::vector<Grouping*>&) {
            return limit_rows(rows, std::move(next));
          });
      return {};
    }
    if (auto* const select = std::get_if<SelectStage>(&stage.what)) return build_select(*select);
    if (auto* const sort = std::get_if<SortStage>(&stage.what)) return build_sort(*sort);
    if (auto* const group = std::get_if<GroupStage>(&stage.what))
      return build_groups(*group, stage.place, plan_->columns);
    if (std::holds_alternative<PairStage>(stage.what))
      return std::unexpected(syntax_error(
          text_, stage.place, "`pair` makes pairs of events, not of what is computed of them"));
    const auto* const source = std::get_if<SourceStage>(&stage.what);
    const bool is_samples = source != nullptr && source->source == RowSource::kSamples;
    return std::unexpected(syntax_error(
        text_, stage.place,
        fmt::format("`{0}` comes first, as what the stages behind it work on: {0} | where ...",
                    source == nullptr ? "spans"
                    : is_samples      ? "samples"
                                      : "allocations")));
  }

  // The columns, with those that `*` stands for.
  std::vector<NamedExpression> all_of_rows(SelectStage& select) {
    std::vector<NamedExpression> all;
    for (NamedExpression& column : select.columns) {
      if (column.expression != nullptr) {
        all.push_back(std::move(column));
        continue;
      }
      for (const Column& each : plan_->columns) {
        Path path{.root = Root::kAnyField};
        path.steps.push_back({.name = each.name});
        all.push_back({.name = each.name, .expression = path_expression(std::move(path))});
      }
    }
    return all;
  }

  Result<void> build_select(SelectStage& select) {
    std::vector<ExpressionPtr> expressions;
    std::vector<Column> columns;
    for (NamedExpression& column : all_of_rows(select)) {
      expressions.push_back(names_.resolved(*column.expression));
      columns.push_back(column_of(column.name, *expressions.back(), 0, plan_->columns));
    }
    if (auto added = add_projection(std::move(expressions), plan_->columns, project_rows); !added)
      return added;
    plan_->columns = std::move(columns);
    begin_rows(Rows::kMade);
    return {};
  }

  Result<void> build_sort(SortStage& sort) {
    is_sorted_ = true;
    std::vector<ExpressionPtr> expressions;
    std::vector<bool> descending;
    for (SortStage::Key& key : sort.keys) {
      expressions.push_back(names_.resolved(*key.expression));
      descending.push_back(key.descending);
    }
    // `top 5` is by the last column.
    if (expressions.empty()) {
      Path path{.root = Root::kAnyField};
      path.steps.push_back({.name = plan_->columns.back().name});
      expressions.push_back(path_expression(std::move(path)));
      descending.push_back(true);
    }
    return with_projection(std::move(expressions), plan_->columns, [&](RowProjection projection) {
      auto shared = std::make_shared<RowProjection>(std::move(projection));
      RowOrder order{.descending = descending, .most = sort.most};
      return QueryPlan::MakeSink(
          [shared, order](std::unique_ptr<RowSink> next, std::vector<Grouping*>&) {
            return sort_rows(std::move(*shared), order, std::move(next));
          });
    });
  }

  static constexpr std::size_t kMostOfAll = 1000;

  std::string_view text_;
  const std::optional<std::vector<AllColumn>>& all_;
  std::unique_ptr<QueryPlan> plan_;
  std::vector<StageSyntax> stages_;
  std::size_t next_ = 0;  // of `stages_`, to be built
  GivenNames names_;
  std::vector<std::pair<std::size_t, SeenUnit*>> watched_;  // for the projection of events
  Rows rows_ = Rows::kMade;
  bool is_sorted_ = false;  // rows were put aside
  bool usual_ = false;      // nothing says which columns are wanted
};

}  // namespace

Result<std::unique_ptr<QueryPlan>> make_plan(std::string_view text,
                                             const std::shared_ptr<const Condition>& where,
                                             const std::optional<std::vector<AllColumn>>& all) {
  return PlanBuilder(text, where, all).build();
}

}  // namespace tracedeck::query
