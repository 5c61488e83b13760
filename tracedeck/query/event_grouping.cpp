#include "tracedeck/query/event_grouping.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tracedeck::query {
namespace {

constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15U;

// In ns. Returns whether it is one of 64 bits.
bool read_duration(const Event& event, std::uint64_t& duration) {
  const Nanoseconds length = event.event_class->clock->interval(event.time, event.end_time);
  duration = static_cast<std::uint64_t>(length.magnitude());
  return !length.negative() && length.magnitude() == duration;
}

// Tells most texts apart: their size, first and last bytes.
std::uint64_t word_of(std::string_view text) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (text.size() >= sizeof(first)) {
    std::memcpy(&first, text.data(), sizeof(first));
    std::memcpy(&last, text.data() + text.size() - sizeof(last), sizeof(last));
  } else {
    for (const char c : text) first = first << 8 | static_cast<unsigned char>(c);
  }
  return (first ^ text.size()) * kSpread ^ last;
}

}  // namespace

EventGrouping::EventGrouping(EventProjection& projection, Grouping& grouping)
    : projection_(&projection), grouping_(&grouping), keys_(grouping.plan().keys) {
  const GroupingPlan& plan = grouping.plan();
  const auto every = plan.every ? plan.every->to_unsigned() : std::nullopt;
  timed_ = plan.time.has_value();
  every_ = every.value_or(0);
  fits_ = keys_ + (plan.every ? 1 : 0) <= kKeys && plan.aggregates.size() <= kAggregates &&
          every.has_value() == plan.every.has_value();
  lines_ = std::vector<Line>(keys_ == 0 && !plan.every ? 2 : kLines);
}

EventGrouping::Source EventGrouping::source_of(const BoundNode& node,
                                               const EventClass& event_class) {
  using Kind = Source::Kind;
  if (node.kind == BoundNode::Kind::kConstant) {
    if (!node.constant.known()) return {.kind = Kind::kUnknown};
    std::string bytes;
    encode_plain(bytes, node.constant);
    const std::uint64_t next = constants_.size();
    return {.kind = Kind::kConstant,
            .constant = constants_.emplace(std::move(bytes), next).first->second};
  }
  if (node.kind == BoundNode::Kind::kEventValue && node.expression->path.root == Root::kDuration)
    return {.kind = Kind::kDuration};
  const FieldClass* const field_class = node.field.field_class;
  if (node.kind != BoundNode::Kind::kField || field_class == nullptr) return {};
  const auto slot = direct_slot(node.field, event_class);
  if (!slot) return {};
  Source source{.slot = *slot};
  if (const auto* const integer = field_class->as<IntegerClass>()) {
    source.kind = integer->is_signed ? Kind::kSigned : Kind::kUnsigned;
    source.slot_kind = integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
  } else if (field_class->as<StringClass>() != nullptr) {
    source.kind = Kind::kText;
    source.slot_kind = SlotKind::kString;
  }
  return source;
}

void EventGrouping::make(ClassPlan& plan, const EventClass& event_class) {
  plan.state = ClassPlan::State::kGeneral;
  if (!fits_) return;
  const std::span<const BoundNode> nodes = projection_->nodes_of(event_class);
  plan.key_kinds = 1;
  bool numbers = true;
  for (std::size_t i = 0; i < keys_; ++i) {
    const Source& key = plan.keys[i] = source_of(nodes[i], event_class);
    if (key.kind >= Source::Kind::kDuration) return;
    plan.key_kinds = plan.key_kinds << 8 | static_cast<std::uint64_t>(key.kind);
    numbers = numbers && key.kind != Source::Kind::kText;
    const FieldClass* const field_class = nodes[i].field.field_class;
    const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
    plan.has_labels = plan.has_labels || (integer != nullptr && !integer->mappings.empty());
  }
  if (every_ != 0) plan.keys[keys_] = {.kind = Source::Kind::kUnknown};
  if (timed_ && event_class.has_real_time()) plan.clock = event_class.clock;
  make_steps(plan, nodes, event_class);
  plan.state = numbers && !plan.has_labels ? ClassPlan::State::kNumbers : ClassPlan::State::kTexts;
}

