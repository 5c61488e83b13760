#include "tracedeck/query/constant_list.hpp"

#include <algorithm>
#include <compare>
#include <iterator>

#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

// The order of two numbers, or of two texts.
std::partial_ordering order(const Value& a, const Value& b) {
  return compare(a, b).value_or(std::partial_ordering::unordered);
}

template <class Ranges>
void sort_and_join(Ranges& ranges) {
  std::ranges::sort(ranges, [](const auto& a, const auto& b) { return order(a.low, b.low) < 0; });
  Ranges joined;
  for (const auto& range : ranges) {
    if (joined.empty() || order(range.low, joined.back().high) > 0) {
      joined.push_back(range);
    } else if (order(range.high, joined.back().high) > 0) {
      joined.back().high = range.high;
    }
  }
  ranges = std::move(joined);
}

template <class Ranges>
bool is_in(const Ranges& ranges, const Value& value) {
  const auto behind = std::ranges::partition_point(
      ranges, [&](const auto& range) { return order(range.low, value) <= 0; });
  return behind != ranges.begin() && order(value, std::prev(behind)->high) <= 0;
}

}  // namespace

Value value_of_literal(const Expression& expression) {
  if (expression.operation == Operator::kNegate) {
    const Value value = value_of_literal(*expression.operands.front());
    return value.known() ? apply(Operator::kNegate, value) : Value{};
  }
  if (expression.operation != Operator::kLiteral) return {};
  const Literal& literal = expression.literal;
  if (const auto* const boolean = std::get_if<bool>(&literal)) return Value::of(*boolean);
  if (const auto* const integer = std::get_if<Integer>(&literal)) return Value::of(*integer);
  if (const auto* const real = std::get_if<double>(&literal)) return Value::of(*real);
  if (const auto* const text = std::get_if<std::string>(&literal))
    return Value::of(std::string_view(*text));
  return {};
}

ConstantList::ConstantList(std::span<const ExpressionPtr> items) {
  for (const ExpressionPtr& item : items) {
    if (add(*item)) {
      is_empty_ = false;
    } else {
      others_.push_back(item.get());
    }
  }
  sort_and_join(number_ranges_);
  sort_and_join(text_ranges_);
}

bool ConstantList::add(const Expression& item) {
  if (item.operation == Operator::kRange) return add_range(*item.operands[0], *item.operands[1]);
  const Value value = value_of_literal(item);
  if (value.is_text()) {
    texts_.insert(value.text);
    return true;
  }
  std::string bytes;
  if (!encode_equal(bytes, value)) return false;
  has_reals_ = has_reals_ || value.kind == Value::Kind::kReal;
  numbers_.insert(std::move(bytes));
  return true;
}

bool ConstantList::add_range(const Expression& low, const Expression& high) {
  const Range range{.low = value_of_literal(low), .high = value_of_literal(high)};
  const auto ends = compare(range.low, range.high);
  // Also NaN, which no literal is.
  if (!ends || *ends == std::partial_ordering::unordered) return false;
  Ranges& ranges = range.low.is_text() ? text_ranges_ : number_ranges_;
  const bool is_real = range.low.kind == Value::Kind::kReal;
  if (is_real != (range.high.kind == Value::Kind::kReal)) return false;
  has_reals_ = has_reals_ || is_real;
  // An empty range contains no value, but its kind counts.
  (range.low.is_text() ? has_text_ranges_ : has_number_ranges_) = true;
  if (*ends <= 0) ranges.push_back(range);
  return true;
}

std::optional<bool> ConstantList::has(const Value& value) const {
  if (value.is_text()) {
    const auto is_listed = [this](std::string_view text) { return texts_.contains(text); };
    if (any_text(value, is_listed) == true || is_in(text_ranges_, value)) return true;
    return numbers_.empty() && !has_number_ranges_ ? std::optional(false) : std::nullopt;
  }
  switch (value.kind) {
    case Value::Kind::kBoolean:
    case Value::Kind::kInteger:
    case Value::Kind::kWide:
    case Value::Kind::kReal:
      return has_number(value);
    default:
      return std::nullopt;
  }
}

std::optional<bool> ConstantList::has_number(const Value& value) const {
  std::string bytes;
  if (!numbers_.empty() && encode_equal(bytes, value) && numbers_.contains(bytes)) return true;
  if (is_in(number_ranges_, value)) return true;
  // Integers of more than 128 bits have no order beside reals.
  bool is_unknown = has_text_ranges_ || (value.kind == Value::Kind::kWide && has_reals_);
  if (!texts_.empty()) {
    // Its labels, and the name that the trace gives it.
    const auto named =
        any_text(value, [this](std::string_view text) { return texts_.contains(text); });
    if (named == true) return true;
    is_unknown = is_unknown || !named;
  }
  return is_unknown ? std::nullopt : std::optional(false);
}

}  // namespace tracedeck::query
