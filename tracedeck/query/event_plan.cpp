#include "tracedeck/query/event_plan.hpp"

#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::query {
namespace {

// Numbers times this are all different.
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;

ValueSource source_of(const BoundNode& node, const EventClass& event_class) {
  using Kind = ValueSource::Kind;
  if (node.kind == BoundNode::Kind::kConstant)
    return {.kind = node.constant.known() ? Kind::kConstant : Kind::kUnknown};
  if (node.kind == BoundNode::Kind::kEventValue && node.expression->path.root == Root::kDuration)
    return {.kind = Kind::kDuration};
  const FieldClass* const field_class = node.field.field_class;
  if (node.kind != BoundNode::Kind::kField || field_class == nullptr) return {};
  const auto slot = direct_slot(node.field, event_class);
  if (!slot) return {};
  ValueSource source{.slot = *slot};
  if (const auto* const integer = field_class->as<IntegerClass>()) {
    source.kind = integer->is_signed ? Kind::kSigned : Kind::kUnsigned;
    source.slot_kind = integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
  } else if (field_class->as<StringClass>() != nullptr) {
    source.kind = Kind::kText;
    source.slot_kind = SlotKind::kString;
  }
  return source;
}

bool has_labels(const BoundNode& node) {
  const FieldClass* const field_class = node.field.field_class;
  const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
  return integer != nullptr && gives_labels(*integer);
}

// What an aggregate does with a value that comes from `source`.
EventStep::Kind step_of(const ValueSource& source, AggregateKind aggregate) {
  using Kind = EventStep::Kind;
  const bool duration = source.kind == ValueSource::Kind::kDuration;
  if (!duration && source.kind != ValueSource::Kind::kUnsigned) return Kind::kAdd;
  AggregateState state(aggregate);
  if (state.sum() != nullptr) return duration ? Kind::kAddDurationToSum : Kind::kAddToSum;
  if (state.histogram() == nullptr) return Kind::kAdd;
  return duration ? Kind::kAddDurationToHistogram : Kind::kAddToHistogram;
}

}  // namespace

EventPlanner::EventPlanner(const GroupingPlan& plan)
    : plan_(&plan),
      fits_(plan.keys + (plan.every ? 1 : 0) <= kDirectKeys &&
            plan.aggregates.size() <= kDirectAggregates &&
            (!plan.every || plan.every->to_unsigned())) {
  for (std::size_t i = plan.aggregates.size(); i-- > 0;) {
    AggregateState state(plan.aggregates[i].kind);
    if (state.sum() != nullptr) first_sum_ = i;
    if (state.histogram() != nullptr) first_histogram_ = i;
  }
}

void EventPlanner::make(EventPlan& plan, std::span<const BoundNode> nodes,
                        const EventClass& event_class) {
  plan.kind = EventPlan::Keys::kGeneral;
  if (!fits_) return;
  make_keys(plan, nodes.first(plan_->keys), event_class);
  make_steps(plan, nodes, event_class);
  plan.is_timed = plan_->time && event_class.has_real_time();
  if (event_class.clock == nullptr || event_class.clock->tick != Tick{}) return;
  const Nanoseconds zero = event_class.clock->to_nanoseconds(0);
  plan.time_of_zero = static_cast<std::uint64_t>(zero.magnitude());
  plan.counts_nanoseconds = !zero.negative() && zero.magnitude() == plan.time_of_zero;
}

std::uint64_t EventPlanner::new_identity() { return ++last_identity_ * kOdd; }

void EventPlanner::note_names(EventPlan& plan) {
  plan.has_names = true;
  plan.identity = new_identity();
  plan.kind = EventPlan::Keys::kMixed;
}

void EventPlanner::make_keys(EventPlan& plan, std::span<const BoundNode> nodes,
                             const EventClass& event_class) {
  std::string all;
  for (const BoundNode& node : nodes) {
    const ValueSource key = source_of(node, event_class);
    if (key.kind >= ValueSource::Kind::kDuration) return;
    all += static_cast<char>(key.kind);
    if (key.kind == ValueSource::Kind::kConstant) encode_plain(all, node.constant);
    if (key.kind <= ValueSource::Kind::kConstant) continue;
    plan.keys[plan.count++] = key;
    plan.has_texts = plan.has_texts || key.kind == ValueSource::Kind::kText;
    plan.has_labels = plan.has_labels || has_labels(node);
  }
  if (plan.has_labels) {
    plan.identity = new_identity();
  } else {
    std::uint64_t& identity = identities_[std::move(all)];
    if (identity == 0) identity = new_identity();
    plan.identity = identity;
  }
  plan.kind = plan.count == 0 ? EventPlan::Keys::kSame : EventPlan::Keys::kOne;
  if (plan.count > 1) plan.kind = EventPlan::Keys::kNumbers;
  if (plan.has_texts || plan.has_labels || plan_->time) plan.kind = EventPlan::Keys::kMixed;
  if (plan_->every) ++plan.count;
}

void EventPlanner::make_steps(EventPlan& plan, std::span<const BoundNode> nodes,
                              const EventClass& event_class) {
  using Kind = EventStep::Kind;
  EventStep* const begin = plan.steps.data();
  EventStep* next = begin;
  bool counts_events = false;
  for (std::size_t i = 0; i < plan_->aggregates.size(); ++i) {
    const GroupingPlan::Aggregate& aggregate = plan_->aggregates[i];
    EventStep step{.kind = Kind::kCount, .aggregate = static_cast<std::uint8_t>(i)};
    if (aggregate.argument) {
      const ValueSource source = source_of(nodes[*aggregate.argument], event_class);
      if (source.kind == ValueSource::Kind::kUnknown) continue;
      step.kind = step_of(source, aggregate.kind);
      step.slot = source.slot;
    } else if (!std::exchange(counts_events, true)) {
      continue;  // what counts events first is counted without a step
    }
    *next++ = step;
  }
  if (next != begin) plan.effect = EventPlan::Effect::kSteps;
  if (next - begin == 2 && begin[0].kind == Kind::kAddToSum && begin[0].aggregate == first_sum_ &&
      begin[1].kind == Kind::kAddToHistogram && begin[1].aggregate == first_histogram_ &&
      begin[0].slot == begin[1].slot) {
    plan.effect = EventPlan::Effect::kAddToBoth;
    plan.slot = begin[0].slot;
  }
}

}  // namespace tracedeck::query