void EventGrouping::make_steps(ClassPlan& plan, std::span<const BoundNode> nodes,
                               const EventClass& event_class) {
  const std::vector<GroupingPlan::Aggregate>& aggregates = grouping_->plan().aggregates;
  Step* next = plan.steps.data();
  bool counts_events = false;
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    Step step{.kind = Step::Kind::kAdd, .aggregate = static_cast<std::uint8_t>(i)};
    AggregateState state(aggregates[i].kind);
    if (!aggregates[i].argument) {
      // What counts events first is counted without a step.
      if (!std::exchange(counts_events, true)) continue;
      step.kind = Step::Kind::kCount;
    } else {
      const Source source = source_of(nodes[*aggregates[i].argument], event_class);
      if (source.kind == Source::Kind::kUnknown) continue;
      step.slot = source.slot;
      const bool duration = source.kind == Source::Kind::kDuration;
      const bool counts = duration || source.kind == Source::Kind::kUnsigned;
      if (counts && state.sum() != nullptr)
        step.kind = duration ? Step::Kind::kAddDurationToSum : Step::Kind::kAddToSum;
      if (counts && state.histogram() != nullptr)
        step.kind = duration ? Step::Kind::kAddDurationToHistogram : Step::Kind::kAddToHistogram;
    }
    if (next != plan.steps.data() && step.kind == Step::Kind::kAddToHistogram &&
        next[-1].kind == Step::Kind::kAddToSum && next[-1].slot == step.slot) {
      next[-1].kind = Step::Kind::kAddToBoth;
      next[-1].other = step.aggregate;
      continue;
    }
    *next++ = step;
  }
}

// Returns whether they are as their class has them, and without names.
template <std::size_t kCount>
inline bool EventGrouping::read_numbers(const ClassPlan& plan, const Event& event, Keys& keys) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const Source& source = plan.keys[i];
    keys[i] = source.constant;
    if (source.kind <= Source::Kind::kConstant) continue;
    const Slot& slot = source.slot.in(event);
    if (slot.kind != source.slot_kind || (slot.flags & kSlotNamed) != 0) [[unlikely]]
      return false;
    keys[i] = slot.bits;
  }
  return true;
}

// The same of all that is no kOther. `named`: whether the trace has a name for one.
bool EventGrouping::read_any(const ClassPlan& plan, const Event& event, Keys& keys,
                             bool& named) const {
  for (std::size_t i = 0; i < keys_; ++i) {
    const Source& source = plan.keys[i];
    keys[i] = source.constant;
    if (source.kind <= Source::Kind::kConstant) continue;
    const Slot& slot = source.slot.in(event);
    if (slot.kind != source.slot_kind) return false;
    keys[i] = source.kind == Source::Kind::kText ? word_of(slot.text()) : slot.bits;
    named = named || (slot.flags & kSlotNamed) != 0;
  }
  return true;
}

// The first of two lines that the group of the keys may have.
template <std::size_t kCount>
inline std::size_t EventGrouping::place_of(const ClassPlan& plan, const Keys& keys) {
  if (kCount == 0) return 0;
  std::uint64_t hash = plan.key_kinds;
  for (std::size_t i = 0; i < kCount; ++i) hash = (hash + keys[i]) * kSpread;
  return hash >> 48 & (kLines - 1);
}

std::size_t EventGrouping::place_of_any(const ClassPlan& plan, const Keys& keys) const {
  switch (keys_ + (every_ != 0 ? 1 : 0)) {
    case 0:
      return place_of<0>(plan, keys);
    case 1:
      return place_of<1>(plan, keys);
    case 2:
      return place_of<2>(plan, keys);
    default:
      return place_of<3>(plan, keys);
  }
}

template <std::size_t kCount>
inline bool EventGrouping::is_of(const Line& line, const ClassPlan& plan, const Keys& keys) {
  bool is = line.key_kinds == plan.key_kinds;
  for (std::size_t i = 0; i < kCount; ++i) is = is && line.keys[i] == keys[i];
  return is;
}

