#include "tracedeck/query/event_grouping.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace tracedeck::query {
namespace {

constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15U;

// In ns. Returns whether it is one of 64 bits.
bool read_duration(const EventPlan& plan, const Event& event, std::uint64_t& duration) {
  if (plan.counts_nanoseconds && event.end_time >= event.time) [[likely]] {
    duration = event.end_time - event.time;
    return true;
  }
  const Nanoseconds length = event.event_class->clock->interval(event.time, event.end_time);
  duration = static_cast<std::uint64_t>(length.magnitude());
  return !length.negative() && length.magnitude() == duration;
}

// What a slot holds besides its value: kind, flags, and the number of its name.
std::uint64_t head_of(const Slot& slot) {
  std::uint64_t head = 0;
  static_assert(offsetof(Slot, length) + sizeof(head) == sizeof(Slot));
  std::memcpy(&head, reinterpret_cast<const std::byte*>(&slot) + offsetof(Slot, length),
              sizeof(head));
  return head;
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

// Of the keys that differ, from `hash` on: that of the identity.
std::uint64_t hash_of_keys(std::uint64_t hash, std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) hash = (hash + key) * kSpread;
  return hash;
}

bool has_texts(std::span<const std::string> texts, const EventPlan& plan, const Event& event) {
  for (std::size_t i = 0; i < plan.count; ++i) {
    const ValueSource& key = plan.keys[i];
    if (key.kind == ValueSource::Kind::kText && key.slot.in(event).text() != texts[i]) return false;
  }
  return true;
}

}  // namespace

EventGrouping::EventGrouping(EventProjection& projection, Grouping& grouping)
    : projection_(&projection),
      grouping_(&grouping),
      planner_(grouping.plan()),
      lines_(kLines),
      plain_(!grouping.plan().time),
      timed_(grouping.plan().time.has_value()) {
  const auto& every = grouping.plan().every;
  if (every) every_ = every->to_unsigned().value_or(0);
}

// Returns whether the keys are as their class has them.
inline bool EventGrouping::read_keys(EventPlan& plan, const Event& event, Keys& keys,
                                     Names& names) {
  const std::size_t count = plan.count - (every_ != 0 ? 1U : 0U);
  for (std::size_t i = 0; i < count; ++i) {
    ValueSource& source = plan.keys[i];
    const Slot& slot = source.slot.in(event);
    if (slot.kind != source.slot_kind) [[unlikely]]
      return false;
    if ((slot.flags & kSlotNamed) == 0) {
      source.head = head_of(slot);
    } else {
      names[i] = slot.name();
      if (!plan.has_names) [[unlikely]]
        note_names(plan);
    }
    keys[i] = source.kind == ValueSource::Kind::kText ? word_of(slot.text()) : slot.bits;
  }
  if (!timed_) return true;
  std::uint64_t time = 0;
  if (!see_time(plan, event, time)) return false;
  if (every_ != 0) keys[count] = time / every_;
  return true;
}

void EventGrouping::note_names(EventPlan& plan) {
  planner_.note_names(plan);
  plain_ = false;
}

// The time in ns. Returns whether 64 bits hold it.
inline bool EventGrouping::see_time(const EventPlan& plan, const Event& event,
                                    std::uint64_t& time) {
  if (!plan.is_timed) return false;
  if (!plan.counts_nanoseconds || __builtin_add_overflow(plan.time_of_zero, event.time, &time)) {
    const Nanoseconds any = event.event_class->clock->to_nanoseconds(event.time);
    time = static_cast<std::uint64_t>(any.magnitude());
    if (any.negative() || any.magnitude() != time) return false;
  }
  earliest_ = std::min(earliest_, time);
  latest_ = std::max(latest_, time);
  return true;
}

void EventGrouping::note_times() {
  if (earliest_ > latest_) return;
  grouping_->note_times(Integer::from(earliest_), Integer::from(latest_));
  earliest_ = std::numeric_limits<std::uint64_t>::max();
  latest_ = 0;
}

void EventGrouping::add_value(const Line& line, std::size_t aggregate, const Event& event) {
  const std::size_t argument = *grouping_->plan().aggregates[aggregate].argument;
  grouping_->note_growth(line.group->states[aggregate].add(projection_->value(event, argument)));
}

