// From the text of an expression to its tree.
#pragma once

#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/lexer.hpp"

namespace tracedeck::query {

struct ParserOptions {
  // Whether `p99(duration)` stands for the column that an aggregate of a stage before has.
  bool aggregates_are_columns = false;
};

// The tree of an expression. Errors, all kInvalidArgument: what is wrong, with a caret under the
// place. Takes time proportional to the text, which may be anything.
[[nodiscard]] Result<ExpressionPtr> parse_expression(std::string_view text);

// The same from a lexer whose front is the first word, which was read as an operand. Ends before
// the first word that cannot go on: `|` outside parentheses, `,`, a keyword of a stage, the end.
[[nodiscard]] Result<ExpressionPtr> parse_expression(Lexer& lexer, ParserOptions options = {});

// An expression that may be true of an event. One whose value is a number or a text whatever the
// event is an error, as it is before `&&`.
[[nodiscard]] Result<ExpressionPtr> parse_condition(std::string_view text);
[[nodiscard]] Result<ExpressionPtr> parse_condition(Lexer& lexer, ParserOptions options = {});

}  // namespace tracedeck::query