bool EventGrouping::has_texts(const Line& line, const ClassPlan& plan, const Event& event) {
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (plan.keys[i].kind == Source::Kind::kText &&
        plan.keys[i].slot.in(event).text() != (*line.texts)[i])
      return false;
  }
  return true;
}

void EventGrouping::add_value(const Line& line, std::size_t aggregate, const Event& event) {
  const std::size_t argument = *grouping_->plan().aggregates[aggregate].argument;
  grouping_->note_growth(line.group->states[aggregate].add(projection_->value(event, argument)));
}

inline void EventGrouping::add_to(Histogram& histogram, std::uint64_t number) {
  const std::size_t grown = histogram.add_unsigned(number);
  if (grown != 0) [[unlikely]]
    grouping_->note_growth(grown);
}

[[gnu::always_inline]] inline void EventGrouping::add_to(const Line& line, const ClassPlan& plan,
                                                         const Event& event) {
  ++*line.events;
  for (const Step* step = plan.steps.data(); step->kind != Step::Kind::kEnd; ++step) {
    const Target target = line.targets[step->aggregate];
    if (step->kind == Step::Kind::kCount) {
      ++*target.events;
      continue;
    }
    if (step->kind == Step::Kind::kAdd) {
      add_value(line, step->aggregate, event);
      continue;
    }
    std::uint64_t number = 0;
    if (step->kind <= Step::Kind::kAddToBoth) [[likely]] {
      const Slot& slot = step->slot.in(event);
      number = slot.bits;
      if (slot.kind != SlotKind::kUnsigned) [[unlikely]] {
        add_value(line, step->aggregate, event);
        if (step->kind == Step::Kind::kAddToBoth) add_value(line, step->other, event);
        continue;
      }
      if (step->kind == Step::Kind::kAddToBoth) [[likely]] {
        target.sum->add(number);
        add_to(*line.targets[step->other].histogram, number);
        continue;
      }
    } else if (!read_duration(event, number)) [[unlikely]] {
      add_value(line, step->aggregate, event);
      continue;
    }
    if (step->kind == Step::Kind::kAddToSum || step->kind == Step::Kind::kAddDurationToSum) {
      target.sum->add(number);
    } else {
      add_to(*target.histogram, number);
    }
  }
}

// Takes note of the event's time, and puts the number of its bucket behind the keys. Returns
// whether 64 bits hold it.
inline bool EventGrouping::see_time(const ClassPlan& plan, const Event& event, Keys& keys) {
  if (plan.clock == nullptr) return false;
  const Nanoseconds time = plan.clock->to_nanoseconds(event.time);
  const auto low = static_cast<std::uint64_t>(time.magnitude());
  if (time.negative() || time.magnitude() != low) [[unlikely]]
    return false;
  if (every_ != 0) keys[keys_] = low / every_;
  const Integer seen = Integer::from(low);
  grouping_->note_times(seen, seen);
  return true;
}

// Returns whether the event's group was known.
template <std::size_t kCount, bool kTimed>
[[gnu::always_inline]] inline bool EventGrouping::add_known(const Event& event) {
  const ClassPlan& plan = plans_[*event.event_class];
  if (plan.state != ClassPlan::State::kNumbers) [[unlikely]]
    return plan.state == ClassPlan::State::kTexts && add_known_texts(plan, event);
  Keys keys;
  if (!read_numbers<kCount>(plan, event, keys)) [[unlikely]]
    return add_known_texts(plan, event);
  if (kTimed && !see_time(plan, event, keys)) return false;
  const std::size_t place = place_of<kCount>(plan, keys);
  const Line* line = &lines_[place];
  if (!is_of<kCount>(*line, plan, keys)) [[unlikely]] {
    line = &lines_[place ^ 1];
    if (!is_of<kCount>(*line, plan, keys)) return false;
  }
  add_to(*line, plan, event);
  return true;
}

