// Rules about what one event asks for and another serves.
#pragma once

#include <map>
#include <utility>

#include "tracedeck/timeline/slice_rules.hpp"

namespace tracedeck::timeline {

// Requests that are remembered.
inline constexpr std::size_t kMostRequests = std::size_t{1} << 16U;
// Of one key, beside the first.
inline constexpr std::size_t kMostOthers = 16;

// Those that wait to be served, by key.
class WaitState final : public SliceObserver, public ServedSlices {
 public:
  WaitState(const WaitRule& of, RuleContext& context)
      : rule(&of), entries(of.match.size() + 1), context_(context) {}

  struct alignas(64) Entry {
    std::int64_t requested = 0;
    std::uint64_t number = 0;             // of the event
    const StreamState* stream = nullptr;  // in which it was asked for
    std::int64_t asked = 0;               // when, also if it waits since later on
    std::uint64_t asker = 0;              // the key of the track on which it was asked for
    bool pending = false;
    bool awaited = false;      // it is waited for still if nobody serves it
    bool asker_known = false;  // `asker` is known
    bool gone = false;         // cancelled, and not served since
    bool refused = false;      // a preferred event came when nothing was to be waited for
    bool is_deferred = false;  // another one came, `number`, and whether that counts is not known
    bool is_doubtful = false;  // whether who waits ran when it was asked for was not known
    Check check = {};          // of what was asked for
    NameId over = kNoName;
    NameId name = kNoName;  // of what was asked for last, if anything was
    OriginId origin = 0;
    TrackId state = kNoTrack;      // of who waits
    TrackId served_on = kNoTrack;  // where it was served, if that is found by the key
    std::uint32_t serving = 0;     // slices that serve it
    OpenId served_by = 0;          // the last of them
    std::uint32_t generation = 0;  // changes when nobody waits any more
    OtherStates::Id other = {};    // of `state`, where that is of many
  };

  // Null: a part of the key is unknown, or there is no room for more of them. `is_there`: the event
  // says that who waits was there before.
  [[nodiscard]] Entry* entry(BoundKey& key, const Event& event, bool is_there = false) {
    const std::uint32_t known = key.find(event, context_.scope, entries);
    if (known == 0) [[unlikely]]
      return new_entry(key.words(), is_there);
    return known == BoundKey::kUnknown ? nullptr : &slab[known - 1];
  }
  [[nodiscard, gnu::noinline, gnu::cold]] Entry* new_entry(const std::uint64_t* key,
                                                           bool is_there) {
    if (is_there && !born.empty()) during->older.insert(key[rule->match.size()]);
    if (unused.empty() && slab.size() >= kMostRequests) {
      forget_idle();
      if (unused.empty() && states == nullptr) forget_older_half();
    }
    if (unused.empty() && slab.size() >= kMostRequests) {
      ++context_.marking.timeline().mutable_counts().not_held;
      return nullptr;
    }
    if (unused.empty()) {
      slab.emplace_back();
      unused.push_back(static_cast<std::uint32_t>(slab.size()));
    }
    const std::uint32_t number = unused.back();
    unused.pop_back();
    entries.place(key) = number;
    Entry& fresh = slab[number - 1];
    fresh = {.generation = fresh.generation};
    return &fresh;
  }
  // Who waited is gone: what is asked of it from now on, nobody waits for.
  void cancel(Entry& entry) {
    others.erase(number_of(entry));
    ++entry.generation;
    entry.serving = 0;
    entry.pending = false;
    entry.gone = true;
  }

  // Where a clock steps back nobody waits for anything from here on; where a trace ends, nobody who
  // asked in it.
  void end_section(const SectionEnd& ended, const Moment& end) {
    const bool is_step = ended.why == SectionEnd::Why::kClockStep;
    const auto is_over = [&](const Entry& entry) {
      return is_step || ended.has_stream(entry.stream);
    };
    put_open(end, is_step ? kClockStep : kOpenAtEnd, is_over);
    entries.keep_if([&](std::uint32_t number) {
      if (!is_over(slab[number - 1])) return true;
      forget(number);
      return false;
    });
  }

