// Rules about instants, counters and states.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/timeline/schedule_rules.hpp"

namespace tracedeck::timeline {

// A number of each track.
class TrackNumbers {
 public:
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

  explicit TrackNumbers(std::int64_t first) : first_(first) {}

  [[nodiscard]] std::int64_t& operator[](TrackId track) {
    if (!has(track)) {
      room_.resize(std::bit_ceil(std::size_t{track} + 1), first_);
      numbers_ = room_;
    }
    return numbers_[track];
  }
  // Null if there is none yet.
  [[nodiscard, gnu::always_inline]] std::int64_t* find(TrackId track) {
    return has(track) ? numbers_.data() + track : nullptr;
  }

 private:
  [[nodiscard]] bool has(TrackId track) const { return track < numbers_.size(); }

  std::int64_t first_;
  std::vector<std::int64_t> room_;
  std::span<std::int64_t> numbers_;  // the same, by TrackId
};

// Which thread tracks are of now: what `TrackRule::tid` of states on them said last.
struct TrackThreads {
  static constexpr std::int64_t kAnother = TrackNumbers::kUnknown + 1;  // than any that is known

  TrackNumbers of{TrackNumbers::kUnknown};  // by the track of states
  TrackNumbers states{kNoTrack};            // by its parent: the track of states
  // By the track of states: 1 while something goes on there that another thread began.
  TrackNumbers shared{0};
  // By the origin of the track and the thread: of what a thread did that no track was of.
  std::map<std::pair<OriginId, std::int64_t>, TrackId> others;

  // The track of a thread, as in `others`.
  [[nodiscard]] TrackId other(Marking& marking, OriginId origin, std::uint32_t rank,
                              std::int64_t thread) {
    TrackId& known = others[{origin, thread}];
    if (known != kNoTrack) return known;
    return known = marking.add_track({.kind = TrackKind::kThread,
                                      .name = fmt::format("thread {}", thread),
                                      .group = "thread",
                                      .rank = rank,
                                      .tid = thread,
                                      .origin = origin});
  }
  // kNoTrack: there is none, or nothing said its thread.
  [[nodiscard]] TrackId states_of(TrackId parent) {
    const std::int64_t* const track = states.find(parent);
    return track == nullptr ? kNoTrack : static_cast<TrackId>(*track);
  }
  void share(TrackId parent, bool any) {
    const TrackId track = states_of(parent);
    if (track != kNoTrack) shared[track] = any ? 1 : 0;
  }
  // kUnknown: nothing says so. kAnother too where what happens is not of all that goes on.
  [[nodiscard]] std::int64_t of_parent(TrackId parent) {
    const TrackId track = states_of(parent);
    if (track == kNoTrack) return TrackNumbers::kUnknown;
    return shared[track] == 0 ? of[track] : kAnother;
  }
};

struct InstantState {
  const InstantRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> tid = {};
  RuleTemplate name = {};
  TrackSpace* track = nullptr;
};

struct CounterState {
  const CounterRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  RuleValue value = {};
  TrackSpace* track = nullptr;
};

struct FieldsState {
  const FieldsRule* rule = nullptr;
  ClassMatcher event = {};
};

struct StateState {
  const StateRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> spent = {};
  std::optional<RuleValue> cpu = {};
  RuleTemplate name = {};
  ClassMatcher not_behind = {};
  ClassMatcher not_before = {};
  TrackSpace* track = nullptr;

  [[nodiscard]] bool may_be_repeated() const { return !not_behind.empty() || !not_before.empty(); }
};

// A number of an event that has it at a fixed place, mostly.
class EventNumber {
 public:
  EventNumber(const std::optional<RuleValue>& value, const EventClass& event_class) {
    if (!value) return;
    value_ = BoundValue(*value, event_class);
    word_ = DirectWord(value_);
  }

  [[nodiscard]] bool possible() const { return value_.possible(); }
  [[nodiscard]] bool is_direct() const { return word_.possible(); }
  // As `DirectWord::read_usual`, and false of what is no positive number.
  [[nodiscard, gnu::always_inline]] bool read_usual(const Event& event, std::int64_t& into) const {
    std::uint64_t bits = 0;
    if (!word_.read_usual(event, bits)) return false;
    into = static_cast<std::int64_t>(bits);
    return into >= 0;
  }
  [[nodiscard]] bool read(const Event& event, RuleContext& context, std::int64_t& into) {
    if (std::uint64_t bits = 0; word_.possible() && word_.read(event, bits)) {
      into = static_cast<std::int64_t>(bits);
      if (into >= 0) return true;
    }
    const query::Value value = value_.read(event, context.scope);
    const auto number =
        value.kind == query::Value::Kind::kInteger ? value.integer.to_signed() : std::nullopt;
    into = number.value_or(0);
    return number.has_value();
  }

