// Expressions made from others: names that stand for expressions, and sides of pairs.
#pragma once

#include <functional>

#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

// A copy with each path replaced by what `replace` makes of it; null: the path stays.
[[nodiscard]] ExpressionPtr rewritten(const Expression& expression,
                                      const std::function<ExpressionPtr(const Path&)>& replace);
[[nodiscard]] ExpressionPtr clone(const Expression& expression);

// `a.x` without its `a`: what each event has, `a.name`, is meant of the event then, and so are the
// places where fields are, `a.fields.name`.
[[nodiscard]] Path path_of_side(const Path& path);

}  // namespace tracedeck::query