  // No more events come.
  void finish(const Moment& end) {
    put_open(end, kOpenAtEnd, [](const Entry&) { return true; });
  }

  // What nobody served is waited for still. Where there are states of who waits, they say so at the
  // end.
  template <class IsOver>
  void put_open(const Moment& end, std::uint16_t why, const IsOver& is_over) {
    if (states != nullptr && why == kOpenAtEnd) return;
    std::vector<const Entry*> open;
    const auto look_at = [&](const Entry& entry) {
      const bool ran = entry.is_doubtful && context_.marking.ran_since(entry.state, entry.number);
      if (entry.pending && entry.awaited && !ran && is_over(entry)) open.push_back(&entry);
    };
    entries.for_each([&](std::uint32_t number) {
      look_at(slab[number - 1]);
      const auto found = others.find(number);
      if (found != others.end()) std::ranges::for_each(found->second, look_at);
    });
    if (open.empty()) return;
    std::ranges::sort(open, {}, &Entry::number);
    std::map<std::pair<NameId, OriginId>, TrackId> tracks;
    const Timeline& timeline = context_.marking.timeline();
    for (const Entry* const each : open) {
      TrackId& on = tracks[{each->name, each->origin}];
      if (on == kNoTrack)
        on = context_.marking.add_track({.kind = TrackKind::kLanes,
                                         .name = timeline.name(each->name).label(),
                                         .group = "waits",
                                         .rank = track == nullptr ? 0 : track->rank,
                                         .origin = each->origin});
      const bool lost = context_.marking.lost_in_trace(each->number, each->stream);
      Moment then = end;
      then.time = std::min(end.time, timeline.end_of(on));
      context_.marking.wait(on, each->name, then, each->requested, nullptr,
                            static_cast<std::uint16_t>(why | (lost ? kAcrossLoss : 0)));
    }
  }

  // Whether who waits is put in states when it is served, or after that.
  [[nodiscard]] bool changes_states() const {
    return states != nullptr && (!rule->served.empty() || during != nullptr);
  }
  [[nodiscard]] std::uint32_t number_of(const Entry& entry) const {
    return static_cast<std::uint32_t>(&entry - slab.data() + 1);
  }

  [[nodiscard]] OpenId served_by(const std::uint64_t* key) override {
    const std::uint32_t number = entries.find(key);
    if (number == 0 || slab[number - 1].serving == 0) return 0;
    Marking& marking = context_.marking;
    const OpenId by = slab[number - 1].served_by;
    const bool is_sure = is_served_by(slab[number - 1], by) && !marking.may_have_ended(by) &&
                         !marking.is_mixed(by) && !marking.has_doubtful_end(by);
    return is_sure ? by : 0;
  }
  void slice_ended(const SliceDetails& slice, const Moment& now) override {
    Entry& entry = slab[slice.observed - 1];
    if (entry.generation != slice.observed_since || --entry.serving != 0) return;
    if (!entry.pending) return put(entry, entry.over, now);
    Moment since = now;
    if (entry.requested > now.time) {
      // It was asked for behind an end that was doubtful until now.
      put(entry, entry.over, now);
      since.time = entry.requested;
    }
    entry.requested = since.time;
    put(entry, asked, since);
  }
  void slice_unclear(const SliceDetails& slice, const Moment& now) override {
    Entry& entry = slab[slice.observed - 1];
    if (entry.generation != slice.observed_since) return;
    if (entry.state != kNoTrack) put_on(entry, kNoName, now);
    cancel(entry);
  }
  void slice_doubtful(const SliceDetails& slice, const Moment& now) override {
    const Entry& entry = slab[slice.observed - 1];
    if (entry.generation == slice.observed_since && entry.state != kNoTrack)
      put_on(entry, kNoName, now);
  }
  // Whether it is served by a slice with a doubtful end.
  [[nodiscard]] bool is_in_doubt(const Entry& entry) const {
    return entry.serving != 0 && is_served_by(entry, entry.served_by) &&
           context_.marking.has_doubtful_end(entry.served_by);
  }
  // It is served anew: the slice that served it ended, and when is not known.
  static void end_doubt(Entry& entry) {
    ++entry.generation;
    entry.serving = 0;
  }
  [[gnu::always_inline]] void put(const Entry& entry, NameId state, const Moment& now) {
    if (entry.state == kNoTrack || state == kNoName) return;
    put_on(entry, state, now);
  }

