#include "tracedeck/query/stage_names.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tracedeck/query/path_parser.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/span_rows.hpp"

namespace tracedeck::query {
namespace {

template <class Visit>
void for_each_path(const Expression& expression, Visit& visit) {
  if (expression.operation == Operator::kPath) visit(expression.path);
  for (const ExpressionPtr& operand : expression.operands) for_each_path(*operand, visit);
}

template <class Visit>
void for_each_path(const StageSyntax& stage, Visit visit) {
  if (const auto* const where = std::get_if<WhereStage>(&stage.what))
    for_each_path(*where->condition, visit);
  if (const auto* const let = std::get_if<LetStage>(&stage.what))
    for_each_path(*let->expression, visit);
  if (const auto* const select = std::get_if<SelectStage>(&stage.what)) {
    for (const NamedExpression& each : select->columns)
      if (each.expression != nullptr) for_each_path(*each.expression, visit);
  }
  if (const auto* const sort = std::get_if<SortStage>(&stage.what)) {
    for (const SortStage::Key& key : sort->keys) for_each_path(*key.expression, visit);
  }
  if (const auto* const group = std::get_if<GroupStage>(&stage.what)) {
    for (const NamedExpression& key : group->keys) for_each_path(*key.expression, visit);
    for (const GroupStage::Aggregate& each : group->aggregates) {
      if (each.argument != nullptr) for_each_path(*each.argument, visit);
    }
  }
}

// Whether the stages behind it have other rows.
bool makes_rows(const StageSyntax& stage) {
  return std::holds_alternative<SelectStage>(stage.what) ||
         std::holds_alternative<GroupStage>(stage.what);
}

}  // namespace

void collect_sides(std::span<const StageSyntax> stages, std::map<std::string, Path>& a,
                   std::map<std::string, Path>& b) {
  for (const StageSyntax& stage : stages) {
    for_each_path(stage, [&](const Path& path) {
      if (path.root != Root::kAnyField || path.steps.size() < 2) return;
      if (path.steps.front().name == "a") a.emplace(to_string(path), path);
      if (path.steps.front().name == "b") b.emplace(to_string(path), path);
    });
  }
}

std::set<std::string> arguments_of_spans(std::span<const ExpressionPtr> expressions,
                                         std::span<const Column> columns) {
  std::set<std::string> arguments;
  const auto note = [&](const Path& path) {
    std::string name = column_name(path);
    if (path.root < kFirstEventValue && find_column(columns, name) == nullptr)
      arguments.insert(std::move(name));
  };
  for (const ExpressionPtr& each : expressions) for_each_path(*each, note);
  return arguments;
}

std::set<std::string> arguments_of_spans(std::span<const StageSyntax> stages) {
  std::set<std::string> named;  // by `let`
  std::set<std::string> arguments;
  for (const StageSyntax& stage : stages) {
    for_each_path(stage, [&](const Path& path) {
      std::string name = column_name(path);
      const bool is_known = named.contains(name) || find_column(span_columns(), name) != nullptr;
      if (path.root < kFirstEventValue && !is_known) arguments.insert(std::move(name));
    });
    if (const auto* const let = std::get_if<LetStage>(&stage.what)) named.insert(let->name);
    if (makes_rows(stage)) break;
  }
  return arguments;
}

bool names_functions(std::span<const StageSyntax> stages, std::span<const Column> columns) {
  bool named = false;
  for (const StageSyntax& stage : stages) {
    for_each_path(stage, [&](const Path& path) {
      const Column* const column = find_column(columns, column_name(path));
      named = named || (column != nullptr && (column->name == "symbol" || column->name == "stack"));
    });
    const auto* const select = std::get_if<SelectStage>(&stage.what);
    const auto is_all = [](const NamedExpression& each) { return each.expression == nullptr; };
    if (select != nullptr && std::ranges::any_of(select->columns, is_all)) return true;
    if (makes_rows(stage)) return named;
  }
  // Nothing says what is wanted.
  return true;
}

}  // namespace tracedeck::query
