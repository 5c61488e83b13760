// Rules about what runs on processors.
#pragma once

#include <deque>
#include <map>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// What runs on each processor.
struct Processors final : TaskObserver {
  explicit Processors(std::size_t words) : keys(words) {}

  struct Processor {
    bool any = false;
    std::uint64_t task = 0;   // by the number that its trace, or machine, has for it
    std::uint64_t trace = 0;  // that one
    TrackId track = kNoTrack;
    NameId pending = kNoName;
    std::uint64_t number = 0;  // of the event that put it there
    std::int64_t time = 0;     // of that
    const StreamState* stream = nullptr;
  };
  static constexpr std::size_t kMost = std::size_t{1} << 12U;
  static constexpr std::size_t kMostLasting = std::size_t{1} << 16U;

  // What is known of it, unless something was lost since. Those beyond `kMost` are one.
  [[nodiscard]] Processor& of(const std::uint64_t* key, const Marking& marking) {
    const std::uint32_t known = keys.find(key);
    if (known == 0) {
      if (all.size() < kMost) all.emplace_back();
      if (all.size() < kMost) keys.place(key) = all.size();
      return all.back() = {};
    }
    Processor& processor = all[known - 1];
    if (marking.lost_since(processor.number, processor.stream)) [[unlikely]]
      processor = {};
    return processor;
  }
  // Whether anything was put on it, or taken off.
  [[nodiscard]] bool knows(const std::uint64_t* key, const Marking& marking) const {
    const std::uint32_t known = keys.find(key);
    if (known == 0) return false;
    const Processor& processor = all[known - 1];
    return processor.any && !marking.lost_since(processor.number, processor.stream);
  }
  // A task is put on a processor, so it has left any other, and nothing is about to become of it.
  void claim(const Processor& by) {
    const auto is_it = [task = by.task, trace = by.trace](const Processor& each) {
      return each.any && each.task == task && each.trace == trace;
    };
    for (Processor& each : all) {
      if (!is_it(each)) continue;
      if (&each == &by) {
        each.pending = kNoName;
      } else {
        each = {};
      }
    }
  }
  // What has its number from now on does not run yet.
  void task_ended(std::uint64_t task, std::uint64_t trace, const Moment& /*now*/) override {
    for (Processor& each : all) {
      if (each.any && each.task == task && each.trace == trace) each = {};
    }
  }
  // What is about to become of a task, on whichever processor it runs.
  void set_pending(std::uint64_t task, std::uint64_t trace, NameId state, const Marking& marking) {
    for (Processor& each : all) {
      const bool is_it = each.any && each.task == task && each.trace == trace;
      if (is_it && !marking.lost_since(each.number, each.stream)) each.pending = state;
    }
  }
  // What becomes of a task when it ends.
  void set_lasting(std::uint64_t task, std::uint64_t trace, NameId state) {
    const Words key = {task, trace};
    if (lasting.size() < kMostLasting || lasting.find(key.data()) != 0)
      lasting.place(key.data()) = state;
  }
  [[nodiscard]] NameId take_lasting(std::uint64_t task, std::uint64_t trace) {
    const Words key = {task, trace};
    const NameId state = lasting.find(key.data());
    if (state != kNoName) lasting.erase(key.data());
    return state;
  }
  // An event that may say something new of a task of which nothing is known.
  struct Unclear {
    enum class Kind : std::uint8_t {
      kMayRun,      // it was woken. If it runs, then on `cpu`, of which nothing is known either
      kMayRepeat,   // it is in that state, and may have been before the event
      kWillRepeat,  // what the next event says is nothing new
    };
    Kind kind = Kind::kMayRun;
    std::uint64_t task = 0;
    std::uint64_t trace = 0;
    std::int32_t cpu = kNoCpu;
    TrackId track = kNoTrack;
    NameId state = kNoName;
    std::int64_t time = 0;
    std::uint64_t number = 0;  // of the event
    const StreamState* stream = nullptr;
  };
  [[nodiscard]] Unclear* find_unclear(TrackId track) {
    const auto found = unclear.find(track);
    return found == unclear.end() ? nullptr : &found->second;
  }
  // One of a track. False: there is no room for it.
  [[nodiscard]] bool note_unclear(const Unclear& said) {
    if (unclear.size() >= kMost) return unclear.contains(said.track);
    unclear.try_emplace(said.track, said);
    return true;
  }
  void forget_unclear(TrackId track) { unclear.erase(track); }
  // What was said of a task was new.
  [[gnu::noinline, gnu::cold]] void settle(TrackId track, Marking& marking) {
    const Unclear* const found = find_unclear(track);
    if (found == nullptr) return;
    put_clear(*found, marking);
    forget_unclear(track);
  }
  // It is known now what ran on a processor, `task`.
  [[gnu::noinline, gnu::cold]] void settle(std::int32_t cpu, std::uint64_t trace,
                                           std::uint64_t task, Marking& marking) {
    std::erase_if(unclear, [&](const auto& of_track) {
      const Unclear& each = of_track.second;
      if (each.kind != Unclear::Kind::kMayRun || each.trace != trace ||
          (each.cpu != cpu && each.task != task))
        return false;
      if (each.task != task) put_clear(each, marking);
      return true;
    });
  }
  // No more events come: none said that one of them was a repetition.
  void settle_repeated(Marking& marking) {
    for (const auto& [track, each] : unclear) {
      if (each.kind == Unclear::Kind::kMayRepeat) put_clear(each, marking);
    }
    unclear.clear();
  }
  static void put_clear(const Unclear& said, Marking& marking) {
    if (said.kind == Unclear::Kind::kWillRepeat) return;
    // Whether it ran may have been lost.
    if (said.kind == Unclear::Kind::kMayRun && marking.lost_in_trace(said.number, said.stream))
      return;
    marking.state_from(said.track, said.state, said.time, said.number, said.stream, said.cpu);
    (void)marking.state_of(said.track, said.time);
  }