  const WaitRule* rule;
  ClassMatcher from = {};
  ClassMatcher to = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> to_when = {};
  std::optional<RuleValue> awaited = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
  std::optional<RuleValue> check_a = {};
  std::optional<RuleValue> check_b = {};
  TrackSpace* track = nullptr;
  SliceState* during = nullptr;
  RuleTemplate name = {};
  TrackSpace* states = nullptr;
  TrackSpace* flow_track = nullptr;  // null: no flows
  std::optional<RuleValue> flow_key = {};
  std::int64_t flow_minimum = 0;
  RuleTemplate served = {};
  NameId asked = kNoName;
  RuleTemplate over = {};
  RuleTemplate unasked = {};
  std::vector<NameId> unless = {};
  ClassMatcher cancels = {};
  ClassMatcher born = {};
  ClassMatcher preferred = {};
  ClassMatcher beside = {};
  // Whether events of preferred classes are there, of a trace.
  struct Preferred {
    bool is_described = false;
    bool came = false;
    bool is_missing = false;  // none came where one must have, if they were recorded

    [[nodiscard]] bool count_alone() const { return came || (is_described && !is_missing); }
  };
  std::unordered_map<std::uint64_t, Preferred> preferred_of = {};  // by trace
  KeyTable entries;
  std::vector<Entry> slab;
  std::vector<std::uint32_t> unused;
  // What else is waited for under the key of an entry and differs by its check; by its number.
  std::unordered_map<std::uint32_t, std::vector<Entry>> others = {};

  // Something else is asked for while `entry` waits.
  [[gnu::noinline, gnu::cold]] Entry* another(Entry& entry, const Check& check) {
    std::vector<Entry>& known = others[number_of(entry)];
    const bool is_known =
        std::ranges::any_of(known, [&](const Entry& each) { return !each.check.differs(check); });
    if (is_known) return nullptr;
    if (known.size() == kMostOthers) {
      ++context_.marking.timeline().mutable_counts().not_held;
      return nullptr;
    }
    return &known.emplace_back();
  }
  // Which of those that wait is served, in the place of `entry`. False: none of them is.
  [[gnu::noinline, gnu::cold]] bool choose(Entry& entry, const Check& check) {
    if (!entry.check.differs(check)) return true;
    const auto found = others.find(number_of(entry));
    if (found == others.end()) return false;
    const auto meant = std::ranges::find_if(
        found->second, [&](const Entry& each) { return !each.check.differs(check); });
    if (meant == found->second.end()) return false;
    std::swap(entry, *meant);
    return true;
  }
  // What waits in the place of `entry`, which was served, if anything does.
  void go_on(Entry& entry) {
    const auto found = others.find(number_of(entry));
    if (found == others.end()) return;
    entry = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) others.erase(found);
  }

