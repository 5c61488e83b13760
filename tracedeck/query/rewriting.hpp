// Expressions made from others: names that stand for expressions, and sides of pairs.
#pragma once

#include <functional>

#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

// A copy with each part replaced by what `replace` makes of it; null: the part stays.
[[nodiscard]] ExpressionPtr rewritten_parts(
    const Expression& expression, const std::function<ExpressionPtr(const Expression&)>& replace);
// The same of paths.
[[nodiscard]] ExpressionPtr rewritten(const Expression& expression,
                                      const std::function<ExpressionPtr(const Path&)>& replace);
[[nodiscard]] ExpressionPtr clone(const Expression& expression);

// `a.x` without its `a`: what each event has, `a.name`, and `a.fields.x` or `a.stream.id`, are
// meant of the event then.
[[nodiscard]] Path path_of_side(const Path& path);

}  // namespace tracedeck::query