  // Of tasks whose states ended it is not known where they run.
  void forget(const SectionEnd& ended) {
    std::erase_if(unclear, [&](const auto& each) { return ended.has_track(each.first); });
    for (Processor& each : all) {
      if (ended.has_track(each.track)) each = {};
    }
  }

  KeyTable keys;
  std::deque<Processor> all = {};
  KeyTable lasting{2};  // by task and trace: the name of what it will be
  std::map<TrackId, Unclear> unclear = {};
};

// Told of what is found out about `Table::processor`.
class ProcessorObserver {
 public:
  ProcessorObserver() = default;
  ProcessorObserver(const ProcessorObserver&) = delete;
  ProcessorObserver& operator=(const ProcessorObserver&) = delete;
  virtual ~ProcessorObserver() = default;
  // The first task is put on one, or taken off. `left`: which one, which ran there before; null: it
  // is not known.
  virtual void processor_known(const std::uint64_t* key, const std::uint64_t* left,
                               const Moment& now) = 0;
  // There are several: which of them an event is of is known where it says so.
  virtual void processors_several(const RuleMemory::Processor& known, const Moment& now) = 0;
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
  NameMatcher unclear = {};
  std::optional<RuleValue> idle = {};
  TrackSpace* track = nullptr;
  Processors* processors = nullptr;
  std::optional<RuleValue> said_processor = {};  // where `cpu` depends on `Table::processor`
  ProcessorObserver* observer = nullptr;
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
        cpu_(state.cpu, event_class, trace),
        next_(*state.next, event_class),
        next_name_(state.next_name, event_class),
        previous_name_(state.previous_name, event_class),
        previous_state_(state.previous_state, "", event_class, context),
        running_(context.marking.add_name("", "running")),
        trace_(trace),
        assumes_processor_(state.said_processor.has_value()) {
    if (state.previous) previous_ = BoundValue(*state.previous, event_class);
    if (state.said_processor) said_processor_ = BoundValue(*state.said_processor, event_class);
  }

  [[nodiscard]] bool possible() const { return cpu_.possible() && next_.possible(); }