 private:
  [[nodiscard]] bool is_served_by(const Entry& entry, OpenId slice) const {
    Marking& marking = context_.marking;
    return marking.open(slice).traits.has_details && marking.details(slice).observer == this &&
           marking.details(slice).observed == number_of(entry);
  }
  [[gnu::noinline]] void put_on(const Entry& entry, NameId state, const Moment& now) {
    Marking& marking = context_.marking;
    if (marking.is_other(entry.state)) marking.other_states().choose(entry.other);
    marking.state(entry.state, state, now, kNoCpu, 0);
  }
  void forget(std::uint32_t number) {
    others.erase(number);
    ++slab[number - 1].generation;
    unused.push_back(number);
  }
  void forget_idle() {
    entries.keep_if([&](std::uint32_t number) {
      const Entry& entry = slab[number - 1];
      if (entry.pending || entry.serving != 0) return true;
      forget(number);
      return false;
    });
  }
  // What was asked for so long ago is not served any more, as messages that nobody takes.
  void forget_older_half() {
    std::vector<std::uint64_t> numbers;
    for (const Entry& entry : slab) numbers.push_back(entry.number);
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    entries.keep_if([&](std::uint32_t number) {
      const Entry& entry = slab[number - 1];
      if (entry.number >= *middle || entry.serving != 0) return true;
      ++context_.marking.timeline().mutable_counts().not_held;
      forget(number);
      return false;
    });
  }

  RuleContext& context_;
};

// The track of the states of who waits.
class WaiterTrack {
 public:
  WaiterTrack(WaitState& state, const EventClass& event_class, RuleContext& context)
      : marking_(context.marking) {
    if (state.states != nullptr) track_.emplace(*state.states, event_class, context);
  }
  [[nodiscard]] explicit operator bool() const { return track_.has_value(); }
  // Its key, `word`, is the first of the rule's.
  void find(WaitState::Entry& entry, const Event& event, std::uint64_t word) {
    entry.state = track_->find_by_word(event, word);
    if (marking_.is_other(entry.state)) entry.other = marking_.other_states().chosen_id();
  }

 private:
  Marking& marking_;
  std::optional<BoundTrack> track_;
};

class RequestWait final : public Action {
 public:
  RequestWait(WaitState& state, const EventClass& event_class, RuleContext& context,
              std::uint64_t trace)
      : context_(context),
        state_(state),
        when_(state.when, event_class, context),
        awaited_(state.awaited, event_class, context),
        key_(state.key_a, event_class, trace),
        check_(state.check_a, event_class),
        near_(state.entries.near_of(trace)),
        name_(state.name, state.rule->category, event_class, context, true),
        origin_(context.origins.of(event_class).trace),
        waiter_(state, event_class, context),
        is_last_(state.rule->last),
        is_preferred_(state.preferred.matches(timeline::name_of(event_class))) {
    if (!state.preferred.empty() && !state.beside.matches(timeline::name_of(event_class))) {
      preferred_ = &state.preferred_of[trace];
      preferred_->is_described = preferred_->is_described || is_preferred_described(event_class);
    }
    if (state.flow_key) asker_ = BoundValue(*state.flow_key, event_class);
  }