// Does to the aggregates what an event does besides being counted.
[[gnu::always_inline]] inline void EventGrouping::add_to(const Line& line, const EventPlan& plan,
                                                         const Event& event) {
  using Kind = EventStep::Kind;
  for (const EventStep* step = plan.steps.data(); step->kind != Kind::kEnd; ++step) {
    const Target target = line.targets[step->aggregate];
    std::uint64_t number = 0;
    if (step->kind <= Kind::kAdd) {
      if (step->kind == Kind::kCount) ++*target.events;
      if (step->kind == Kind::kAdd) add_value(line, step->aggregate, event);
      continue;
    }
    if (step->kind <= Kind::kAddToHistogram) {
      const Slot& slot = step->slot.in(event);
      number = slot.bits;
      if (slot.kind != SlotKind::kUnsigned) [[unlikely]] {
        add_value(line, step->aggregate, event);
        continue;
      }
    } else if (!read_duration(plan, event, number)) [[unlikely]] {
      add_value(line, step->aggregate, event);
      continue;
    }
    if (step->kind == Kind::kAddToSum || step->kind == Kind::kAddDurationToSum) {
      target.sum->add(number);
    } else if (const std::size_t grown = target.histogram->add_unsigned(number); grown != 0)
        [[unlikely]] {
      grouping_->note_growth(grown);
    }
  }
}

// Does so with a number that both can take in a few instructions; otherwise nothing, and returns
// false.
[[gnu::always_inline]] inline bool EventGrouping::add_to_both(const Line& line,
                                                              const EventPlan& plan,
                                                              const Event& event) {
  const Slot& slot = plan.slot.in(event);
  if (slot.kind != SlotKind::kUnsigned) [[unlikely]]
    return false;
  const auto place = line.histogram->place_of(slot.bits);
  if (!place || !line.sum->add_at_hand(slot.bits)) [[unlikely]]
    return false;
  line.histogram->add(place);
  return true;
}

// The line of the event's group if its plan and its keys lead straight to it; or null.
[[gnu::always_inline]] inline const EventGrouping::Line* EventGrouping::line_at_hand(
    const EventPlan& plan, const Event& event, const Line* lines) {
  using Kind = EventPlan::Keys;
  if (plan.kind == Kind::kOne) [[likely]] {
    const Slot& slot = plan.keys[0].slot.in(event);
    if (head_of(slot) != plan.keys[0].head) [[unlikely]]
      return nullptr;
    const std::uint64_t key = slot.bits;
    const std::size_t place = hash_of_keys(plan.identity, {&key, 1}) >> kPlaceShift;
    const Line* line = lines + place;
    if (line->identity == plan.identity && line->keys[0] == key) [[likely]]
      return line;
    line = lines + (place ^ 1);
    return line->identity == plan.identity && line->keys[0] == key ? line : nullptr;
  }
  if (plan.kind == Kind::kSame) {
    const Line* const line = lines + plan.line;
    return line->identity == plan.identity ? line : nullptr;
  }
  if (plan.kind != Kind::kNumbers) return nullptr;
  Keys keys;
  for (std::size_t i = 0; i < plan.count; ++i) {
    const Slot& slot = plan.keys[i].slot.in(event);
    if (head_of(slot) != plan.keys[i].head) [[unlikely]]
      return nullptr;
    keys[i] = slot.bits;
  }
  const std::span<const std::uint64_t> all(keys.data(), plan.count);
  const Line* const line = lines + (hash_of_keys(plan.identity, all) >> kPlaceShift);
  const bool is_of =
      line->identity == plan.identity && std::equal(all.begin(), all.end(), line->keys.begin());
  return is_of ? line : nullptr;
}

// The line of the event's group, or null.
const EventGrouping::Line* EventGrouping::line_of(EventPlan& plan, const Event& event) {
  if (plan.kind <= EventPlan::Keys::kGeneral) return nullptr;
  Keys keys;
  Names names = {};
  if (!read_keys(plan, event, keys, names)) return nullptr;
  const std::span<const std::uint64_t> all(keys.data(), plan.count);
  const std::size_t place = hash_of_keys(plan.identity, all) >> kPlaceShift;
  for (const std::size_t other : {0U, 1U}) {
    const Line& line = lines_[place ^ other];
    if (line.identity != plan.identity || !std::equal(all.begin(), all.end(), line.keys.begin()))
      continue;
    if (plan.has_names && line.names != names) continue;
    if (plan.has_texts && !has_texts(*line.texts, plan, event)) continue;
    plan.line = place ^ other;
    return &line;
  }
  return nullptr;
}