bool EventGrouping::add_known_texts(const ClassPlan& plan, const Event& event) {
  Keys keys = {};
  bool named = plan.has_labels;
  if (!read_any(plan, event, keys, named) || (timed_ && !see_time(plan, event, keys))) return false;
  const std::size_t place = place_of_any(plan, keys);
  for (const Line* const line : {&lines_[place], &lines_[place ^ 1]}) {
    if (!is_of<kKeys>(*line, plan, keys) || !has_texts(*line, plan, event)) continue;
    // The first labels that come with a key are those that are shown.
    if (named && line->group->shown.empty()) return false;
    add_to(*line, plan, event);
    return true;
  }
  return false;
}

void EventGrouping::remember(Line& line, const ClassPlan& plan, const Event& event,
                             const Keys& keys) {
  line.key_kinds = plan.key_kinds;
  line.keys = keys;
  line.group = grouping_->last_group();
  line.events = &uncounted_;
  for (std::size_t i = 0; i < line.group->states.size(); ++i) {
    AggregateState& state = line.group->states[i];
    Target& target = line.targets[i];
    if (state.events() != nullptr) target.events = state.events();
    if (state.events() != nullptr && line.events == &uncounted_) line.events = state.events();
    if (state.sum() != nullptr) target.sum = state.sum();
    if (state.histogram() != nullptr) target.histogram = state.histogram();
  }
  if (plan.state != ClassPlan::State::kTexts) return;
  if (line.texts == nullptr) line.texts = std::make_unique<std::array<std::string, kKeys>>();
  for (std::size_t i = 0; i < keys_; ++i) {
    if (plan.keys[i].kind == Source::Kind::kText)
      (*line.texts)[i] = plan.keys[i].slot.in(event).text();
  }
}

Result<void> EventGrouping::add_any(const Event& event) {
  ClassPlan& plan = plans_[*event.event_class];
  if (plan.state == ClassPlan::State::kNew) make(plan, *event.event_class);
  if (auto added = grouping_->add((*projection_)(event)); !added) return added;
  forget_lines();
  if (plan.state == ClassPlan::State::kGeneral || grouping_->last_group() == nullptr) return {};
  Keys keys = {};
  bool named = false;
  if (!read_any(plan, event, keys, named) || (timed_ && !see_time(plan, event, keys))) return {};
  const std::size_t place = place_of_any(plan, keys);
  const bool is_taken = lines_[place].key_kinds != 0 && !is_of<kKeys>(lines_[place], plan, keys);
  remember(lines_[place ^ (is_taken ? 1 : 0)], plan, event, keys);
  return {};
}

// If the groups that they refer to are gone.
void EventGrouping::forget_lines() {
  if (std::exchange(generation_, grouping_->generation()) == grouping_->generation()) return;
  for (Line& line : lines_) line.key_kinds = 0;
}

template <std::size_t kCount, bool kTimed>
Result<std::size_t> EventGrouping::add_all(std::span<const Record> records) {
  std::size_t done = 0;
  for (; done < records.size() && records[done].kind == RecordKind::kEvent; ++done) {
    const Event& event = records[done].event;
    if (add_known<kCount, kTimed>(event)) [[likely]]
      continue;
    if (auto added = add_any(event); !added) return std::unexpected(added.error());
  }
  return done;
}

Result<std::size_t> EventGrouping::add(std::span<const Record> records) {
  // What groups grew by is looked at once in a while: a batch adds little.
  if (auto room = grouping_->make_room(); !room) return std::unexpected(room.error());
  forget_lines();
  switch (keys_ + (every_ != 0 ? 1 : 0)) {
    case 0:
      return timed_ ? add_all<0, true>(records) : add_all<0, false>(records);
    case 1:
      return timed_ ? add_all<1, true>(records) : add_all<1, false>(records);
    case 2:
      return timed_ ? add_all<2, true>(records) : add_all<2, false>(records);
    default:
      return timed_ ? add_all<3, true>(records) : add_all<3, false>(records);
  }
}

}  // namespace tracedeck::query
