// Texts that stand beside times and durations: `end > "20ms"`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// The text that an expression is; null: it is none.
[[nodiscard]] const std::string* as_text(const Expression& expression);

// Calls `visit` for texts that are compared with what is measured in `unit`. Without columns the
// expression is one on events.
using VisitText = std::function<void(const Expression& literal, const std::string& text)>;
void for_each_text_beside(Unit unit, const Expression& expression, std::span<const Column> columns,
                          const VisitText& visit);

// That an expression compares a duration with a text, which is never true. `text` is what it was
// parsed from.
[[nodiscard]] std::optional<Error> text_beside_duration(const Expression& expression,
                                                        std::span<const Column> columns,
                                                        std::string_view text);

struct TimedExpression {
  ExpressionPtr expression;
  // Where a date stands in it: an error to report where times do not count from 1970.
  std::optional<Error> date = {};
};

// The expression with the texts beside times as numbers of ns, behind conditions at the front of a
// query: there, what a text is measured from is to be known without the trace. Errors:
// kInvalidArgument with a caret, of what is no time, of times that only a trace knows, and of texts
// beside durations.
[[nodiscard]] Result<TimedExpression> with_times(const Expression& expression,
                                                 std::span<const Column> columns,
                                                 std::string_view text);

}  // namespace tracedeck::query
