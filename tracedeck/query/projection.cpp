#include "tracedeck/query/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/path_parser.hpp"

namespace tracedeck::query {
namespace {

// The first call of symbol(), or null.
const Expression* find_symbol(const Expression& expression) {
  if (asks_for_symbols(expression.operation)) return &expression;
  for (const ExpressionPtr& operand : expression.operands) {
    if (const Expression* const found = find_symbol(*operand)) return found;
  }
  return nullptr;
}

// That a column is compared with a number in a unit, and is known to have none.
std::optional<Error> column_without_unit(const Expression& expression,
                                         std::span<const Column> columns, std::string_view text) {
  const auto measured = measured_comparison(expression);
  const auto unit = measured ? unit_in(*measured->side, columns) : std::nullopt;
  if (unit && unit->seen == nullptr) {
    for (const Expression* const each : measured->quantities) {
      if (!in_unit(Value::of(std::uint64_t{0}), *quantity_of(*each), unit->unit).known())
        return syntax_error(text, each->place, sentence_about_unit(*measured, unit->unit));
    }
  }
  for (const ExpressionPtr& operand : expression.operands) {
    if (auto wrong = column_without_unit(*operand, columns, text)) return wrong;
  }
  return std::nullopt;
}

std::string known_columns(std::span<const Column> columns) {
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string column_name(const Path& path) {
  const bool is_name = path.root == Root::kAnyField && path.steps.size() == 1 &&
                       path.steps.front().kind == PathStep::Kind::kMember;
  return is_name ? path.steps.front().name : to_string(path);
}

Result<ExpressionList> ExpressionList::from(std::vector<ExpressionPtr> expressions,
                                            std::string_view text) {
  ExpressionList list;
  for (const ExpressionPtr& each : expressions) {
    if (auto added = list.matchers_.add(*each, text); !added) return std::unexpected(added.error());
  }
  list.expressions_ = std::move(expressions);
  return list;
}

void EventProjection::bind_to(Entry& entry, const EventClass& event_class) const {
  const TraceDescription* const trace =
      event_class.stream_class == nullptr ? nullptr : event_class.stream_class->trace;
  if (trace != nullptr) entry.trace = name_of(*trace);
  const BindContext context{
      .matchers = list_.matchers(), .texts = entry.texts, .trace = entry.trace};
  for (const ExpressionPtr& each : list_.expressions())
    entry.nodes.push_back(bind(*each, event_class, context));
  for (const auto& [index, seen] : units_) {
    if (const auto unit = unit_in(*list_.expressions()[index], event_class)) seen->see(*unit);
  }
  entry.names = trace == nullptr ? nullptr : &trace->value_names();
  entry.bound = true;
  fields_->see(event_class);
}

std::span<const Value> EventProjection::operator()(const Event& event) {
  const Entry& entry = entry_of(*event.event_class);
  if (!texts_.empty()) texts_.clear();
  values_.clear();
  const EventValues values{.event = &event, .names = entry.names, .texts = &texts_};
  for (const BoundNode& node : entry.nodes) values_.push_back(evaluate(node, values));
  return values_;
}

Value EventProjection::value(const Event& event, std::size_t index) {
  const Entry& entry = entry_of(*event.event_class);
  if (!texts_.empty()) texts_.clear();
  return evaluate(entry.nodes[index], {.event = &event, .names = entry.names, .texts = &texts_});
}

void EventProjection::look_at(const Event& event) {
  if (!texts_.empty()) texts_.clear();
  event_ = &event;
  entry_ = &entry_of(*event.event_class);
  values_.resize(entry_->nodes.size());
}

std::span<const Value> EventProjection::values(std::size_t first, std::size_t count) {
  const EventValues values{.event = event_, .names = entry_->names, .texts = &texts_};
  for (std::size_t i = first; i < first + count; ++i)
    values_[i] = evaluate(entry_->nodes[i], values);
  return std::span(values_).subspan(first, count);
}

Result<RowProjection> RowProjection::from(ExpressionList list, std::span<const Column> columns,
                                          std::string_view text, const Advise& advise) {
  RowProjection projection(std::move(list));
  std::optional<Error> failure;
  const auto column_of = [&](const Expression& path) -> std::optional<std::size_t> {
    const Column* const column = find_column(columns, column_name(path.path));
    if (column != nullptr) return static_cast<std::size_t>(column - columns.data());
    if (!failure) {
      failure = syntax_error(
          text, path.place,
          fmt::format("`{}` is nothing that is known here; there are {}{}", column_name(path.path),
                      known_columns(columns), advise ? advise(path.path) : std::string()));
    }
    return std::nullopt;
  };
  for (const ExpressionPtr& each : projection.list_.expressions()) {
    if (const Expression* const symbol = find_symbol(*each)) {
      return std::unexpected(
          syntax_error(text, symbol->place,
                       "symbol() names addresses of events, and what comes here is made of them"));
    }
  }
  const BindContext context{
      .matchers = projection.list_.matchers(), .texts = projection.constants_, .columns = columns};
  for (const ExpressionPtr& each : projection.list_.expressions())
    projection.nodes_.push_back(bind_to_row(*each, column_of, context));
  if (failure) return std::unexpected(*std::move(failure));
  for (const ExpressionPtr& each : projection.list_.expressions()) {
    if (auto wrong = column_without_unit(*each, columns, text))
      return std::unexpected(*std::move(wrong));
  }
  return projection;
}

std::span<const Value> RowProjection::operator()(std::span<const Value> row) {
  static const Event kNoEvent{};
  if (!texts_.empty()) texts_.clear();
  values_.clear();
  const EventValues values{.event = &kNoEvent, .texts = &texts_, .columns = row};
  for (const BoundNode& node : nodes_) values_.push_back(evaluate(node, values));
  return values_;
}

Unit unit_of(const Expression& expression, std::span<const Column> columns) {
  const auto operand = [&](std::size_t index) {
    return unit_of(*expression.operands[index], columns);
  };
  switch (expression.operation) {
    case Operator::kPath: {
      const Column* const column = find_column(columns, column_name(expression.path));
      if (column != nullptr) return column->unit;
      if (!columns.empty()) return Unit::kNone;
      if (expression.path.root == Root::kTime) return Unit::kTime;
      if (expression.path.root == Root::kDuration) return Unit::kDuration;
      return expression.path.root == Root::kSize ? Unit::kBytes : Unit::kNone;
    }
    case Operator::kSubtract: {
      const Unit from = operand(0);
      return from == Unit::kTime && operand(1) == Unit::kTime ? Unit::kDuration : from;
    }
    case Operator::kAdd:
    case Operator::kCoalesce:
    case Operator::kAbsolute:
    case Operator::kNegate:
      return operand(0);
    default:
      return Unit::kNone;
  }
}

const Column* find_column(std::span<const Column> columns, std::string_view name) {
  const auto exact = std::ranges::find(columns, name, &Column::name);
  if (exact != columns.end()) return &*exact;
  const auto begins = [&](const Column& column) {
    return column.name.size() > name.size() && column.name.starts_with(name) &&
           column.name[name.size()] == '(';
  };
  const auto first = std::ranges::find_if(columns, begins);
  if (name.empty() || first == columns.end()) return nullptr;
  return std::find_if(std::next(first), columns.end(), begins) == columns.end() ? &*first : nullptr;
}

}  // namespace tracedeck::query