  [[nodiscard]] Run usual_run(bool counts) const override {
    const bool is_plain = !when_.any() && !awaited_.any() && key_.is_direct() && !waiter_ &&
                          !asker_.possible() && preferred_ == nullptr && !check_ &&
                          name_.is_direct();
    if (!is_plain) return Action::usual_run(counts);
    return name_.is_fixed() ? usual_run_of<RequestWait, true>(counts)
                            : usual_run_of<RequestWait, false>(counts);
  }
  // Not the first of its key. `kFixedName`: the name is fixed.
  template <bool kCounts, bool kFixedName>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    std::uint64_t word = 0;
    if (!key_.word().read_usual(*now.event, word)) return run(now);
    const std::uint32_t known = near_.find(word);
    if (known == 0) return run(now);
    WaitState::Entry& entry = state_.slab[known - 1];
    if (entry.pending && !is_last_) return;
    if (!name_.find_usual<kFixedName>(*now.event, entry.name)) return run(now);
    put(entry, now, true);
  }
  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    WaitState::Entry* const entry = state_.entry(key_, *now.event, true);
    if (entry == nullptr) return;
    if (entry->gone) return note_asked(*entry, *now.event);
    if (preferred_ != nullptr) {
      preferred_->came = preferred_->came || is_preferred_;
      // Who was woken as it went to sleep waits from the next event on.
      const bool was_refused = std::exchange(entry->refused, false);
      if (preferred_->count_alone() != is_preferred_ && !was_refused &&
          !find_preferred_missing(*entry, now))
        return;
    }
    if (waiter_) waiter_.find(*entry, *now.event, key_.words()[0]);
    if (!state_.unless.empty() && entry->state != kNoTrack) {
      const NameId before = state_before(entry->state, now);
      if (std::ranges::find(state_.unless, before) != state_.unless.end()) {
        entry->refused = is_preferred_;
        return;
      }
      const bool is_doubtful = before == kNoName && !context_.marking.is_other(entry->state);
      if (is_doubtful && entry->pending) {
        if (still_waits(*entry)) return;
        entry->pending = false;
      }
      entry->is_doubtful = is_doubtful;
    }
    if (entry->serving == 0) state_.put(*entry, state_.asked, now);
    if (!request(*entry, now) || !asker_.possible()) return;
    entry->asked = now.time;
    entry->asker_known = asker_.word(*now.event, context_.scope, entry->asker);
  }

 private:
  // Whether events of a preferred class can come in the trace.
  [[nodiscard]] bool is_preferred_described(const EventClass& event_class) const {
    const DataStreamClass* const stream_class = event_class.stream_class;
    return stream_class != nullptr && stream_class->trace != nullptr &&
           std::ranges::any_of(stream_class->trace->event_classes(), [&](const EventClass& each) {
             return state_.preferred.matches(timeline::name_of(each));
           });
  }
  // Each event that is not preferred follows one of the same key that is, if those are recorded:
  // between two of them one must have come.
  [[gnu::noinline, gnu::cold]] bool find_preferred_missing(WaitState::Entry& entry,
                                                           const Moment& now) {
    if (preferred_->came) return false;
    preferred_->is_missing = std::exchange(entry.is_deferred, true) &&
                             !context_.marking.lost_in_trace(entry.number, entry.stream);
    entry.number = now.number;
    entry.stream = now.stream;
    return preferred_->is_missing;
  }
  // Nobody waits for it, but it is known that such is asked for.
  [[gnu::noinline, gnu::cold]] void note_asked(WaitState::Entry& entry, const Event& event) {
    if (entry.name == kNoName) entry.name = name_(event);
  }
  // The state that who waits was in before the event.
  [[nodiscard]] NameId state_before(TrackId track, const Moment& now) const {
    Marking& marking = context_.marking;
    return marking.is_other(track) ? marking.other_state(now, true)
                                   : marking.state_before(track, now);
  }
  // Whether who asked before and is in no known state may wait since then.
  [[nodiscard]] bool still_waits(const WaitState::Entry& entry) const {
    return !context_.marking.lost_in_trace(entry.number, entry.stream) &&
           !(entry.is_doubtful && context_.marking.ran_since(entry.state, entry.number));
  }
  // False: it waits already.
  bool request(WaitState::Entry& entry, const Moment& now) {
    if (check_) return request_checked(entry, now);
    if (entry.pending && !is_last_) return false;
    entry.name = name_(*now.event);
    put(entry, now, awaited_(*now.event));
    return true;
  }
  [[gnu::noinline]] bool request_checked(WaitState::Entry& entry, const Moment& now) {
    const Check check = check_.of(*now.event, context_.scope);
    const bool is_other = entry.pending && entry.check.differs(check);
    if (entry.pending && !is_last_ && !is_other) return false;
    WaitState::Entry* const into = is_other ? state_.another(entry, check) : &entry;
    if (into == nullptr) return false;
    into->check = check;
    into->name = name_(*now.event);
    put(*into, now, awaited_(*now.event));
    return !is_other;
  }
  [[gnu::always_inline]] void put(WaitState::Entry& entry, const Moment& now, bool awaited) const {
    entry.pending = true;
    entry.awaited = awaited;
    entry.origin = origin_;
    entry.number = now.number;
    entry.stream = now.stream;
    entry.requested = now.time;
  }

  RuleContext& context_;
  WaitState& state_;
  BoundWhen when_;
  BoundWhen awaited_;
  BoundKey key_;
  BoundCheck check_;
  const NearKeys& near_;  // of the entries
  NameMaker name_;
  OriginId origin_;
  BoundValue asker_;
  WaiterTrack waiter_;
  bool is_last_;  // of several that ask, the last counts
  bool is_preferred_;
  WaitState::Preferred* preferred_ = nullptr;  // null: no class is preferred
};