// Makes a line of the group of the event that was added last.
void EventGrouping::remember(EventPlan& plan, const Event& event) {
  Keys keys = {};
  Names names = {};
  if (!read_keys(plan, event, keys, names)) return;
  plan.line = hash_of_keys(plan.identity, std::span(keys).first(plan.count)) >> kPlaceShift;
  const Line& first = lines_[plan.line];
  if (first.identity != 0 &&
      (first.identity != plan.identity || first.keys != keys || first.names != names))
    plan.line ^= 1;
  Line& line = lines_[plan.line];
  line.identity = plan.identity;
  line.keys = keys;
  line.names = names;
  line.group = grouping_->last_group();
  line.events = nullptr;
  line.sum = nullptr;
  line.histogram = nullptr;
  for (std::size_t i = 0; i < line.group->states.size(); ++i) {
    AggregateState& state = line.group->states[i];
    Target& target = line.targets[i];
    if (state.events() != nullptr) target.events = state.events();
    if (state.sum() != nullptr) target.sum = state.sum();
    if (state.histogram() != nullptr) target.histogram = state.histogram();
    if (line.events == nullptr) line.events = state.events();
    if (line.sum == nullptr) line.sum = state.sum();
    if (line.histogram == nullptr) line.histogram = state.histogram();
  }
  if (line.events == nullptr) line.events = &uncounted_;
  if (!plan.has_texts) return;
  if (line.texts == nullptr) line.texts = std::make_unique<std::array<std::string, kDirectKeys>>();
  for (std::size_t i = 0; i < plan.count; ++i) {
    if (plan.keys[i].kind == ValueSource::Kind::kText)
      (*line.texts)[i] = plan.keys[i].slot.in(event).text();
  }
}

// If the groups that they refer to are gone.
void EventGrouping::forget_lines() {
  if (std::exchange(generation_, grouping_->generation()) == grouping_->generation()) return;
  for (Line& line : lines_) line.identity = 0;
}

Result<void> EventGrouping::add_any(const Event& event) {
  EventPlan& plan = plans_[*event.event_class];
  if (plan.kind == EventPlan::Keys::kNew) {
    planner_.make(plan, projection_->nodes_of(*event.event_class), *event.event_class);
    plain_ =
        plain_ && plan.kind != EventPlan::Keys::kMixed && plan.effect != EventPlan::Effect::kSteps;
  }
  if (const Line* const line = line_of(plan, event); line != nullptr) {
    ++*line->events;
    add_to(*line, plan, event);
    return {};
  }
  if (auto added = grouping_->add((*projection_)(event)); !added) return added;
  forget_lines();
  if (plan.kind != EventPlan::Keys::kGeneral && grouping_->last_group() != nullptr)
    remember(plan, event);
  return {};
}

// Adds the events of known groups, and returns the first record that is none. `kPlain`: only where
// a few instructions do; that calls nothing and keeps what it needs in registers.
template <bool kPlain>
const Record* EventGrouping::add_known(const Record* record, const Record* end) {
  const auto plans = plans_.at_hand();
  const Line* const lines = lines_.data();
  for (; record != end && record->kind == RecordKind::kEvent; ++record) {
    const Event& event = record->event;
    EventPlan* const plan = plans.find(*event.event_class);
    if (plan == nullptr) [[unlikely]]
      break;
    const Line* line = line_at_hand(*plan, event, lines);
    if (!kPlain && line == nullptr) line = line_of(*plan, event);
    if (line == nullptr) [[unlikely]]
      break;
    if (!kPlain) {
      add_to(*line, *plan, event);
    } else if (plan->effect == EventPlan::Effect::kAddToBoth && !add_to_both(*line, *plan, event))
        [[unlikely]] {
      break;
    }
    ++*line->events;
  }
  return record;
}

Result<std::size_t> EventGrouping::add(std::span<const Record> records) {
  // What groups grew by is looked at once in a while: a batch adds little.
  if (auto room = grouping_->make_room(); !room) return std::unexpected(room.error());
  forget_lines();
  const Record* const begin = records.data();
  const Record* const end = begin + records.size();
  const Record* record = begin;
  for (;; ++record) {
    record = plain_ ? add_known<true>(record, end) : add_known<false>(record, end);
    if (record == end || record->kind != RecordKind::kEvent) break;
    if (auto added = add_any(record->event); !added) return std::unexpected(added.error());
  }
  note_times();
  return static_cast<std::size_t>(record - begin);
}

}  // namespace tracedeck::query
