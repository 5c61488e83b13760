#include "tracedeck/query/rewriting.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/query/parser.hpp"

namespace tracedeck::query {

ExpressionPtr rewritten(const Expression& expression,
                        const std::function<ExpressionPtr(const Path&)>& replace) {
  if (expression.operation == Operator::kPath) {
    if (ExpressionPtr replacement = replace(expression.path)) return replacement;
  }
  Expression copy{.operation = expression.operation,
                  .place = expression.place,
                  .depth = 1,
                  .literal = expression.literal,
                  .path = expression.path};
  for (const ExpressionPtr& operand : expression.operands) {
    copy.operands.push_back(rewritten(*operand, replace));
    copy.depth = std::max(copy.depth, copy.operands.back()->depth + 1);
  }
  return std::make_unique<const Expression>(std::move(copy));
}

ExpressionPtr clone(const Expression& expression) {
  return rewritten(expression, [](const Path&) { return ExpressionPtr(); });
}

Path path_of_side(const Path& path) {
  Path rest{.root = Root::kAnyField, .steps = {path.steps.begin() + 1, path.steps.end()}};
  if (rest.steps.front().kind != PathStep::Kind::kMember) return rest;
  const std::string& word = rest.steps.front().name;
  if (rest.steps.size() == 1) {
    if (const auto value = find_event_value(word)) return {.root = *value};
  } else if (const auto root = find_root(word)) {
    rest.root = *root;
    rest.steps.erase(rest.steps.begin());
  }
  return rest;
}

}  // namespace tracedeck::query