  void run(const Moment& now) override {
    const Event& event = *now.event;
    if (!when_(event)) return;
    std::uint64_t next = 0;
    if (!next_.word(event, context_.scope, next)) return context_.marking.count_without_field(now);
    if (assumes_processor_) look_for_several(now, next);
    if (!cpu_.read(event, context_.scope)) {
      if (!assumes_processor_) return context_.marking.count_without_field(now);
      return put(now, by_itself(now, next), next, kNoCpu);
    }
    Processors::Processor& processor = state_.processors->of(cpu_.words(), context_.marking);
    put(now, processor, next, static_cast<std::int32_t>(cpu_.words()[0]));
  }

 private:
  void put(const Moment& now, Processors::Processor& processor, std::uint64_t next,
           std::int32_t cpu) {
    const Event& event = *now.event;
    leave(now, processor, next, cpu);
    processor = {.any = true,
                 .task = next,
                 .trace = trace_,
                 .number = now.number,
                 .time = now.time,
                 .stream = now.stream};
    if (state_.idle && idle_(event)) return;
    processor.track = track_.find_task(event, next, next_name_);
    if (!state_.processors->unclear.empty()) [[unlikely]]
      state_.processors->settle(processor.track, context_.marking);
    state_.processors->claim(processor);
    context_.marking.run(processor.track, running_, now, cpu);
  }
  // Whether more than one processor is at work: events say so, or a task is put on the only one
  // while another one runs there, or leaves it and did not run there.
  [[gnu::noinline]] void look_for_several(const Moment& now, std::uint64_t next) {
    RuleMemory::Processor& known = context_.memory.processor(trace_);
    if (known.are_several) return;
    std::uint64_t said = 0;
    if (said_processor_.word(*now.event, context_.scope, said)) {
      if (known.is_said && known.number != said) become_several(now, known);
      known.is_said = true;
      known.number = said;
      return;
    }
    const Words key = {known.number, trace_};
    Processors::Processor& only = state_.processors->of(key.data(), context_.marking);
    if (!only.any) return;
    std::uint64_t previous = only.task;
    if (state_.previous && !previous_.word(*now.event, context_.scope, previous)) return;
    if (previous == only.task && (state_.previous || only.track == kNoTrack || only.task == next))
      return;
    become_several(now, known);
    const Words itself = {~only.task, trace_};
    const Processors::Processor moved = std::exchange(only, {});
    if (moved.track != kNoTrack) state_.processors->of(itself.data(), context_.marking) = moved;
  }
  void become_several(const Moment& now, RuleMemory::Processor& known) {
    known.are_several = true;
    state_.observer->processors_several(known, now);
  }
  // Where a task runs, or ran, that is on no processor that is known.
  [[nodiscard]] Processors::Processor& by_itself(const Moment& now, std::uint64_t next) {
    std::uint64_t task = next;
    if (state_.previous) (void)previous_.word(*now.event, context_.scope, task);
    const Words key = {~task, trace_};
    return state_.processors->of(key.data(), context_.marking);
  }
  void know(const Moment& now, const std::uint64_t* left, std::int32_t cpu) {
    if (state_.observer != nullptr && cpu != kNoCpu)
      state_.observer->processor_known(cpu_.words(), left, now);
  }
  // The track of what leaves a processor and was not known to run there. What the event says
  // counts, but not of an idle task.
  [[nodiscard, gnu::noinline]] TrackId find_left(const Moment& now, bool is_processor_known,
                                                 std::uint64_t previous, NameId state,
                                                 std::int32_t cpu) {
    if (!is_processor_known) know(now, &previous, cpu);
    if (!state_.processors->unclear.empty())
      state_.processors->settle(cpu, trace_, previous, context_.marking);
    if (previous == 0 && state_.idle) return kNoTrack;
    const TrackId track = track_.find_task(*now.event, previous, previous_name_, state);
    context_.marking.note_ran(track, now);
    if (!is_processor_known) ran_before(now, track, cpu);
    return track;
  }
  // The first that leaves a processor ran there since the data stream began.
  void ran_before(const Moment& now, TrackId track, std::int32_t cpu) {
    Marking& marking = context_.marking;
    if (now.stream == nullptr || now.stream->begin == kNoTime || marking.lost_since(0, now.stream))
      return;
    const std::int64_t since = std::max(now.stream->begin, marking.timeline().begin());
    marking.state_since(track, running_, now, since, cpu);
  }
  void leave(const Moment& now, Processors::Processor& processor, std::uint64_t next,
             std::int32_t cpu) {
    std::uint64_t previous = processor.task;
    TrackId track = processor.any ? processor.track : kNoTrack;
    NameId state = kNoName;
    if (state_.previous) {
      if (!previous_.word(*now.event, context_.scope, previous)) return;
      if (!processor.any || processor.task != previous) {
        if (processor.any && cpu != kNoCpu) {
          // What was put there left, which is not recorded, as of threads that are not traced.
          context_.marking.miss_switch(now, processor.time);
          processor = {};
        }
        state = state_of(now, processor, previous);
        track = find_left(now, processor.any, previous, state, cpu);
      }
    } else if (!processor.any) {
      know(now, nullptr, cpu);
    }
    if (track == kNoTrack || previous == next) return;
    if (state == kNoName) state = state_of(now, processor, previous);
    state_.processors->set_pending(previous, trace_, kNoName, context_.marking);
    track_.put_state(track, previous, state, now, cpu, 0);
  }
  // What a task does that leaves a processor.
  [[nodiscard]] NameId state_of(const Moment& now, const Processors::Processor& processor,
                                std::uint64_t task) {
    const NameId pending = processor.task == task ? processor.pending : kNoName;
    if (state_.unclear.empty()) return pending != kNoName ? pending : previous_state_(*now.event);
    const NameId state = previous_state_(*now.event);
    if (!state_.unclear.matches(state, context_.marking.timeline())) return state;
    if (const NameId lasting = state_.processors->take_lasting(task, trace_); lasting != kNoName)
      return lasting;
    return pending != kNoName ? pending : state;
  }

