#include "tracedeck/query/program.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tracedeck::query {
namespace {

using NodeKind = BoundNode::Kind;

bool is_comparison(Operator operation) {
  return operation >= Operator::kEqual && operation <= Operator::kGreaterOrEqual;
}

// Integers from `low` to `high`, both of them in the range.
struct Interval {
  Integer low;
  Integer high;
};

const Integer kFarthest = Integer::of(~Uint128{0}, false);

// The integers x for which `x operation bound` holds; of kNotEqual those for which it does not.
Interval interval_of(Operator operation, const Integer& bound) {
  const Integer lowest = Integer::of(kFarthest.magnitude, true);
  const Integer one = Integer::from(std::uint64_t{1});
  switch (operation) {
    case Operator::kLess:
      return {lowest, subtract(bound, one).value_or(lowest)};
    case Operator::kLessOrEqual:
      return {lowest, bound};
    case Operator::kGreater:
      return {add(bound, one).value_or(kFarthest), kFarthest};
    case Operator::kGreaterOrEqual:
      return {bound, kFarthest};
    default:
      return {bound, bound};
  }
}

// The part of an interval that a 64-bit integer can reach, as its bits; nullopt for none.
struct Bits {
  std::uint64_t low = 0;
  std::uint64_t extent = 0;
};

std::optional<Bits> bits_of(const Interval& interval, bool is_signed) {
  const Integer least =
      is_signed ? Integer::from_signed(std::numeric_limits<std::int64_t>::min()) : Integer{};
  const Integer most = is_signed ? Integer::from_signed(std::numeric_limits<std::int64_t>::max())
                                 : Integer::from(std::numeric_limits<std::uint64_t>::max());
  const Integer low = std::max(interval.low, least);
  const Integer high = std::min(interval.high, most);
  if (low > high) return std::nullopt;
  const std::uint64_t first =
      is_signed ? static_cast<std::uint64_t>(*low.to_signed()) : *low.to_unsigned();
  const std::uint64_t last =
      is_signed ? static_cast<std::uint64_t>(*high.to_signed()) : *high.to_unsigned();
  return Bits{first, last - first};
}

// The values of a clock whose times lie in the interval; nullopt for none.
std::optional<Bits> clock_values_of(const Interval& interval, const ClockClass& clock) {
  const auto time_of = [](const Integer& bound) {
    return Nanoseconds::from_unsigned(bound.magnitude, bound.negative);
  };
  const auto values = clock.values_between(time_of(interval.low), time_of(interval.high));
  if (!values) return std::nullopt;
  return Bits{values->first, values->extent};
}

// The bits that are not among those; nullopt for none.
std::optional<Bits> others(const Bits& bits) {
  if (bits.extent == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return Bits{bits.low + bits.extent + 1, ~bits.extent - 1};
}

const IntegerClass* integer_class(const BoundNode& node) {
  return node.field.field_class == nullptr ? nullptr : node.field.field_class->as<IntegerClass>();
}

// Few events have a value that is asked for, most have one on this side or that of a bound.
bool is_selective(const BoundNode& node) {
  return node.kind == NodeKind::kOperation && node.expression->operation == Operator::kEqual;
}

// A rough order of what evaluating costs.
int cost_of(const BoundNode& node) {
  const Operator operation = node.expression->operation;
  int cost = operation == Operator::kMatches                                    ? 100
             : operation == Operator::kGlob || operation == Operator::kContains ? 20
                                                                                : 1;
  if (node.kind == NodeKind::kConstant && node.constant.kind == Value::Kind::kText) cost += 4;
  if (operation == Operator::kAny || operation == Operator::kAll) cost += 50;
  for (const BoundNode& operand : node.operands) cost += cost_of(operand);
  return cost;
}

}  // namespace

Program::Program(BoundNode condition, const EventClass& event_class)
    : condition_(std::move(condition)), event_class_(&event_class) {
  const Test* const pass = add(Test{.kind = Test::Kind::kPass});
  first_ = add(condition_, false, {.then = pass, .otherwise = kReject});
  if (first_ == pass) verdict_ = Verdict::kAlways;
  if (first_ == kReject) verdict_ = Verdict::kNever;
  event_class_ = nullptr;
}

const Program::Test* Program::add(const Test& test) { return &tests_.emplace_back(test); }

const Program::Test* Program::add(const BoundNode& node, bool inverted, Targets targets) {
  // It makes no difference.
  if (targets.then == targets.otherwise) return targets.then;
  if (node.kind == NodeKind::kConstant) {
    const bool holds =
        node.constant.kind == Value::Kind::kBoolean && node.constant.boolean != inverted;
    return holds ? targets.then : targets.otherwise;
  }
  if (node.kind == NodeKind::kOperation) {
    const Operator operation = node.expression->operation;
    if (operation == Operator::kNot) return add(node.operands.front(), !inverted, targets);
    if (operation == Operator::kAnd || operation == Operator::kOr)
      return add_joined(node, inverted, targets);
    if (is_comparison(operation)) return add_comparison(node, inverted, targets);
  }
  return add(
      {.then = targets.then, .otherwise = targets.otherwise, .node = &node, .inverted = inverted});
}

// From the last operand to the first, so that each knows where to go on; the cheapest comes first.
const Program::Test* Program::add_joined(const BoundNode& node, bool inverted, Targets targets) {
  const bool conjunction = (node.expression->operation == Operator::kAnd) != inverted;
  std::vector<const BoundNode*> operands;
  for (const BoundNode& operand : node.operands) operands.push_back(&operand);
  std::ranges::stable_sort(operands, {}, [conjunction](const BoundNode* each) {
    return std::pair(cost_of(*each), is_selective(*each) != conjunction);
  });
  const Test* next = conjunction ? targets.then : targets.otherwise;
  for (std::size_t i = operands.size(); i-- > 0;) {
    (conjunction ? targets.then : targets.otherwise) = next;
    next = add(*operands[i], inverted, targets);
  }
  return next;
}

const Program::Test* Program::add_comparison(const BoundNode& node, bool inverted,
                                             Targets targets) {
  Test test{
      .then = targets.then, .otherwise = targets.otherwise, .node = &node, .inverted = inverted};
  const bool constant_first = node.operands[0].kind == NodeKind::kConstant;
  const BoundNode& field = node.operands[constant_first ? 1 : 0];
  const Value& bound = node.operands[constant_first ? 0 : 1].constant;
  const Operator operation =
      constant_first ? mirrored(node.expression->operation) : node.expression->operation;
  // It asks whether the value is another than the bound, or not on its side of it.
  const bool asks_for_others = inverted != (operation == Operator::kNotEqual);
  const auto slot =
      field.kind == NodeKind::kField ? direct_slot(field.field, *event_class_) : std::nullopt;
  if (slot) test.slot = *slot;
  const bool is_time =
      field.kind == NodeKind::kEventValue && field.expression->path.root == Root::kTime;
  if (bound.kind == Value::Kind::kInteger && (slot || is_time)) {
    const Interval interval = interval_of(operation, bound.integer);
    const IntegerClass* const integer = integer_class(field);
    std::optional<Bits> bits;
    if (is_time) bits = clock_values_of(interval, *event_class_->clock);
    if (integer != nullptr) bits = bits_of(interval, integer->is_signed);
    if (bits && asks_for_others) bits = others(*bits);
    if (bits) {
      test.kind = is_time ? Test::Kind::kTime : Test::Kind::kInteger;
      if (integer != nullptr)
        test.slot_kind = integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
      test.low = bits->low;
      test.extent = bits->extent;
    }
  }
  const bool is_equality = operation == Operator::kEqual || operation == Operator::kNotEqual;
  if (slot && is_equality && bound.kind == Value::Kind::kText &&
      field.field.field_class != nullptr && field.field.field_class->as<StringClass>() != nullptr) {
    test.kind = Test::Kind::kText;
    test.text = bound.text;
    test.inverted_text = asks_for_others;
  }
  return add(test);
}

bool Program::holds(const Test& test, const EventValues& values) {
  if (test.kind == Test::Kind::kTime) return values.event->time - test.low <= test.extent;
  if (test.kind != Test::Kind::kTree) {
    const Slot& slot = test.slot.in(*values.event);
    if (slot.kind == test.slot_kind) return slot.bits - test.low <= test.extent;
    if (slot.kind == SlotKind::kString && test.kind == Test::Kind::kText)
      return (slot.text() == test.text) != test.inverted_text;
  }
  const Value value = evaluate(*test.node, values);
  return value.kind == Value::Kind::kBoolean && value.boolean != test.inverted;
}

bool Program::passes_from(const Test* test, const Event& event, EventValues& values) const {
  values.event = &event;
  // Of the event before.
  if (!values.texts->empty()) values.texts->clear();
  while (test != kReject && test->kind != Test::Kind::kPass)
    test = holds(*test, values) ? test->then : test->otherwise;
  return test != kReject;
}

}  // namespace tracedeck::query