 private:
  BoundValue value_;
  DirectWord word_;
};

class MarkInstant final : public Action {
 public:
  MarkInstant(const InstantRule& rule, const RuleTemplate& name,
              const std::optional<RuleValue>& when, BoundTrack track, const EventClass& event_class,
              RuleContext& context, const Arguments* arguments, TrackThreads& threads,
              const std::optional<RuleValue>& tid)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        name_(name, rule.category, event_class, context),
        arguments_(arguments),
        threads_(threads),
        tid_(tid, event_class) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = thread_track(track_.find(*now.event), *now.event);
    if (track != kNoTrack) context_.marking.instant(track, name_(*now.event), now, arguments_);
  }

 private:
  // The track, or that of the event's thread where the track is of another one by now.
  [[nodiscard]] TrackId thread_track(TrackId track, const Event& event) {
    if (track == kNoTrack || !tid_.possible()) return track;
    const std::int64_t thread = threads_.of_parent(track);
    std::int64_t own = 0;
    if (thread == TrackNumbers::kUnknown || !tid_.read(event, context_, own) || own == thread)
      return track;
    const Track& like = context_.marking.timeline().track(track);
    return threads_.other(context_.marking, like.origin, like.rank, own);
  }

  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  const Arguments* arguments_;
  TrackThreads& threads_;
  EventNumber tid_;
};

class MarkCounter final : public Action {
 public:
  MarkCounter(bool sum, const RuleValue& value, const std::optional<RuleValue>& when,
              BoundTrack track, const EventClass& event_class, RuleContext& context,
              TrackNumbers& sums)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        value_(value, event_class),
        sums_(sum ? &sums : nullptr) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack) return;
    if (std::int64_t number = 0; value_.plain_integer(*now.event, number)) [[likely]]
      return mark(track, now, number);
    const query::Value value = value_.read(*now.event, context_.scope);
    if (value.kind == query::Value::Kind::kReal)
      return context_.marking.counter(track, now, value.real);
    if (value.kind != query::Value::Kind::kInteger) return;
    const auto number = value.integer.to_signed();
    if (!number) return context_.marking.counter(track, now, value.integer.to_real());
    mark(track, now, *number);
  }

 private:
  void mark(TrackId track, const Moment& now, std::int64_t number) {
    if (sums_ != nullptr) {
      std::int64_t& of_track = (*sums_)[track];
      if (__builtin_add_overflow(of_track, number, &of_track))
        of_track = number < 0 ? std::numeric_limits<std::int64_t>::min()
                              : std::numeric_limits<std::int64_t>::max();
      number = of_track;
    }
    context_.marking.counter(track, now, number);
  }

  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  BoundValue value_;
  TrackNumbers* sums_;
};

class MarkState final : public Action {
 public:
  MarkState(const StateState& state, BoundTrack track, const EventClass& event_class,
            RuleContext& context, TrackNumbers& before, TrackThreads& threads)
      : context_(context),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        name_(state.name, "", event_class, context),
        is_unknown_(state.rule->name.empty()),
        unless_(state.rule->unless.empty() ? kNoName
                                           : context.marking.add_name("", state.rule->unless)),
        within_(state.rule->within.empty() ? kNoName
                                           : context.marking.add_name("", state.rule->within)),
        cpu_(state.cpu, event_class),
        spent_(state.spent, event_class),
        tid_(state.track == nullptr ? std::nullopt : state.track->tid, event_class),
        before_(before),
        threads_(threads),
        processors_(state.track->processors),
        says_what_leaves_(state.track->says_what_leaves),
        may_be_repeated_(state.may_be_repeated()),
        is_made_(state.rule->made) {}

