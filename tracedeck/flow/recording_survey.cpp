#include "tracedeck/flow/recording_survey.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "tracedeck/model/member_slot.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::string_view kSurveyedFormat = "dial9";
// A stack that is no deeper was not walked by frame pointers.
constexpr std::size_t kShallow = 2;
// Fewer may be chance.
constexpr std::uint64_t kFewSelfWakes = 10;
// What waits for a shorter part of the trace may go on next.
constexpr std::uint64_t kPartOfTrace = 10;
constexpr std::uint64_t kShortest = 1'000'000;  // ns

std::optional<std::uint64_t> unsigned_at(const Event& event, std::size_t number) {
  const Slot* const slot = member_slot(event, number);
  if (slot == nullptr || slot->kind != SlotKind::kUnsigned) return std::nullopt;
  return slot->bits;
}

std::string_view text_at(const Event& event, std::size_t number) {
  const Slot* const slot = member_slot(event, number);
  return slot != nullptr && slot->kind == SlotKind::kString ? slot->text() : std::string_view();
}

std::optional<std::uint64_t> later(std::optional<std::uint64_t> known, std::uint64_t time) {
  return known ? std::max(*known, time) : time;
}

void add_stuck(StuckTasks& tasks, StuckTask task) {
  ++tasks.count;
  const auto weight = [](const StuckTask& each) {
    return std::tuple(each.count, each.age, ~each.id);
  };
  const auto place = std::ranges::upper_bound(tasks.first, weight(task), std::greater<>(), weight);
  tasks.first.insert(place, std::move(task));
  if (tasks.first.size() > StuckTasks::kListed) tasks.first.pop_back();
}

}  // namespace

bool RecordingSurvey::is_about(std::string_view format) { return format == kSurveyedFormat; }

RecordingSurvey::ClassUse::ClassUse(const EventClass& event_class) {
  struct Use {
    std::string_view event;
    Kind kind;
    std::string_view subject;
    std::string_view object;
  };
  static constexpr auto kUses = std::to_array<Use>({
      {"PollStartEvent", Kind::kPoll, "task_id", "worker_id"},
      {"PollEndEvent", Kind::kPollEnd, "worker_id", ""},
      {"WakeEventEvent", Kind::kWake, "woken_task_id", "waker_task_id"},
      {"TaskSpawnEvent", Kind::kSpawn, "task_id", "spawn_loc"},
      {"TaskTerminateEvent", Kind::kTerminate, "task_id", ""},
      {"CpuSampleEvent", Kind::kSample, "callchain", ""},
      {"SymbolTableEntry", Kind::kSymbol, "inline_depth", ""},
      {"AllocEvent", Kind::kAllocation, "addr", ""},
      {"ClockSyncEvent", Kind::kClockAnchor, "", ""},
      {"SegmentMetadataEvent", Kind::kMetadata, "entries", ""},
      {"SegmentMetadata", Kind::kMetadata, "entries", ""},
  });
  if (event_class.clock == nullptr || event_class.payload == nullptr || event_class.self_described)
    return;
  const auto use = std::ranges::find(kUses, event_class.name.value_or(""), &Use::event);
  payload = event_class.payload->as<StructureClass>();
  if (use == kUses.end() || payload == nullptr) return;
  kind = use->kind;
  subject = member_number(*payload, use->subject);
  object = member_number(*payload, use->object);
}

void RecordingSurvey::expect(std::vector<std::shared_ptr<const TraceDescription>> traces) {
  for (auto& trace : traces) {
    if (is_about(trace->format())) expected_.push_back({.trace = std::move(trace)});
  }
  is_described_ = false;
}

std::optional<RecordingSurvey> RecordingSurvey::of(
    std::vector<std::shared_ptr<const TraceDescription>> traces) {
  const auto has_it = [](const auto& trace) { return is_about(trace->format()); };
  if (std::ranges::none_of(traces, has_it)) return std::nullopt;
  std::optional<RecordingSurvey> survey(std::in_place, false);
  survey->expect(std::move(traces));
  return survey;
}

// Classes are described while a trace is read.
bool RecordingSurvey::is_described() {
  for (Expected& each : expected_) {
    const auto& classes = each.trace->event_classes();
    for (; !is_described_ && each.seen < classes.size(); ++each.seen)
      is_described_ = ClassUse(classes[each.seen]).kind != Kind::kOther;
  }
  return is_described_;
}

void RecordingSurvey::see(const Batch& batch) {
  if (!is_described_ && !is_described()) return;
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent) see_event(record.event);
  }
}