  RuleContext& context_;
  ScheduleState& state_;
  BoundTrack track_;
  BoundWhen when_;
  BoundWhen idle_;
  BoundKey cpu_;
  BoundValue next_;
  BoundValue previous_;
  BoundTemplate next_name_;
  BoundTemplate previous_name_;
  NameMaker previous_state_;
  NameId running_;
  std::uint64_t trace_;
  bool assumes_processor_;
  BoundValue said_processor_;
};

struct PendingState {
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::vector<RuleValue> cpu = {};
  std::optional<RuleValue> task = {};
  RuleTemplate state = {};
  bool is_none = false;  // what was pending is not
  bool is_lasting = false;
  Processors* processors = nullptr;
};

class MarkPending final : public Action {
 public:
  MarkPending(const PendingState& state, const EventClass& event_class, RuleContext& context,
              std::uint64_t trace)
      : context_(context),
        processors_(*state.processors),
        when_(state.when, event_class, context),
        cpu_(state.cpu, event_class, trace),
        any_task_(!state.task.has_value()),
        state_(state.state, "", event_class, context),
        trace_(trace),
        is_none_(state.is_none),
        is_lasting_(state.is_lasting) {
    if (state.task) task_ = BoundValue(*state.task, event_class);
  }

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    if (any_task_ && !cpu_.read(*now.event, context_.scope)) return;
    const NameId state = is_none_ ? kNoName : state_(*now.event);
    std::uint64_t task = 0;
    if (any_task_) {
      const Processors::Processor& processor = processors_.of(cpu_.words(), context_.marking);
      if (!processor.any) return;
      task = processor.task;
    } else if (!task_.word(*now.event, context_.scope, task)) {
      return;
    }
    if (is_lasting_) return processors_.set_lasting(task, trace_, state);
    processors_.set_pending(task, trace_, state, context_.marking);
  }

 private:
  RuleContext& context_;
  Processors& processors_;
  BoundWhen when_;
  BoundKey cpu_;
  bool any_task_;
  BoundValue task_;
  NameMaker state_;
  std::uint64_t trace_;
  bool is_none_;
  bool is_lasting_;
};

}  // namespace tracedeck::timeline
