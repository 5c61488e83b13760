#include "tracedeck/query/rewriting.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/path_parser.hpp"

namespace tracedeck::query {

ExpressionPtr rewritten_parts(const Expression& expression,
                              const std::function<ExpressionPtr(const Expression&)>& replace) {
  if (ExpressionPtr replacement = replace(expression)) return replacement;
  Expression copy{.operation = expression.operation,
                  .place = expression.place,
                  .depth = 1,
                  .literal = expression.literal,
                  .quantity = expression.quantity,
                  .path = expression.path};
  for (const ExpressionPtr& operand : expression.operands) {
    copy.operands.push_back(rewritten_parts(*operand, replace));
    copy.depth = std::max(copy.depth, copy.operands.back()->depth + 1);
  }
  return std::make_unique<const Expression>(std::move(copy));
}

ExpressionPtr rewritten(const Expression& expression,
                        const std::function<ExpressionPtr(const Path&)>& replace) {
  return rewritten_parts(expression, [&](const Expression& part) {
    return part.operation == Operator::kPath ? replace(part.path) : nullptr;
  });
}

ExpressionPtr clone(const Expression& expression) {
  return rewritten(expression, [](const Path&) { return ExpressionPtr(); });
}

Path path_of_side(const Path& path) {
  Path rest{.root = Root::kAnyField, .steps = {path.steps.begin() + 1, path.steps.end()}};
  // Words such as `fields` mean what they do where nothing stands before them.
  const auto alone = parse_expression(to_string(rest));
  if (!alone || (*alone)->operation != Operator::kPath) return rest;
  Path made = (*alone)->path;
  // What stood in quotes is a name by itself.
  for (std::size_t i = 1; i <= made.steps.size(); ++i)
    made.steps[made.steps.size() - i].quoted = rest.steps[rest.steps.size() - i].quoted;
  return made;
}

}  // namespace tracedeck::query