void RecordingSurvey::see_event(const Event& event) {
  const ClassUse& use = classes_[*event.event_class];
  if (event.event_class->has_real_time()) {
    const auto [range, is_first] =
        ranges_.try_emplace(event.event_class->entity.trace, event.time, event.time);
    range->second.first = std::min(range->second.first, event.time);
    range->second.last = std::max(range->second.last, event.time);
  }
  if (use.kind != Kind::kOther) counts_.is_known = true;
  switch (use.kind) {
    case Kind::kOther:
      return;
    case Kind::kPoll:
      return take_poll(use, event);
    case Kind::kPollEnd:
      return take_poll_end(use, event);
    case Kind::kWake:
      return take_wake(use, event);
    case Kind::kSpawn:
      return take_spawn(use, event);
    case Kind::kTerminate:
      return take_end(use, event);
    case Kind::kSample:
      return take_stack(use, event);
    case Kind::kSymbol:
      ++counts_.symbols;
      if (unsigned_at(event, use.subject).value_or(0) != 0) counts_.has_inlined = true;
      return;
    case Kind::kAllocation:
      return take_allocation(use, event);
    case Kind::kClockAnchor:
      counts_.has_clock_anchor = true;
      return;
    case Kind::kMetadata:
      return take_metadata(use, event);
  }
}

RecordingSurvey::PlaceId RecordingSurvey::place_of(const Event& event, std::size_t member) {
  const std::string_view text = text_at(event, member);
  if (text.empty()) return 0;
  if (const auto known = place_ids_.find(text); known != place_ids_.end()) return known->second;
  if (places_.size() > kMostPlaces) return 0;
  const auto id = static_cast<PlaceId>(places_.size());
  places_.emplace_back(text);
  place_ids_.emplace(text, id);
  return id;
}

RecordingSurvey::Task* RecordingSurvey::task_of(const Event& event, std::uint64_t id) {
  const Key key = {event.event_class->entity.trace, id};
  if (const auto known = tasks_.find(key); known != tasks_.end()) return &known->second;
  if (!ended_.empty() && ended_.contains(key)) return nullptr;
  if (tasks_.size() >= kMostTasks) {
    has_too_many_ = true;
    return nullptr;
  }
  return &tasks_[key];
}

RecordingSurvey::WorkerPoll* RecordingSurvey::poll_of(const Event& event, std::uint64_t worker) {
  const Key key = {event.event_class->entity.trace, worker};
  const auto known = std::ranges::find(polls_, key, &WorkerPoll::worker);
  if (known != polls_.end()) return &*known;
  if (polls_.size() >= kMostWorkers) return nullptr;
  return &polls_.emplace_back(WorkerPoll{.worker = key});
}

void RecordingSurvey::take_poll(const ClassUse& use, const Event& event) {
  const auto id = unsigned_at(event, use.subject);
  const auto worker = unsigned_at(event, use.object);
  Task* const task = id ? task_of(event, *id) : nullptr;
  if (task == nullptr) return;
  if (task->polls++ == 0) {
    ++counts_.polled;
    if (task->place == 0) task->place = place_of(event, member_number(*use.payload, "spawn_loc"));
  }
  task->polled = later(task->polled, event.time);
  WorkerPoll* const poll = worker ? poll_of(event, *worker) : nullptr;
  if (poll == nullptr || poll->begin > event.time) return;
  poll->task = *id;
  poll->begin = event.time;
  poll->is_first = task->polls == 1;
}

void RecordingSurvey::take_poll_end(const ClassUse& use, const Event& event) {
  const auto worker = unsigned_at(event, use.subject);
  WorkerPoll* const poll = worker ? poll_of(event, *worker) : nullptr;
  if (poll == nullptr) return;
  poll->end = std::max(poll->end, event.time);
  if (event.time < poll->begin || !std::exchange(poll->is_first, false)) return;
  const auto task = tasks_.find(Key{poll->worker.trace, poll->task});
  if (task != tasks_.end()) task->second.first_poll_end = event.time;
}

void RecordingSurvey::take_wake(const ClassUse& use, const Event& event) {
  ++counts_.wakes;
  const auto id = unsigned_at(event, use.subject);
  Task* const task = id ? task_of(event, *id) : nullptr;
  if (task == nullptr) return;
  ++task->wakes;
  if (unsigned_at(event, use.object) == id) ++task->self_wakes;
  task->woken = later(task->woken, event.time);
}

void RecordingSurvey::take_spawn(const ClassUse& use, const Event& event) {
  ++counts_.spawned;
  const Slot* const instrumented = member_slot(event, member_number(*use.payload, "instrumented"));
  const bool is_uninstrumented = instrumented != nullptr &&
                                 instrumented->kind == SlotKind::kBoolean &&
                                 instrumented->bits == 0;
  if (is_uninstrumented) ++counts_.uninstrumented;
  const auto id = unsigned_at(event, use.subject);
  Task* const task = id ? task_of(event, *id) : nullptr;
  if (task == nullptr) return;
  task->spawned = event.time;
  task->is_uninstrumented = is_uninstrumented;
  task->place = place_of(event, use.object);
}

