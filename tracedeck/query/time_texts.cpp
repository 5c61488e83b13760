#include "tracedeck/query/time_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/query/lexer.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/rewriting.hpp"

namespace tracedeck::query {
namespace {

std::string sentence_about_duration(const std::string& text) {
  const auto time = parse_time_point(text);
  const bool is_length = time && time->from == TimePoint::From::kOrigin;
  return is_length ? fmt::format("a duration is a number: write {} without quotes", text)
                   : "a duration is a number, and equal to no text: 5ms";
}

}  // namespace

const std::string* as_text(const Expression& expression) {
  return expression.operation == Operator::kLiteral ? std::get_if<std::string>(&expression.literal)
                                                    : nullptr;
}

void for_each_text_beside(Unit unit, const Expression& expression, std::span<const Column> columns,
                          const VisitText& visit) {
  for (const ExpressionPtr& operand : expression.operands)
    for_each_text_beside(unit, *operand, columns, visit);
  const auto is_measured = [&](const ExpressionPtr& operand) {
    return unit_of(*operand, columns) == unit;
  };
  if (!compares_times(expression.operation) ||
      std::ranges::none_of(expression.operands, is_measured))
    return;
  for (const ExpressionPtr& operand : expression.operands) {
    if (const std::string* const text = as_text(*operand)) visit(*operand, *text);
    if (operand->operation != Operator::kRange) continue;
    for (const ExpressionPtr& end : operand->operands) {
      if (const std::string* const text = as_text(*end)) visit(*end, *text);
    }
  }
}

std::optional<Error> text_beside_duration(const Expression& expression,
                                          std::span<const Column> columns, std::string_view text) {
  std::optional<Error> failure;
  for_each_text_beside(Unit::kDuration, expression, columns,
                       [&](const Expression& literal, const std::string& of) {
                         if (!failure)
                           failure = syntax_error(text, literal.place, sentence_about_duration(of));
                       });
  return failure;
}

Result<TimedExpression> with_times(const Expression& expression, std::span<const Column> columns,
                                   std::string_view text) {
  std::optional<Error> failure = text_beside_duration(expression, columns, text);
  TimedExpression timed;
  std::unordered_map<const Expression*, Integer> times;
  const auto fail_at = [&](const Expression& literal, std::string sentence) {
    if (!failure) failure = syntax_error(text, literal.place, std::move(sentence));
  };
  for_each_text_beside(
      Unit::kTime, expression, columns, [&](const Expression& literal, const std::string& of) {
        const auto time = parse_time_point(of);
        if (!time) return fail_at(literal, time.error());
        if (time->from == TimePoint::From::kUnixEpoch) {
          timed.date = syntax_error(text, literal.place,
                                    "the trace's clock does not count from 1970: here, behind "
                                    "the conditions on events, write ns, or put the condition "
                                    "before");
        } else if (time->from != TimePoint::From::kOrigin) {
          return fail_at(literal,
                         "what this time is depends on the trace, and is known only in conditions "
                         "on events: write ns, or put the condition before the other stages");
        }
        if (flow::may_mean_seconds(*time))
          return fail_at(literal,
                         fmt::format("what {0} is depends on the trace, and is known only in "
                                     "conditions on events: write {0}ns or {0}s",
                                     of));
        times.emplace(&literal, Integer::from(time->value));
      });
  if (failure) return std::unexpected(*std::move(failure));
  timed.expression = rewritten_parts(expression, [&](const Expression& part) -> ExpressionPtr {
    const auto time = times.find(&part);
    if (time == times.end()) return nullptr;
    return std::make_unique<const Expression>(
        Expression{.place = part.place, .literal = time->second});
  });
  return timed;
}

}  // namespace tracedeck::query