  [[nodiscard]] Run usual_run(bool counts) const override {
    const bool is_plain =
        !when_.any() && track_.is_direct() && !is_unknown_ && !track_.may_end() &&
        within_ == kNoName && !cpu_.possible() && spent_.possible() == spent_.is_direct() &&
        (!tid_.possible() || (tid_.is_direct() && spent_.is_direct())) && name_.is_direct();
    if (!is_plain) return Action::usual_run(counts);
    return name_.is_fixed() ? usual_run_named<true>(counts) : usual_run_named<false>(counts);
  }
  // Not the first on its track, nor of another thread. `kFixedName`: the name is fixed;
  // `kSpends`: `spent_` is direct; `kOfThreads`: threads are told apart.
  template <bool kCounts, bool kFixedName, bool kSpends, bool kOfThreads>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    const Event& event = *now.event;
    std::uint64_t word = 0;
    if (!track_.word().read_usual(event, word)) return run(now);
    const TrackId track = track_.find_near(word);
    if (track == kNoTrack) return run(now);
    std::int64_t* const so_far = kSpends ? before_.find(track) : nullptr;
    if ((kSpends && so_far == nullptr) || !marking_.is_usual(track, now)) return run(now);
    const NameId before = marking_.known_state(track);
    NameId name = kNoName;
    if (before == kNoName || !name_.find_usual<kFixedName>(event, name)) return run(now);
    if (before == unless_) return;
    std::int64_t spent = 0;
    if constexpr (kSpends) {
      std::int64_t number = 0;
      if constexpr (kOfThreads) {
        const std::int64_t* const thread = threads_.of.find(track);
        if (thread == nullptr || !tid_.read_usual(event, number) || number != *thread)
          return run(now);
      }
      // Less what is unknown it is too much.
      static_assert(TrackNumbers::kUnknown == std::numeric_limits<std::int64_t>::min());
      if (!spent_.read_usual(event, number) || __builtin_sub_overflow(number, *so_far, &spent))
        return run(now);
      *so_far = number;
    }
    marking_.state_usual(track, name, now, spent);
  }
  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track != kNoTrack) mark(track, now);
  }

 private:
  template <bool kFixedName>
  [[nodiscard]] Run usual_run_named(bool counts) const {
    if (!spent_.is_direct()) return usual_run_of<MarkState, kFixedName, false, false>(counts);
    return tid_.possible() ? usual_run_of<MarkState, kFixedName, true, true>(counts)
                           : usual_run_of<MarkState, kFixedName, true, false>(counts);
  }
  void mark(TrackId track, const Moment& now) {
    const bool is_other = marking_.is_other(track);
    NameId before =
        is_other ? marking_.other_state(now, false) : marking_.state_of(track, now.time);
    if (before == kNoName && is_made_ && !is_other) [[unlikely]]
      track = without_earlier(track, *now.event);
    if (before == kNoName && processors_ != nullptr && !is_other) [[unlikely]] {
      if (is_unclear(track, now)) return;
      before = marking_.state_of(track, now.time);
    }
    if (unless_ != kNoName && before == unless_) return;
    if (within_ != kNoName && before != within_) return;
    const NameId name = is_unknown_ ? kNoName : name_(*now.event);
    const bool is_same_thread = is_of_thread_before(track, *now.event);
    std::int64_t spent = 0;
    std::int64_t number = 0;
    if (spent_.possible() && spent_.read(*now.event, context_, number)) {
      std::int64_t& so_far = before_[track];
      if (so_far != TrackNumbers::kUnknown && before != kNoName && is_same_thread)
        (void)__builtin_sub_overflow(number, so_far, &spent);
      else if (before == name)  // it begins anew, as what it took so far is not known
        context_.marking.state(track, kNoName, now, kNoCpu, 0);
      so_far = number;
    }
    std::int64_t cpu = kNoCpu;
    if (cpu_.possible() && cpu_.read(*now.event, context_, number) && number >= 0 &&
        number <= std::numeric_limits<std::int32_t>::max())
      cpu = number;
    const auto on = static_cast<std::int32_t>(cpu);
    if (std::uint64_t task = 0; track_.may_end() && track_.read_word(*now.event, task))
      return track_.put_state(track, task, name, now, on, spent);
    context_.marking.state(track, name, now, on, spent);
  }
  // The track of a task that was just made, where the end of an earlier one was lost.
  [[nodiscard, gnu::noinline, gnu::cold]] TrackId without_earlier(TrackId track,
                                                                  const Event& event) {
    std::uint64_t task = 0;
    if (!marking_.had_state(track) || !track_.read_word(event, task)) return track;
    track_.forget_task(track, task);
    return track_.find(event);
  }
  // Whether what the event says of a task of which nothing is known may be nothing new.
  [[nodiscard, gnu::noinline, gnu::cold]] bool is_unclear(TrackId track, const Moment& now) {
    using Kind = Processors::Unclear::Kind;
    const Processors::Unclear* const known = processors_->find_unclear(track);
    const bool is_repeated =
        known != nullptr && known->kind == Kind::kWillRepeat && now.number == known->number + 1;
    // What says so may be what was lost last.
    if (may_be_repeated_ &&
        (is_repeated || context_.marking.lost_in_trace(now.number - 1, now.stream))) {
      processors_->forget_unclear(track);
      context_.marking.note_ran(track, now);
      return true;
    }
    // Where a task is moved from and to it does not run.
    if (known != nullptr && (within_ != kNoName || known->kind != Kind::kMayRun)) {
      processors_->settle(track, context_.marking);
      if (context_.marking.state_of(track, now.time) != kNoName) return false;
    }
    Processors::Unclear said = {.trace = trace_of(*now.event->event_class),
                                .track = track,
                                .time = now.time,
                                .number = now.number,
                                .stream = now.stream};
    if (unless_ == kNoName || is_unknown_ || !track_.read_word(*now.event, said.task)) return false;
    if (may_be_repeated_) {
      said.kind = Kind::kMayRepeat;
    } else if (!may_run(now, said)) {
      return false;
    }
    said.state = name_(*now.event);
    if (!processors_->note_unclear(said)) ++context_.marking.timeline().mutable_counts().not_held;
    return true;
  }
  // Whether nothing is known of the processor that the event is about, where it would run.
  [[nodiscard]] bool may_run(const Moment& now, Processors::Unclear& said) {
    std::int64_t cpu = 0;
    if (!says_what_leaves_ || !cpu_.possible() || !cpu_.read(*now.event, context_, cpu) ||
        cpu < 0 || cpu > std::numeric_limits<std::int32_t>::max())
      return false;
    said.cpu = static_cast<std::int32_t>(cpu);
    const Words key = {static_cast<std::uint64_t>(cpu), said.trace};
    return !processors_->knows(key.data(), context_.marking);
  }
  // From now on it is of the event's thread.
  [[nodiscard]] bool is_of_thread_before(TrackId track, const Event& event) {
    if (!tid_.possible()) return true;
    std::int64_t now = 0;
    if (!tid_.read(event, context_, now)) now = TrackNumbers::kUnknown;
    threads_.states[context_.marking.timeline().track(track).parent] = track;
    return std::exchange(threads_.of[track], now) == now && now != TrackNumbers::kUnknown;
  }

  RuleContext& context_;
  Marking& marking_ = context_.marking;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  bool is_unknown_;
  NameId unless_;
  NameId within_;
  EventNumber cpu_;
  EventNumber spent_;
  EventNumber tid_;
  TrackNumbers& before_;
  TrackThreads& threads_;
  Processors* processors_;  // null: no task that runs
  bool says_what_leaves_;
  bool may_be_repeated_;
  bool is_made_;
};

// An event beside which one of a state rule says nothing new.
class DenyState final : public Action {
 public:
  // `is_behind`: the other one comes behind it.
  DenyState(BoundTrack track, Processors& processors, RuleContext& context, bool is_behind)
      : context_(context),
        track_(std::move(track)),
        processors_(processors),
        is_behind_(is_behind) {}

  void run(const Moment& now) override {
    using Unclear = Processors::Unclear;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack || context_.marking.state_of(track, now.time) != kNoName) return;
    if (is_behind_) {
      processors_.settle(track, context_.marking);
      if (context_.marking.state_of(track, now.time) != kNoName) return;
      if (!processors_.note_unclear(
              {.kind = Unclear::Kind::kWillRepeat, .track = track, .number = now.number}))
        ++context_.marking.timeline().mutable_counts().not_held;
      return;
    }
    const Unclear* const known = processors_.find_unclear(track);
    if (known == nullptr || known->kind != Unclear::Kind::kMayRepeat ||
        now.number != known->number + 1)
      return;
    processors_.forget_unclear(track);
    context_.marking.note_ran(track, now);
  }

 private:
  RuleContext& context_;
  BoundTrack track_;
  Processors& processors_;
  bool is_behind_;
};

}  // namespace tracedeck::timeline