class ServeWait final : public Action {
 public:
  ServeWait(WaitState& state, BoundTrack track, const EventClass& event_class, RuleContext& context,
            const Arguments* arguments, std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        when_(state.to_when, event_class, context),
        key_(state.key_b, event_class, trace),
        check_(state.check_b, event_class),
        near_(state.entries.near_of(trace)),
        waiter_(state.changes_states()
                    ? std::optional<WaiterTrack>(std::in_place, state, event_class, context)
                    : std::nullopt),
        served_(state.served, "", event_class, context),
        over_(state.over, "", event_class, context),
        unasked_(state.rule->unasked.empty() ? state.over : state.unasked, "", event_class,
                 context),
        arguments_(arguments) {
    if (state.flow_track != nullptr) asker_.emplace(*state.flow_track, event_class, context);
    is_of_track_ = key_.is_direct() && track_.is_direct() && key_.word() == track_.word();
  }

  [[nodiscard]] Run usual_run(bool counts) const override {
    // Only what has states in which nothing is waited for can be doubtful.
    const bool is_plain = !when_.any() && key_.is_direct() && track_.is_direct() && !waiter_ &&
                          !asker_ && state_.during == nullptr && state_.unless.empty() && !check_;
    if (!is_plain) return Action::usual_run(counts);
    return is_of_track_ ? usual_run_of<ServeWait, true>(counts)
                        : usual_run_of<ServeWait, false>(counts);
  }
  // Not the first of its key. `kIsOfTrack`: `is_of_track_`.
  template <bool kCounts, bool kIsOfTrack>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    const Event& event = *now.event;
    std::uint64_t word = 0;
    if (!key_.word().read_usual(event, word)) return run(now);
    const std::uint32_t known = near_.find(word);
    if (known == 0) return run(now);
    WaitState::Entry& entry = state_.slab[known - 1];
    if (!entry.pending) return;
    TrackId track = entry.served_on;
    if constexpr (!kIsOfTrack) {
      if (!track_.word().read_usual(event, word)) return run(now);
      track = track_.find_near(word);
    }
    if (track == kNoTrack || marking_.lost_since(entry.number)) return run(now);
    if (!marking_.wait_usual<kCounts>(track, entry.name, now, entry.requested, arguments_))
      return run(now);
    entry.pending = false;
  }
  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    WaitState::Entry* const entry = state_.entry(key_, *now.event, true);
    if (entry == nullptr) return;
    if (check_ && entry->pending) return serve_checked(*entry, now);
    const bool was_in_doubt = state_.is_in_doubt(*entry);
    if (entry->pending && !ran_all_along(*entry)) {
      const TrackId track = track_.find(*now.event);
      if (track != kNoTrack) serve(*entry, track, now, was_in_doubt ? kInferredEnd : 0);
      if (is_of_track_) entry->served_on = track;
    }
    if (was_in_doubt) WaitState::end_doubt(*entry);
    entry->pending = false;
    entry->gone = false;
    if (waiter_) waiter_->find(*entry, *now.event, key_.words()[0]);
    if (waiter_ && !state_.rule->served.empty()) state_.put(*entry, served_(*now.event), now);
    if (state_.during == nullptr || state_.during->last == 0 ||
        marking_.open(state_.during->last).number != now.number)
      return;
    ++entry->serving;
    entry->served_by = state_.during->last;
    if (!state_.rule->over.empty())
      entry->over = (entry->name == kNoName ? unasked_ : over_)(*now.event);
    SliceDetails& slice = context_.marking.add_details(state_.during->last);
    slice.observer = &state_;
    slice.observed = state_.number_of(*entry);
    slice.observed_since = entry->generation;
  }

 private:
  // Where an event does not say which of several it serves, none of them has a known end.
  [[gnu::noinline]] void serve_checked(WaitState::Entry& entry, const Moment& now) {
    const Check check = check_.of(*now.event, context_.scope);
    if (!state_.choose(entry, check)) return;
    const TrackId track = track_.find(*now.event);
    const bool is_clear = check.is_known || !state_.others.contains(state_.number_of(entry));
    if (track != kNoTrack && is_clear) serve(entry, track, now, 0);
    do {
      if (track != kNoTrack && !is_clear)
        context_.marking.wait(track, entry.name, now, entry.requested, arguments_, kInferredEnd);
      entry.pending = false;
      state_.go_on(entry);
    } while (!is_clear && entry.pending);
  }
  // Whether who was asked for ran then, as is known by now: it did not wait.
  [[nodiscard]] bool ran_all_along(const WaitState::Entry& entry) const {
    return entry.is_doubtful && context_.marking.ran_since(entry.state, entry.number);
  }
  // `flags` of the wait.
  void serve(const WaitState::Entry& entry, TrackId track, const Moment& now, std::uint16_t flags) {
    if (context_.marking.lost_in_trace(entry.number, entry.stream) ||
        context_.marking.lost_in_trace(entry.number, now.stream))
      flags |= kAcrossLoss;
    context_.marking.wait(track, entry.name, now, entry.requested, arguments_, flags);
    // Who asked may not have been the last one then.
    if (!asker_ || flags != 0 || !entry.asker_known ||
        now.time - entry.requested < state_.flow_minimum)
      return;
    const TrackId from = asker_->find_known(entry.asker);
    if (from != kNoTrack) context_.marking.flow(from, entry.asked, track, now, entry.name);
  }

  RuleContext& context_;
  Marking& marking_ = context_.marking;
  WaitState& state_;
  BoundTrack track_;
  BoundWhen when_;
  BoundKey key_;
  BoundCheck check_;
  const NearKeys& near_;               // of the entries
  std::optional<WaiterTrack> waiter_;  // nothing: its states are not changed
  std::optional<BoundTrack> asker_;
  NameMaker served_;
  NameMaker over_;
  NameMaker unasked_;
  const Arguments* arguments_;
  bool is_of_track_ = false;  // its key is that of the track
};

// Who may wait is made.
class BearWaiter final : public Action {
 public:
  BearWaiter(WaitState& state, const EventClass& event_class, std::uint64_t trace)
      : state_(state), key_(state.key_b, event_class, trace) {}

  // Another one of its number may have ended before.
  void run(const Moment& now) override {
    WaitState::Entry* const entry = state_.entry(key_, *now.event);
    if (entry == nullptr || !entry->gone) return;
    entry->gone = false;
    entry->name = kNoName;
  }

 private:
  WaitState& state_;
  BoundKey key_;
};

class CancelWait final : public Action {
 public:
  CancelWait(WaitState& state, const EventClass& event_class, std::uint64_t trace)
      : state_(state), key_(state.key_b, event_class, trace) {}

  void run(const Moment& now) override {
    WaitState::Entry* const entry = state_.entry(key_, *now.event);
    if (entry != nullptr) state_.cancel(*entry);
  }

 private:
  WaitState& state_;
  BoundKey key_;
};

}  // namespace tracedeck::timeline
