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
  static_cast<void>(add({.kind = Test::Kind::kPass}, {}));
  static_cast<void>(add({.kind = Test::Kind::kReject}, {}));
  first_ = add(condition_, false, kPass, kReject);
  if (first_ == kPass) verdict_ = Verdict::kAlways;
  if (first_ == kReject) verdict_ = Verdict::kNever;
  event_class_ = nullptr;
  connect();
}

void Program::connect() {
  const auto test_of = [this](Target target) { return tests_.data() + target; };
  first_test_ = test_of(first_);
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    const auto& next = trees_[i].next;
    tests_[i].next = {test_of(next[0]), test_of(next[1])};
    if (trees_[i].swapped) std::swap(tests_[i].next[0], tests_[i].next[1]);
  }
}

Program::Target Program::add(const BoundNode& node, bool inverted, Target on_true,
                             Target on_false) {
  if (node.kind == NodeKind::kConstant) {
    const bool holds =
        node.constant.kind == Value::Kind::kBoolean && node.constant.boolean != inverted;
    return holds ? on_true : on_false;
  }
  if (node.kind == NodeKind::kOperation) {
    const Operator operation = node.expression->operation;
    if (operation == Operator::kNot)
      return add(node.operands.front(), !inverted, on_true, on_false);
    if (operation == Operator::kAnd || operation == Operator::kOr)
      return add_joined(node, (operation == Operator::kAnd) != inverted, inverted, on_true,
                        on_false);
    if (is_comparison(operation)) return add_comparison(node, inverted, on_true, on_false);
  }
  return add({}, {.node = &node, .inverted = inverted, .next = {on_false, on_true}});
}

Program::Target Program::add(const Test& test, const Tree& tree) {
  tests_.push_back(test);
  trees_.push_back(tree);
  return static_cast<Target>(tests_.size() - 1);
}

// From the last operand to the first, so that each knows where to go on; the cheapest comes first.
Program::Target Program::add_joined(const BoundNode& node, bool conjunction, bool inverted,
                                    Target on_true, Target on_false) {
  std::vector<const BoundNode*> operands;
  for (const BoundNode& operand : node.operands) operands.push_back(&operand);
  std::ranges::stable_sort(operands, {}, [conjunction](const BoundNode* each) {
    return std::pair(cost_of(*each), is_selective(*each) != conjunction);
  });
  Target next = conjunction ? on_true : on_false;
  for (std::size_t i = operands.size(); i-- > 0;) {
    next = conjunction ? add(*operands[i], inverted, next, on_false)
                       : add(*operands[i], inverted, on_true, next);
  }
  return next;
}

Program::Target Program::add_comparison(const BoundNode& node, bool inverted, Target on_true,
                                        Target on_false) {
  Test test;
  Tree tree{.node = &node, .inverted = inverted, .next = {on_false, on_true}};
  const bool constant_first = node.operands[0].kind == NodeKind::kConstant;
  const BoundNode& field = node.operands[constant_first ? 1 : 0];
  const Value& bound = node.operands[constant_first ? 0 : 1].constant;
  const Operator operation =
      constant_first ? mirrored(node.expression->operation) : node.expression->operation;
  const auto slot =
      field.kind == NodeKind::kField ? direct_slot(field.field, *event_class_) : std::nullopt;
  const bool is_time =
      field.kind == NodeKind::kEventValue && field.expression->path.root == Root::kTime;
  std::optional<Bits> bits;
  if (bound.kind == Value::Kind::kInteger && (slot || is_time)) {
    const Interval interval = interval_of(operation, bound.integer);
    if (is_time) {
      test.kind = Test::Kind::kTime;
      bits = clock_values_of(interval, *event_class_->clock);
    } else if (const IntegerClass* const integer = integer_class(field)) {
      test.kind = Test::Kind::kInteger;
      test.slot_kind = integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
      bits = bits_of(interval, integer->is_signed);
    }
  }
  if (bits) {
    test.low = bits->low;
    test.extent = bits->extent;
  } else {
    test.kind = Test::Kind::kTree;
  }
  const bool is_equality = operation == Operator::kEqual || operation == Operator::kNotEqual;
  if (slot && is_equality && bound.kind == Value::Kind::kText &&
      field.field.field_class != nullptr && field.field.field_class->as<StringClass>() != nullptr) {
    test.kind = Test::Kind::kText;
    test.slot_kind = SlotKind::kString;
    tree.text = bound.text;
  }
  if (slot) test.slot = *slot;
  // What is tested is that the value is the bound, or lies on its side of it.
  tree.swapped = inverted != (operation == Operator::kNotEqual);
  return add(test, tree);
}

const Program::Test* Program::next_of(const Test& test, const EventValues& values) const {
  if (test.kind == Test::Kind::kTime)
    return test.next[values.event->time - test.low <= test.extent ? 1 : 0];
  const Tree& tree = trees_[static_cast<std::size_t>(&test - tests_.data())];
  if (test.kind != Test::Kind::kTree) {
    const Slot& slot = test.slot.in(*values.event);
    if (slot.kind == test.slot_kind) {
      const bool holds = test.kind == Test::Kind::kInteger ? slot.bits - test.low <= test.extent
                                                           : slot.text() == tree.text;
      return test.next[holds ? 1 : 0];
    }
  }
  const Value value = evaluate(*tree.node, values);
  const bool holds = value.kind == Value::Kind::kBoolean && value.boolean != tree.inverted;
  return tests_.data() + tree.next[holds ? 1 : 0];
}

bool Program::passes_from(const Test* test, const EventValues& values) const {
  while (test->kind < Test::Kind::kPass) test = next_of(*test, values);
  return test->kind == Test::Kind::kPass;
}

}  // namespace tracedeck::query