void RecordingSurvey::take_end(const ClassUse& use, const Event& event) {
  const auto id = unsigned_at(event, use.subject);
  if (!id) return;
  const Key key = {event.event_class->entity.trace, *id};
  if (ended_.size() < kMostEnded) {
    ended_.insert(key);
  } else {
    has_too_many_ = true;
  }
  const auto known = tasks_.find(key);
  if (known == tasks_.end()) return;
  Task& task = known->second;
  task.spawned = task.polled = task.woken = std::nullopt;
  list_stuck(known->first, task, counts_);
  tasks_.erase(known);
}

void RecordingSurvey::take_stack(const ClassUse& use, const Event& event) {
  const Slot* const stack = member_slot(event, use.subject);
  if (stack == nullptr) return;
  std::size_t depth = 0;
  const Symbols* const symbols =
      names_addresses_ ? event.event_class->stream_class->trace->symbols() : nullptr;
  const auto see_address = [&](const Slot& address) {
    if (address.kind != SlotKind::kUnsigned) return;
    ++depth;
    if (symbols != nullptr && symbols->functions_at(address.bits).empty()) ++counts_.nameless;
  };
  if (stack->kind == SlotKind::kPackedArray) {
    for (std::size_t i = 0; i < packed_count(*stack); ++i) see_address(packed_element(*stack, i));
  } else if (stack->kind == SlotKind::kArray) {
    for (const Slot* at = stack + 1; at < stack->next(); at = at->next()) see_address(*at);
  }
  if (depth == 0) return;
  ++counts_.stacks;
  counts_.addresses += depth;
  if (depth <= kShallow) ++counts_.shallow;
}

void RecordingSurvey::take_allocation(const ClassUse& use, const Event& event) {
  ++counts_.allocations;
  if (unsigned_at(event, use.subject) == 0U) ++counts_.without_address;
}

void RecordingSurvey::take_metadata(const ClassUse& use, const Event& event) {
  const Slot* const entries = member_slot(event, use.subject);
  if (entries == nullptr || entries->kind != SlotKind::kStringMap) return;
  for (const Slot* at = entries + 1; at < entries->next(); at = at->next()) {
    if (at->kind == SlotKind::kString && at->text() == "memory.sample_rate_bytes")
      counts_.has_sample_rate = true;
  }
}

bool RecordingSurvey::is_polled(const Key& task) const {
  return std::ranges::any_of(polls_, [&](const WorkerPoll& poll) {
    return poll.worker.trace == task.trace && poll.task == task.id && poll.begin > poll.end;
  });
}

void RecordingSurvey::list_stuck(const Key& key, const Task& task,
                                 RecordingQuality& quality) const {
  StuckTask stuck{.id = key.id, .place = places_[task.place], .polls = task.polls};
  if (task.self_wakes >= kFewSelfWakes && std::uint64_t{task.self_wakes} * 2 >= task.polls) {
    stuck.count = task.self_wakes;
    add_stuck(quality.self_woken,
              std::exchange(stuck, {.id = key.id, .place = places_[task.place]}));
  }
  if (has_too_many_ || is_polled(key)) return;
  const auto range = ranges_.find(key.trace);
  if (range == ranges_.end()) return;
  const auto is_long_since = [&](const std::optional<std::uint64_t>& time) {
    if (!time) return false;
    stuck.age = range->second.last - *time;
    return stuck.age >=
           std::max(kShortest, (range->second.last - range->second.first) / kPartOfTrace);
  };
  if (task.woken && (!task.polled || *task.woken > *task.polled)) {
    if (is_long_since(task.woken)) add_stuck(quality.woken, std::move(stuck));
  } else if (task.is_uninstrumented) {
    return;
  } else if (!task.polled) {
    if (is_long_since(task.spawned)) add_stuck(quality.never_polled, std::move(stuck));
  } else if (task.polls == 1 && task.wakes == 0 && counts_.wakes != 0) {
    if (is_long_since(task.first_poll_end)) add_stuck(quality.never_woken, std::move(stuck));
  }
}

RecordingQuality RecordingSurvey::finish(bool has_losses) const {
  RecordingQuality quality = counts_;
  for (const auto& [key, task] : tasks_) list_stuck(key, task, quality);
  // What was lost may be what they seem to lack.
  if (has_losses) quality.never_polled = quality.woken = quality.never_woken = {};
  return quality;
}

}  // namespace tracedeck::flow
