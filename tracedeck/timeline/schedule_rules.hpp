// Rules about what runs on processors.
#pragma once

#include <deque>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// What runs on each processor.
struct Processors {
  explicit Processors(std::size_t words) : keys(words) {}

  struct Processor {
    bool any = false;
    std::uint64_t task = 0;
    TrackId track = kNoTrack;
    NameId pending = kNoName;
  };
  [[nodiscard]] Processor& of(const std::uint64_t* key) {
    std::uint64_t& place = keys.place(key);
    if (place == 0) {
      all.emplace_back();
      place = all.size();
    }
    return all[place - 1];
  }
  KeyTable keys;
  std::deque<Processor> all = {};
};

struct ScheduleState {
  explicit ScheduleState(const ScheduleRule& of) : rule(&of) {}

  const ScheduleRule* rule;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::vector<RuleValue> cpu = {};
  std::optional<RuleValue> next = {};
  std::optional<RuleValue> previous = {};
  RuleTemplate next_name = {};
  RuleTemplate previous_name = {};
  RuleTemplate previous_state = {};
  std::optional<RuleValue> idle = {};
  TrackSpace* track = nullptr;
  Processors* processors = nullptr;
};

class Schedule final : public Action {
 public:
  Schedule(ScheduleState& state, BoundTrack track, const EventClass& event_class,
           RuleContext& context, std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        idle_(state.idle, event_class, context),
        cpu_(bind_all(state.cpu, event_class)),
        next_(*state.next, event_class),
        next_name_(state.next_name, event_class),
        previous_name_(state.previous_name, event_class),
        previous_state_(state.previous_state, "", event_class, context),
        running_(context.marking.add_name("", "running")),
        trace_(trace) {
    if (state.previous) previous_ = BoundValue(*state.previous, event_class);
  }

  [[nodiscard]] bool possible() const { return all_possible(cpu_) && next_.possible(); }

  void run(const Moment& now) override {
    const Event& event = *now.event;
    if (!when_(event)) return;
    Words words = {};
    std::uint64_t next = 0;
    if (!read_key(cpu_, event, context_.scope, words.data()) ||
        !next_.word(event, context_.scope, next)) {
      ++context_.marking.timeline().mutable_counts().without_field;
      return;
    }
    const auto cpu = static_cast<std::int32_t>(words[0]);
    words[cpu_.size()] = trace_;
    Processors::Processor& processor = state_.processors->of(words.data());
    leave(now, processor, next, cpu);
    processor.pending = kNoName;
    processor.any = true;
    processor.task = next;
    if (state_.idle && idle_(event)) {
      processor.track = kNoTrack;
      return;
    }
    processor.track = track_.find_task(event, next, next_name_);
    if (context_.marking.state_of(processor.track) != running_)
      context_.marking.state(processor.track, running_, now, cpu, 0);
  }

 private:
  void leave(const Moment& now, const Processors::Processor& processor, std::uint64_t next,
             std::int32_t cpu) {
    std::uint64_t previous = processor.task;
    TrackId track = processor.any ? processor.track : kNoTrack;
    if (state_.previous) {
      if (!previous_.word(*now.event, context_.scope, previous)) return;
      if (!processor.any || processor.task != previous) {
        // Not what is known to have run: what the event says counts, but not of an idle task.
        track = previous == 0 && state_.idle
                    ? kNoTrack
                    : track_.find_task(*now.event, previous, previous_name_);
      }
    }
    if (track == kNoTrack || previous == next) return;
    // It may have been said already what it does.
    const NameId known = context_.marking.state_of(track);
    if (known != kNoName && known != running_) return;
    const NameId state =
        processor.pending != kNoName ? processor.pending : previous_state_(*now.event);
    context_.marking.state(track, state, now, cpu, 0);
  }

  RuleContext& context_;
  ScheduleState& state_;
  BoundTrack track_;
  BoundWhen when_;
  BoundWhen idle_;
  std::vector<BoundValue> cpu_;
  BoundValue next_;
  BoundValue previous_;
  BoundTemplate next_name_;
  BoundTemplate previous_name_;
  NameMaker previous_state_;
  NameId running_;
  std::uint64_t trace_;
};

class MarkPending final : public Action {
 public:
  MarkPending(Processors& processors, const std::vector<RuleValue>& cpu,
              const std::optional<RuleValue>& task, const RuleTemplate& state,
              const std::optional<RuleValue>& when, const EventClass& event_class,
              RuleContext& context, std::uint64_t trace)
      : context_(context),
        processors_(processors),
        when_(when, event_class, context),
        cpu_(bind_all(cpu, event_class)),
        any_task_(!task.has_value()),
        state_(state, "", event_class, context),
        trace_(trace) {
    if (task) task_ = BoundValue(*task, event_class);
  }

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(cpu_, *now.event, context_.scope, words.data())) return;
    words[cpu_.size()] = trace_;
    Processors::Processor& processor = processors_.of(words.data());
    std::uint64_t task = 0;
    if (!any_task_ &&
        (!processor.any || !task_.word(*now.event, context_.scope, task) || task != processor.task))
      return;
    processor.pending = state_(*now.event);
  }

 private:
  RuleContext& context_;
  Processors& processors_;
  BoundWhen when_;
  std::vector<BoundValue> cpu_;
  bool any_task_;
  BoundValue task_;
  NameMaker state_;
  std::uint64_t trace_;
};

struct PendingState {
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::vector<RuleValue> cpu = {};
  std::optional<RuleValue> task = {};
  RuleTemplate state = {};
  Processors* processors = nullptr;
};

}  // namespace tracedeck::timeline
