#include "tracedeck/query/measures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/field_reference.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/render/counted.hpp"

namespace tracedeck::query {
namespace {

constexpr std::string_view kNanoseconds = "ns";
constexpr std::string_view kBytes = "bytes";

std::string_view least_unit(Quantity quantity) {
  return quantity == Quantity::kTime ? kNanoseconds : kBytes;
}

// Units are of what stands first, for which the others stand in, or which they are added to.
bool keeps_unit(Operator operation) {
  return operation == Operator::kAdd || operation == Operator::kSubtract ||
         operation == Operator::kCoalesce || operation == Operator::kNegate ||
         operation == Operator::kAbsolute || operation == Operator::kInOrder;
}

// The first path in it, or null.
const Expression* first_path(const Expression& expression) {
  if (expression.operation == Operator::kPath) return &expression;
  for (const ExpressionPtr& operand : expression.operands) {
    if (const Expression* const found = first_path(*operand)) return found;
  }
  return nullptr;
}

void add_quantities(const Expression& operand, std::vector<const Expression*>& quantities) {
  if (operand.operation == Operator::kRange) {
    for (const ExpressionPtr& end : operand.operands) add_quantities(*end, quantities);
  } else if (quantity_of(operand)) {
    quantities.push_back(&operand);
  }
}

}  // namespace

void SeenUnit::encode(std::string& into) const {
  put_varint(into, (seen_ ? 1U : 0U) | (mixed_ ? 2U : 0U));
  put_text(into, unit_);
}

std::optional<SeenUnit> SeenUnit::decode(ByteSpan& bytes) {
  const auto how = take_varint(bytes);
  const auto text = take_text(bytes);
  if (!how || *how > 3 || !text) return std::nullopt;
  SeenUnit unit;
  unit.seen_ = (*how & 1U) != 0;
  unit.mixed_ = (*how & 2U) != 0;
  unit.unit_ = *text;
  return unit;
}

std::optional<Quantity> quantity_of(const Expression& expression) {
  const auto of = [&](std::size_t i) { return quantity_of(*expression.operands[i]); };
  switch (expression.operation) {
    case Operator::kLiteral:
      return expression.quantity;
    case Operator::kNegate:
    case Operator::kAbsolute:
      return of(0);
    case Operator::kAdd:
    case Operator::kSubtract: {
      const auto first = of(0);
      return first && first == of(1) ? first : std::nullopt;
    }
    case Operator::kMultiply: {
      const auto first = of(0);
      const auto second = of(1);
      if (first.has_value() == second.has_value() || first_path(expression) != nullptr)
        return std::nullopt;
      return first ? first : second;
    }
    case Operator::kDivide:
      return first_path(expression) != nullptr || of(1) ? std::nullopt : of(0);
    default:
      return std::nullopt;
  }
}

std::optional<MeasuredComparison> measured_comparison(const Expression& comparison) {
  if (!compares_times(comparison.operation)) return std::nullopt;
  MeasuredComparison found;
  for (const ExpressionPtr& operand : comparison.operands) {
    const std::size_t before = found.quantities.size();
    add_quantities(*operand, found.quantities);
    const bool is_side = found.quantities.size() == before && first_path(*operand) != nullptr;
    if (is_side && found.side == nullptr) found.side = operand.get();
  }
  return found.side == nullptr || found.quantities.empty() ? std::nullopt : std::optional(found);
}

std::optional<std::string_view> unit_in(const Expression& expression,
                                        const EventClass& event_class) {
  if (const auto quantity = quantity_of(expression)) return least_unit(*quantity);
  if (expression.operation == Operator::kPath) {
    switch (expression.path.root) {
      case Root::kTime:
      case Root::kRealTime:
      case Root::kDuration:
        return kNanoseconds;
      case Root::kOffset:
      case Root::kSize:
        return kBytes;
      default:
        return expression.path.root >= Root::kStream ? std::optional(std::string_view())
                                                     : unit_of_field(event_class, expression.path);
    }
  }
  if (!keeps_unit(expression.operation)) return std::nullopt;
  std::optional<std::string_view> unit;
  for (const ExpressionPtr& operand : expression.operands) {
    const auto other = unit_in(*operand, event_class);
    if (!unit || unit->empty()) {
      unit = other ? other : unit;
    } else if (other && !other->empty() && *other != *unit) {
      return std::string_view();  // each counts something else
    }
  }
  const bool is_sum =
      expression.operation == Operator::kAdd || expression.operation == Operator::kSubtract;
  return is_sum && unit && unit->empty() ? std::nullopt : unit;
}

Value in_unit(const Value& number, Quantity quantity, std::string_view unit) {
  const auto scale = scale_of_unit(unit);
  if (!scale || scale->quantity != quantity) return {};
  if (scale->factor == 1) return number;
  if (number.kind == Value::Kind::kInteger) {
    const Integer& integer = number.integer;
    if (integer.magnitude % scale->factor == 0)
      return Value::of(Integer::of(integer.magnitude / scale->factor, integer.negative));
    return Value::of(integer.to_real() / static_cast<double>(scale->factor));
  }
  if (number.kind != Value::Kind::kReal) return {};
  return Value::of(number.real / static_cast<double>(scale->factor));
}

std::optional<bool> compares(const MeasuredComparison& comparison, const EventClass& event_class) {
  const auto unit = unit_in(*comparison.side, event_class);
  if (!unit) return std::nullopt;
  const auto scale = scale_of_unit(*unit);
  return scale && std::ranges::all_of(comparison.quantities, [&](const Expression* each) {
           return quantity_of(*each) == scale->quantity;
         });
}

std::string sentence_about_unit(const MeasuredComparison& comparison, std::string_view unit) {
  const bool is_time = quantity_of(*comparison.quantities.front()) == Quantity::kTime;
  const std::string name = column_name(first_path(*comparison.side)->path);
  const std::string_view what = is_time ? "a time" : "bytes";
  if (unit.empty())
    return fmt::format(
        "nothing says what `{0}` counts, to compare it with {1}: write a number without a unit, "
        "which counts what `{0}` does",
        name, what);
  return fmt::format(
      "`{0}` counts {1}, which cannot be compared with {2}: write a number without a unit, which "
      "counts {1} too",
      name, repaired_utf8(unit), what);
}

std::optional<RowUnit> unit_in(const Expression& expression, std::span<const Column> columns) {
  if (expression.operation == Operator::kPath) {
    const Column* const column = find_column(columns, column_name(expression.path));
    if (column == nullptr) return std::nullopt;
    if (column->unit == Unit::kBytes) return RowUnit{.unit = kBytes};
    if (column->unit != Unit::kNone) return RowUnit{.unit = kNanoseconds};
    if (column->seen == nullptr) return std::nullopt;
    return RowUnit{.seen = column->seen,
                   .column = static_cast<std::size_t>(column - columns.data())};
  }
  if (!keeps_unit(expression.operation)) return std::nullopt;
  return unit_in(*expression.operands.front(), columns);
}

void ComparedColumns::add(const Expression& expression, std::span<const Column> columns,
                          bool is_sorted) {
  const auto measured = measured_comparison(expression);
  const auto unit = measured ? unit_in(*measured->side, columns) : std::nullopt;
  if (unit && unit->seen != nullptr) {
    for (const Expression* const each : measured->quantities)
      compared_.push_back({.seen = unit->seen,
                           .quantity = *quantity_of(*each),
                           .is_sorted = is_sorted,
                           .name = columns[unit->column].name,
                           .otherwise = sentence_about_unit(*measured, "")});
  }
  for (const ExpressionPtr& operand : expression.operands) add(*operand, columns, is_sorted);
}

std::vector<std::string> ComparedColumns::sentences(std::string_view row) const {
  std::vector<std::string> sentences;
  for (const Compared& each : compared_) {
    if (!each.seen->seen()) continue;
    const auto scale = scale_of_unit(each.seen->unit());
    if (scale && scale->quantity == each.quantity) continue;
    const std::uint64_t others = each.seen->count_of_others(each.quantity);
    std::string sentence = each.otherwise;
    if (!row.empty() && each.seen->count_of(each.quantity) != 0) {
      if (each.is_sorted)
        sentence = fmt::format(
            "`{}` is of numbers that event classes give different units, or none: behind `sort` "
            "and `top` it is not compared with a number that has one",
            each.name);
      else if (others != 0)
        sentence = fmt::format("{} could not be compared: there {}", render::counted(others, row),
                               each.otherwise);
      else
        continue;
    }
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace tracedeck::query
