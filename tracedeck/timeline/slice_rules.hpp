// Rules about slices.
#pragma once

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "tracedeck/model/units.hpp"
#include "tracedeck/timeline/point_rules.hpp"
#include "tracedeck/timeline/schedule_rules.hpp"

namespace tracedeck::timeline {

// Keys of slices that are remembered once they ended, beside `NearKeys`; others look as if they
// were new.
inline constexpr std::size_t kMostSeen = std::size_t{1} << 16U;
// Slices of one key that are told apart by their data streams.
inline constexpr std::size_t kMostAtOnce = 64;

struct SliceState;

// Keys of slices that began before it was known what runs on their processor.
struct EarlySlices {
  static constexpr std::size_t kMost = std::size_t{1} << 12U;

  struct Key {
    SliceState* state;
    Words words;
    std::uint64_t processor;
    std::uint64_t trace;
  };
  RuleValue processor = {};
  const Processors* processors = nullptr;
  std::vector<Key> keys = {};
};

// Slices by which somebody is served.
class ServedSlices {
 public:
  virtual ~ServedSlices() = default;
  // The one that goes on, by the key of who is served and the trace; 0: there is none, or it is not
  // known.
  [[nodiscard]] virtual OpenId served_by(const std::uint64_t* key) = 0;
};

struct SliceState final : TaskObserver {
  SliceState(const SliceRule& of, Marking& into)
      : rule(&of), marking(into), open(of.match.size() + (of.by_name ? 2 : 1)) {}

  // Keys of slices of which the task is not the whole key are found by the slice.
  [[nodiscard]] bool needs_keys() const { return !rule->ends_with.empty() && open.words() != 2; }
  void know_key(OpenId id, const std::uint64_t* key) {
    if (id >= keys.size()) keys.resize(id + 1);
    keys[id].number = marking.open(id).number;
    std::copy_n(key, open.words(), keys[id].words.begin());
  }
  void task_ended(std::uint64_t task, std::uint64_t trace, const Moment& now) override {
    if (!needs_keys()) {
      const Words key = {task, trace};
      return end_all(key.data(), now);
    }
    const Words of_track = {task, trace};
    const TrackId on =
        track->tracks->words() == 2 ? track->tracks->find(of_track.data()) : kNoTrack;
    if (on == kNoTrack) return;
    for (const OpenId id : marking.open_on(on)) {
      if (id < keys.size() && keys[id].number == marking.open(id).number &&
          keys[id].words[0] == task)
        end_all(keys[id].words.data(), now);
    }
  }
  // What is open of a key ends: what it is of did.
  void end_all(const std::uint64_t* key, const Moment& now) {
    OpenId id = open.find(key);
    if (!is_open(id)) return;
    while (id != 0) {
      const OpenId below = marking.below(id);
      marking.end_gone(id, now);
      id = below;
    }
    open.place(key) = kEnded;
  }

  // The slices of a key that go on keep their order.
  void forget(const SectionEnd& ended) {
    const auto open_from = [&](OpenId id) {
      while (id != 0 && ended.has_slice(id)) id = marking.below(id);
      return id;
    };
    open.change([&](std::uint32_t number) {
      if (!is_open(number)) return number;
      const OpenId top = open_from(number);
      for (OpenId id = top; id != 0; id = marking.below(id))
        marking.put_above(id, open_from(marking.below(id)));
      return top == 0 ? kEnded : top;
    });
  }

  // An end may be of any that is open in that trace, or of none. Returns whether there is one.
  bool doubt_open(OriginId trace, const Moment& now) {
    constexpr std::uint64_t kFew = 1'000'000;
    constexpr std::uint64_t kOfEach = 64;
    if (looked_at > kFew + kOfEach * now.number) return false;
    looked_at += open.size();
    bool any = false;
    open.for_each([&](std::uint32_t number) {
      for (OpenId id = number; is_open(id); id = marking.below(id)) {
        if (marking.timeline().track(marking.open(id).track).origin != trace) return;
        any = true;
        if (marking.open(id).traits.has_details && marking.details(id).may_be_over) return;
        marking.mix(id, now);
        marking.add_details(id).may_be_over = true;
      }
    });
    any_mixed = any_mixed || any;
    return any;
  }

  // Of whom it was seen to be made, what an end without a begin is.
  enum class Birth : std::uint8_t {
    kUnknown,
    kFirstEnd,  // of what another began, as the call that makes a thread: it ends in it too
    kLaterEnd,  // its begin was lost
  };
  [[nodiscard]] Birth birth_of(const std::uint64_t* key) {
    if (rule->born.empty()) return Birth::kUnknown;
    const Words whose = {key[0], key[rule->match.size()]};
    if (births.find(whose.data()) == 0) return Birth::kUnknown;
    std::uint64_t& ends = births.place(whose.data());
    return std::exchange(ends, 2) == 1 ? Birth::kFirstEnd : Birth::kLaterEnd;
  }

  // Which end is whose is not known any more.
  void end_unclear(const Moment& now) {
    open.change([&](std::uint32_t number) {
      if (is_open(number)) end_chain(number, now);
      return kEnded;
    });
  }
  void end_unclear(const Words& key, const Moment& now) {
    const OpenId id = open.find(key.data());
    if (!is_open(id)) return;
    end_chain(id, now);
    open.place(key.data()) = kEnded;
  }

  // Of what is open at `place` and has an end that may be another's: it is its own if the data
  // stream of that end goes on with the key, now, as a thread that lost it would not. Where data
  // streams alternate, each is of a thread, which may have got the key again.
  [[gnu::noinline, gnu::cold]] void settle(std::uint64_t& place, bool begins, const Moment& now) {
    OpenId above = 0;
    for (auto id = static_cast<OpenId>(place); is_open(id);) {
      const OpenId below = marking.below(id);
      if (marking.has_doubtful_end(id)) {
        threads->share(marking.timeline().track(marking.open(id).track).first_lane, false);
        const bool is_own =
            begins && marking.details(id).doubtful_in == now.stream && !now.stream->all->alternate;
        if (marking.settle_end(id, is_own, now)) --perhaps_older;
        if (above == 0)
          place = below == 0 ? kEnded : below;
        else
          marking.put_above(above, below);
      } else {
        above = id;
      }
      id = below;
    }
  }

  // What is open of a key is of that task. False: the task has something open itself.
  bool give_to(const Words& key, std::uint64_t task, const Moment& now) {
    const OpenId id = open.find(key.data());
    Words of_task = key;
    of_task[task_place] = task;
    if (!is_open(id)) return false;
    if (const OpenId before = open.find(of_task.data()); is_open(before)) {
      if (!marking.may_have_ended(before)) return false;
      end_chain(before, now);
    }
    open.place(key.data()) = kEnded;
    open.place(of_task.data()) = id;
    if (needs_keys()) know_key(id, of_task.data());
    return true;
  }

  // What a slice has as its key, as long as it is the one of that event.
  struct Key {
    std::uint64_t number = 0;
    Words words = {};
  };

  const SliceRule* rule;
  Marking& marking;
  ClassMatcher begin = {};
  ClassMatcher end = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> end_when = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
  std::vector<RuleValue> check_a = {};
  std::vector<RuleValue> check_b = {};
  RuleTemplate name = {};
  ClassMatcher born = {};
  std::vector<RuleValue> born_key = {};
  std::optional<RuleValue> inherited = {};
  TrackSpace* track = nullptr;
  KeyTable open;               // by key and trace: the slice that began last
  std::vector<Key> keys = {};  // by OpenId, of what `needs_keys`
  KeyTable births{2};  // by the first of the key and the trace: 1, then 2 from the first end on
  // The slice that was begun last, for what is `during` it; 0: there was no room for it.
  OpenId last = 0;
  bool any_mixed = false;
  // The fields of the payload of events that begin and end such slices, as far as all of a class
  // that came have them, sorted; nothing: none came.
  std::optional<std::vector<std::string>> fields_a = {};
  std::optional<std::vector<std::string>> fields_b = {};
  // Of what is `by_track`, by trace: whether slices of one key were open on several tracks, and
  // whether one ended on another track than it began on.
  struct Tracks {
    bool interleave = false;
    bool wander = false;
  };
  std::unordered_map<std::uint64_t, Tracks> tracks = {};
  std::uint64_t looked_at = 0;  // slices, whenever an end had no begin in its data stream
  // Of what is `by_stream`: traces that began later than what they are of, so that what began
  // before may be open,
  std::unordered_set<std::uint64_t> older = {};
  std::uint64_t perhaps_older = 0;  // and how many slices may have ended, or what is older
  TrackSpace* states = nullptr;     // of `SliceRule::state`,
  NameId begun = kNoName;           // and the state
  TrackNumbers* spent = nullptr;    // what is spent in states, by their tracks
  TrackThreads* threads = nullptr;  // which threads tracks are of
  EarlySlices* early = nullptr;     // of keys that depend on what runs on the event's processor
  RuleValue key_task = {};          // then: that
  std::size_t task_place = 0;       // and which of the key it is
  std::optional<RuleValue> start = {};
  std::optional<RuleValue> duration = {};
  std::optional<RuleValue> who = {};
  ServedSlices* served = nullptr;  // of `SliceRule::during`
  std::optional<RuleValue> thread = {};
  TrackSpace* of_threads = nullptr;  // tracks of which states say the thread
  TrackSpace* elsewhere = nullptr;

  // Whether events need not say the track.
  [[nodiscard]] bool is_placed() const { return who || thread || elsewhere != nullptr; }

 private:
  void end_chain(OpenId id, const Moment& now) {
    while (id != 0) {
      const OpenId next = marking.below(id);
      marking.end_inferred(id, now);
      id = next;
    }
  }
};

// The last words of the key of a slice: the trace, and what its class is called.
struct SliceScope {
  std::uint64_t trace = 0;
  std::optional<std::uint64_t> name = {};  // of rules that go by it
};

// Whether the event has each of these values.
[[nodiscard, gnu::noinline]] inline bool says_all(std::vector<BoundValue>& values,
                                                  const Event& event, RuleContext& context) {
  std::uint64_t word = 0;
  return std::ranges::all_of(
      values, [&](BoundValue& each) { return each.word(event, context.scope, word); });
}

// Where a slice is whose events may not say its track.
class SlicePlace {
 public:
  SlicePlace(SliceState& state, BoundTrack track, std::optional<BoundTrack> elsewhere,
             const EventClass& event_class, RuleContext& context, std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        elsewhere_(std::move(elsewhere)),
        thread_(state.thread, event_class),
        origin_(context.origins.of(event_class).trace),
        trace_(trace) {
    if (state.who) who_ = BoundValue(*state.who, event_class);
  }

  [[nodiscard]] bool possible() const {
    return track_.possible() || thread_.possible() || (elsewhere_ && elsewhere_->possible());
  }
  [[nodiscard]] TrackId find(const Event& event) {
    if (track_.possible()) {
      if (const TrackId said = track_.find(event); said != kNoTrack) return said;
    }
    Marking& marking = context_.marking;
    if (Words key = {0, trace_};
        state_.served != nullptr && who_.word(event, context_.scope, key[0])) {
      if (const OpenId within = state_.served->served_by(key.data()); within != 0)
        return marking.timeline().track(marking.open(within).track).first_lane;
    }
    if (std::int64_t thread = 0; thread_.possible() && thread_.read(event, context_, thread))
      return track_of(thread);
    return elsewhere_ && elsewhere_->possible() ? elsewhere_->find(event) : kNoTrack;
  }

 private:
  [[nodiscard]] TrackId track_of(std::int64_t thread) {
    TrackId found = kNoTrack;
    const Timeline& timeline = context_.marking.timeline();
    if (state_.of_threads != nullptr) {
      state_.of_threads->tracks->for_each([&](TrackId each) {
        if (timeline.track(each).origin == origin_ && state_.threads->of_parent(each) == thread)
          found = each;
      });
    }
    if (found != kNoTrack) return found;
    return state_.threads->other(context_.marking, origin_, state_.track->rank, thread);
  }

  RuleContext& context_;
  SliceState& state_;
  BoundTrack track_;
  std::optional<BoundTrack> elsewhere_;
  BoundValue who_;
  EventNumber thread_;
  OriginId origin_;
  std::uint64_t trace_;
};

class BeginSlice : public Action {
 public:
  BeginSlice(SliceState& state, BoundTrack track, const EventClass& event_class,
             RuleContext& context, const Arguments* arguments, SliceScope scope)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        key_(state.key_a, event_class, scope.trace, scope.name),
        near_(state.open.near_of(scope.trace)),
        check_(bind_all(state.check_a, event_class)),
        name_(state.name, state.rule->category, event_class, context, true),
        arguments_(arguments),
        traits_{.flags = static_cast<std::uint16_t>(state.rule->marked ? kMarked : 0),
                .is_usual = true},
        is_of_track_(key_.is_direct() && track_.is_direct() && key_.word() == track_.word()),
        is_mixing_(state.rule->again == SliceRule::Again::kMix),
        trace_(scope.trace) {
    if (state.states != nullptr) states_.emplace(*state.states, event_class, context);
    if (state.early == nullptr) return;
    processor_ = BoundValue(state.early->processor, event_class);
    task_ = BoundValue(state.key_task, event_class);
  }

  [[nodiscard]] bool possible() const { return track_.possible() && key_.possible(); }

  [[nodiscard]] Run usual_run(bool counts) const override {
    const bool is_plain = !when_.any() && track_.is_direct() && !track_.may_overlap() &&
                          key_.is_direct() && check_.empty() && !state_.rule->end.empty() &&
                          name_.is_direct() && !state_.rule->by_track;
    if (!is_plain) return Action::usual_run(counts);
    return name_.is_fixed() ? usual_run_named<true>(counts) : usual_run_named<false>(counts);
  }
  // A slice of a key that ended before. `kIsOfTrack`: `is_of_track_`; `kFixedName`: the name is
  // fixed.
  template <bool kCounts, bool kIsOfTrack, bool kFixedName>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    const Event& event = *now.event;
    std::uint64_t word = 0;
    if (!key_.word().read_usual(event, word) || !near_.has(word)) return BeginSlice::run(now);
    std::uint64_t& place = near_[word];
    if (place != kEnded) return BeginSlice::run(now);
    if (!kIsOfTrack && !track_.word().read_usual(event, word)) return BeginSlice::run(now);
    const TrackId track = track_.find_near(word);
    if (track == kNoTrack) return BeginSlice::run(now);
    NameId name = kNoName;
    if (!name_.find_usual<kFixedName>(event, name)) return BeginSlice::run(now);
    OpenId id = 0;
    if (!marking_.begin_usual<kCounts>(track, name, now, arguments_, traits_, id))
      return BeginSlice::run(now);
    state_.last = id;
    place = id;
  }
  void run(const Moment& now) override {
    if (when_(*now.event)) run_on(track_.find(*now.event), now);
  }

 protected:
  [[nodiscard]] bool has_key() const { return key_.possible(); }
  [[nodiscard]] bool counts(const Event& event) const { return when_(event); }
  [[gnu::always_inline]] void run_on(TrackId track, const Moment& now) {
    const Event& event = *now.event;
    if (state_.rule->end.empty()) return run_whole(track, now);
    std::uint64_t* const found =
        track == kNoTrack ? nullptr : key_.place(event, context_.scope, state_.open);
    if (found == nullptr) return context_.marking.count_without_field(now);
    if (state_.rule->again == SliceRule::Again::kOwn && !says_all(check_, event, context_))
        [[unlikely]]
      return context_.marking.count_without_field(now);
    OpenId below = 0;
    std::uint64_t& place = *found;
    if (states_) note_state(event, track, now);
    if (state_.rule->by_stream) marking_.keep_streams(track);
    if (state_.perhaps_older != 0) state_.settle(place, true, now);
    if (const auto open = static_cast<OpenId>(place); is_open(open)) {
      if (state_.rule->again == SliceRule::Again::kIgnore) return;
      if (state_.rule->again == SliceRule::Again::kDoubt && !marking_.may_have_ended(open))
        return marking_.mix(open, now);
      if (state_.rule->again == SliceRule::Again::kNest ||
          (state_.rule->again == SliceRule::Again::kOwn && has_room_above(open)) ||
          (is_mixing_ && !context_.marking.may_have_ended(open) && has_room_above(open))) {
        below = open;
      } else {
        for (OpenId id = open; id != 0;) {
          const OpenId next = context_.marking.below(id);
          context_.marking.end_inferred(id, now);
          id = next;
        }
        if (state_.rule->by_stream) state_.threads->share(track, false);
      }
    }
    const OpenId id = begin(track, below, now);
    state_.last = id;
    if (id == 0) {
      place = below == 0 ? kEnded : below;
      if (state_.open.size() > kMostSeen && below == 0) state_.open.erase(key_.words());
      return;
    }
    place = id;
    if (state_.rule->by_track) marking_.let_wander(id);
    if (state_.needs_keys()) state_.know_key(id, key_.words());
    context_.marking.put_above(id, below);
    if (is_mixing_ && below != 0) mix(id, below, track, now);
    if (state_.early != nullptr) note_early(event);
    if (check_.empty()) return;
    auto& check = context_.marking.add_details(id).check;
    for (std::size_t i = 0; i < check_.size() && i < check.size(); ++i)
      (void)check_[i].word(event, context_.scope, check[i]);
  }

 private:
  template <bool kFixedName>
  [[nodiscard]] Run usual_run_named(bool counts) const {
    return is_of_track_ ? usual_run_of<BeginSlice, true, kFixedName>(counts)
                        : usual_run_of<BeginSlice, false, kFixedName>(counts);
  }
  [[gnu::noinline]] void note_early(const Event& event) {
    EarlySlices& early = *state_.early;
    Words on = {0, trace_};
    if (early.keys.size() == EarlySlices::kMost || task_.read(event, context_.scope).known() ||
        !processor_.word(event, context_.scope, on[0]) ||
        early.processors->knows(on.data(), context_.marking))
      return;
    EarlySlices::Key& key = early.keys.emplace_back(&state_, Words{}, on[0], trace_);
    std::copy_n(key_.words(), state_.open.words(), key.words.begin());
  }
  [[gnu::noinline, gnu::cold]] void mix(OpenId id, OpenId below, TrackId track, const Moment& now) {
    if (state_.rule->by_track) return mix_on(id, below, track, now);
    if (state_.rule->by_stream) {
      marking_.add_details(id).stream = now.stream;
      marking_.add_details(below).is_detached = true;
      state_.threads->share(track, true);
      // Another thread goes on in its place. Who that is, may be known since before.
      const TrackId states = state_.threads->states_of(track);
      if (states != kNoTrack && !marking_.is_other(states) &&
          marking_.last_event(states) <= marking_.open(below).number)
        state_.threads->of[states] = TrackThreads::kAnother;
      return;
    }
    marking_.mix(id, now);
    marking_.mix(below, now);
    state_.any_mixed = true;
  }
  // Those on other tracks have ends of their own, as long as each ends on its track.
  void mix_on(OpenId id, OpenId below, TrackId track, const Moment& now) {
    SliceState::Tracks& tracks = state_.tracks[trace_];
    bool any = false;
    for (OpenId each = below; each != 0; each = marking_.below(each)) {
      const bool is_own = marking_.track_of(each) == track;
      tracks.interleave = tracks.interleave || !is_own;
      if (!is_own && !tracks.wander) continue;
      marking_.mix(each, now);
      any = true;
    }
    if (!any) return;
    marking_.mix(id, now);
    state_.any_mixed = true;
  }
  [[nodiscard]] bool has_room_above(OpenId open) const {
    if (!state_.rule->by_stream && !state_.rule->by_track &&
        state_.rule->again != SliceRule::Again::kOwn)
      return true;
    std::size_t many = 1;
    for (OpenId id = marking_.below(open); id != 0 && many < kMostAtOnce; id = marking_.below(id))
      ++many;
    return many < kMostAtOnce;
  }
  // Where nothing is known, it is in the state in which it begins that.
  [[gnu::noinline, gnu::cold]] void note_state(const Event& event, TrackId parent,
                                               const Moment& now) {
    const TrackId on = states_->find(event);
    if (on == kNoTrack || marking_.is_other(on) || marking_.state_of(on, now.time) != kNoName)
      return;
    state_.threads->states[parent] = on;
    (*state_.spent)[on] = TrackNumbers::kUnknown;
    marking_.state(on, state_.begun, now, kNoCpu, 0);
  }
  [[gnu::noinline, gnu::cold]] void run_whole(TrackId track, const Moment& now) {
    if (track == kNoTrack || !key_.read(*now.event, context_.scope))
      return context_.marking.count_without_field(now);
    context_.marking.whole(track, name_(*now.event), now, arguments_, traits_.flags);
  }
  // Of an event with a duration the slice ends with another too.
  [[nodiscard]] OpenId begin(TrackId track, OpenId below, const Moment& now) {
    const NameId name = name_(*now.event);
    if (below != 0 && state_.rule->by_stream)
      return marking_.begin_apart(track, name, now, arguments_, traits_.flags);
    if (now.end_time == kNoTime) return marking_.begin(track, name, now, arguments_, traits_.flags);
    Moment without_end = now;
    without_end.end_time = kNoTime;
    return marking_.begin(track, name, without_end, arguments_, traits_.flags);
  }

  RuleContext& context_;
  Marking& marking_ = context_.marking;
  SliceState& state_;
  BoundTrack track_;
  BoundWhen when_;
  BoundKey key_;
  NearKeys& near_;  // of what is open
  std::vector<BoundValue> check_;
  NameMaker name_;
  const Arguments* arguments_;
  SliceTraits traits_;
  bool is_of_track_;  // its key is that of the track
  bool is_mixing_;
  std::uint64_t trace_;
  std::optional<BoundTrack> states_;
  BoundValue processor_;  // where slices may be early
  BoundValue task_;
};

// The same of a slice that is placed.
class BeginPlacedSlice final : public BeginSlice {
 public:
  BeginPlacedSlice(SliceState& state, SlicePlace place, BoundTrack track,
                   const EventClass& event_class, RuleContext& context, const Arguments* arguments,
                   SliceScope scope)
      : BeginSlice(state, std::move(track), event_class, context, arguments, scope),
        place_(std::move(place)) {}

  [[nodiscard]] bool possible() const { return place_.possible() && has_key(); }
  // The fast path of BeginSlice is for tracks that the event itself names.
  [[nodiscard]] Run usual_run(bool counts) const override {
    return Action::usual_run(counts);  // NOLINT(bugprone-parent-virtual-call)
  }
  void run(const Moment& now) override {
    if (counts(*now.event)) run_on(place_.find(*now.event), now);
  }

 private:
  SlicePlace place_;
};

// An event that is the end of a slice, and says when that began or how long it took.
class MarkEnded final : public Action {
 public:
  MarkEnded(SliceState& state, BoundTrack track, const EventClass& event_class,
            RuleContext& context, const Arguments* arguments)
      : context_(context),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        name_(state.name, state.rule->category, event_class, context, true),
        arguments_(arguments),
        clock_(event_class.clock),
        flags_(state.rule->marked ? kMarked : 0) {
    const bool has_start = state.start && BoundValue(*state.start, event_class).possible();
    const bool has_duration = state.duration && BoundValue(*state.duration, event_class).possible();
    if (has_start == has_duration || clock_ == nullptr) return;
    is_start_ = has_start;
    const RuleValue& said = has_start ? *state.start : *state.duration;
    const Member* const field = said.field_in(event_class);
    const std::string_view unit = field == nullptr ? "" : unit_of(field->attributes);
    const auto scale = unit.empty() ? UnitScale() : scale_of_unit(unit);
    if (!scale || scale->quantity != Quantity::kTime) return;
    scale_ = static_cast<std::int64_t>(scale->factor);
    said_ = BoundValue(said, event_class);
  }

  [[nodiscard]] bool possible() const { return said_.possible() && track_.possible(); }
  void run(const Moment& now) override {
    const Event& event = *now.event;
    if (!when_(event)) return;
    const TrackId track = track_.find(event);
    const auto took = track == kNoTrack ? std::nullopt : time_taken(event);
    if (!took) return context_.marking.count_without_field(now);
    std::int64_t begin = 0;
    if (__builtin_sub_overflow(now.time, *took, &begin))
      begin = *took < 0 ? std::numeric_limits<std::int64_t>::max()
                        : std::numeric_limits<std::int64_t>::min();
    context_.marking.ended(track, name_(event), now, begin, arguments_, flags_);
  }

 private:
  // In nanoseconds; nothing where the event does not say it.
  [[nodiscard]] std::optional<std::int64_t> time_taken(const Event& event) {
    const query::Value said = said_.read(event, context_.scope);
    constexpr Uint128 kMost = Uint128{1} << 64U;
    Nanoseconds time;
    if (said.kind == query::Value::Kind::kInteger && said.integer.magnitude <= kMost) {
      time = Nanoseconds::from_unsigned(said.integer.magnitude * static_cast<Uint128>(scale_),
                                        said.integer.negative);
    } else if (said.kind == query::Value::Kind::kReal &&
               std::fabs(said.real) <= static_cast<double>(kMost)) {
      const double nearest = std::round(said.real * static_cast<double>(scale_));
      time = Nanoseconds::from_unsigned(static_cast<Uint128>(std::fabs(nearest)), nearest < 0);
    } else {
      return std::nullopt;
    }
    if (is_start_) time = clock_->to_nanoseconds(event.time) - clock_->to_nanoseconds(0) - time;
    return saturated(time);
  }

  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  const Arguments* arguments_;
  const ClockClass* clock_;
  std::uint16_t flags_;
  BoundValue said_;  // the begin, or how long it took
  bool is_start_ = false;
  std::int64_t scale_ = 1;  // nanoseconds of what it counts
};

class EndSlice final : public Action {
 public:
  EndSlice(SliceState& state, BoundTrack track, std::optional<SlicePlace> placed,
           const EventClass& event_class, RuleContext& context, const Arguments* arguments,
           SliceScope scope)
      : context_(context),
        state_(state),
        begins_too_(state.begin.matches(timeline::name_of(event_class))),
        ignores_unmatched_(state.rule->unmatched == SliceRule::Unmatched::kIgnore),
        track_(std::move(track)),
        placed_(std::move(placed)),
        when_(state.end_when, event_class, context),
        key_(state.key_b, event_class, scope.trace, scope.name),
        near_(state.open.near_of(scope.trace)),
        check_(bind_all(state.check_b, event_class)),
        inherited_(state.inherited, event_class, context),
        name_(state.name, state.rule->category, event_class, context, true),
        arguments_(arguments),
        trace_(scope.trace),
        may_be_elsewhere_(state.rule->again == SliceRule::Again::kMix && !state.rule->by_track &&
                          state.track != nullptr && state.track->is_of_stream()) {}

  [[nodiscard]] bool possible() const { return key_.possible(); }

  [[nodiscard]] Run usual_run(bool counts) const override {
    const bool is_plain =
        !when_.any() && key_.is_direct() && check_.empty() && !state_.rule->by_track;
    return is_plain ? usual_run_of<EndSlice>(counts) : Action::usual_run(counts);
  }
  // A slice that is open.
  template <bool kCounts>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    std::uint64_t word = 0;
    if (!key_.word().read_usual(*now.event, word) || !near_.has(word)) return run(now);
    std::uint64_t& place = near_[word];
    const auto id = static_cast<OpenId>(place);
    if (!marking_.end_usual<kCounts>(id, now, arguments_)) return run(now);
    place = kEnded;
  }
  void run(const Moment& now) override {
    const Event& event = *now.event;
    if (!when_(event)) return;
    if (ignores_unmatched_) {
      const std::uint32_t known = key_.find(event, context_.scope, state_.open);
      if (known == 0 || known == BoundKey::kUnknown) return;
    }
    std::uint64_t* const found = key_.place(event, context_.scope, state_.open);
    if (found == nullptr) return context_.marking.count_without_field(now);
    std::uint64_t& place = *found;
    const auto open = static_cast<OpenId>(place);
    if (state_.rule->again == SliceRule::Again::kOwn && !says_all(check_, event, context_))
        [[unlikely]]
      return context_.marking.count_without_field(now);
    if (!is_open(open) || !checked(event, open)) return end_none(place, now);
    if (state_.rule->by_track) return end_on_track(place, now);
    if (state_.rule->by_stream) return end_of_stream(place, now);
    if (state_.rule->again == SliceRule::Again::kOwn) return end_own(place, now);
    OpenId id = open;
    while (!check_.empty() && !meets(event, id)) {
      const OpenId below = context_.marking.below(id);
      context_.marking.end_inferred(id, now);
      id = below;
    }
    finish(id, place, now);
  }

 private:
  // `place`: of the key at hand.
  void finish(OpenId id, std::uint64_t& place, const Moment& now) {
    const OpenId below = context_.marking.below(id);
    if (below == 0 && state_.rule->by_stream)
      state_.threads->share(marking_.timeline().track(marking_.open(id).track).first_lane, false);
    if (context_.marking.is_mixed(id))
      context_.marking.end_inferred(id, now);
    else
      context_.marking.end(id, now, arguments_);
    if (below != 0) {
      place = below;
    } else if (state_.open.size() <= kMostSeen || near_.has(key_.words()[0])) {
      place = kEnded;
    } else {
      state_.open.erase(key_.words());
    }
  }
  // Who has it now has it alone: what others began before and did not end was over by then.
  [[gnu::noinline]] void end_own(std::uint64_t& place, const Moment& now) {
    const Event& event = *now.event;
    const auto top = static_cast<OpenId>(place);
    OpenId own = top;
    while (!meets(event, own)) own = marking_.below(own);
    OpenId above = own;
    for (OpenId id = marking_.below(own); id != 0;) {
      const OpenId below = marking_.below(id);
      if (meets(event, id)) {
        above = id;
      } else {
        marking_.put_above(above, below);
        marking_.end_inferred(id, now);
      }
      id = below;
    }
    finish_within(own, top, place, now);
  }
  // It is of what began on its track; else of what began on another, if that is the only one of its
  // key, and no other one ever was open on another track.
  [[gnu::noinline]] void end_on_track(std::uint64_t& place, const Moment& now) {
    const auto top = static_cast<OpenId>(place);
    const TrackId track = track_.possible() ? track_.find(*now.event) : kNoTrack;
    OpenId own = top;
    while (own != 0 && marking_.track_of(own) != track) own = marking_.below(own);
    SliceState::Tracks& tracks = state_.tracks[trace_];
    const bool is_one = marking_.below(top) == 0;
    const bool is_known =
        own != 0 ? is_one || !tracks.wander
                 : is_one && !tracks.interleave && marking_.timeline().counts().sections == 0;
    if (own == 0) tracks.wander = true;
    for (OpenId id = top; id != 0 && !is_known; id = marking_.below(id)) marking_.mix(id, now);
    state_.any_mixed = state_.any_mixed || !is_known;
    finish_within(own != 0 ? own : top, top, place, now);
  }
  // A thread does one at a time: an end is of what began in its data stream, else of what began in
  // one that the thread may have had before. Where others go on in its place, or the trace began
  // later than what it is of, it may as well be of what began before the trace did.
  [[gnu::noinline]] void end_of_stream(std::uint64_t& place, const Moment& now) {
    if (state_.perhaps_older != 0) state_.settle(place, false, now);
    const auto top = static_cast<OpenId>(place);
    if (!is_open(top)) return end_none(place, now);
    for (const bool is_own : {true, false}) {
      std::array<OpenId, kMostAtOnce> meant = {};
      std::size_t many = 0;
      for (OpenId id = top; id != 0; id = marking_.below(id)) {
        const StreamState* const stream = marking_.stream_of(id);
        if ((is_own ? stream == now.stream : may_go_on(stream, now.stream)) && many < meant.size())
          meant[many++] = id;
      }
      if (many == 0) continue;
      const bool is_one = many == 1 && (is_own || !is_detached(meant[0]));
      if (is_one && !is_own && state_.older.contains(trace_)) {
        ++state_.perhaps_older;
        return marking_.doubt_end(meant[0], now);
      }
      for (std::size_t i = 0; !is_one && i < many; ++i) {
        marking_.mix(meant[i], now);
        marking_.add_details(meant[i]).may_be_over = true;
        state_.any_mixed = true;
      }
      return finish_within(meant[0], top, place, now);
    }
    unmatched(now, false);
  }
  // Whether `second` may be of the same thread, which had `first` before.
  [[nodiscard]] static bool may_go_on(const StreamState* first, const StreamState* second) {
    if (first == nullptr || second == nullptr) return true;
    return first->latest <= second->first &&
           (first->id.trace != second->id.trace || first->id.ordinal < second->id.ordinal);
  }
  // Whether another thread goes on in its place: what its own is in, says nothing of states then.
  [[nodiscard]] bool is_detached(OpenId id) {
    const OpenSlice& slice = marking_.open(id);
    if (slice.traits.has_details && marking_.details(id).is_detached) return true;
    const TrackId states =
        state_.threads->states_of(marking_.timeline().track(slice.track).first_lane);
    return states != kNoTrack && marking_.last_event(states) > slice.number;
  }
  // Of a chain that begins with `top`.
  void finish_within(OpenId id, OpenId top, std::uint64_t& place, const Moment& now) {
    if (id == top) return finish(id, place, now);
    for (OpenId above = top; above != 0; above = marking_.below(above)) {
      if (marking_.below(above) == id) marking_.put_above(above, marking_.below(id));
    }
    if (marking_.is_mixed(id))
      marking_.end_inferred(id, now);
    else
      marking_.end(id, now, arguments_);
  }
  // `place`: of the key at hand.
  [[gnu::noinline, gnu::cold]] void end_none(std::uint64_t& place, const Moment& now) {
    const bool is_new = place == 0;
    if (is_new && state_.open.size() > kMostSeen) {
      state_.open.give_up_place();
      return unmatched(now, false);
    }
    if (is_new) place = kEnded;
    const SliceState::Birth birth = state_.birth_of(key_.words());
    if (inherited_.any() && inherited_(*now.event)) return;
    switch (birth) {
      case SliceState::Birth::kUnknown:
        return unmatched(now, is_new);
      case SliceState::Birth::kFirstEnd:
        return;
      case SliceState::Birth::kLaterEnd:
        return unmatched(now, false);
    }
  }
  [[nodiscard]] bool meets(const Event& event, OpenId id) {
    const auto& check = context_.marking.details(id).check;
    for (std::size_t i = 0; i < check_.size() && i < check.size(); ++i) {
      std::uint64_t word = 0;
      // What the event does not have says nothing.
      if (!check_[i].possible()) continue;
      if (!check_[i].word(event, context_.scope, word) || word != check[i]) return false;
    }
    return true;
  }
  // Whether one of those that are open is what the event ends.
  [[nodiscard]] bool checked(const Event& event, OpenId id) {
    if (check_.empty()) [[likely]]
      return true;
    for (; id != 0; id = context_.marking.below(id)) {
      if (meets(event, id)) return true;
    }
    return false;
  }
  void unmatched(const Moment& now, bool is_new) {
    using Unmatched = SliceRule::Unmatched;
    const Unmatched rule = state_.rule->unmatched;
    // An event that begins one too says nothing of one before.
    if (rule == Unmatched::kIgnore || begins_too_) return;
    const TrackId track = placed_             ? placed_->find(*now.event)
                          : track_.possible() ? track_.find(*now.event)
                                              : kNoTrack;
    if (track == kNoTrack) {
      ++context_.marking.timeline().mutable_counts().unmatched_ends;
      return;
    }
    // Where a clock stepped back it may have begun before that, and where events were lost among
    // them or under another key.
    const bool is_doubtful = context_.marking.timeline().counts().sections != 0 ||
                             context_.marking.lost_in_trace(0, now.stream);
    const bool may_be_of_other = may_be_elsewhere_ && !is_doubtful &&
                                 state_.doubt_open(marking_.timeline().track(track).origin, now);
    const bool began_before =
        is_new && !is_doubtful && !may_be_of_other &&
        (rule == Unmatched::kBefore || (rule == Unmatched::kNamed && name_.is_known(*now.event)));
    context_.marking.end_unmatched(track, name_(*now.event), now, arguments_, began_before);
  }

  RuleContext& context_;
  Marking& marking_ = context_.marking;
  SliceState& state_;
  bool begins_too_;
  bool ignores_unmatched_;
  BoundTrack track_;
  std::optional<SlicePlace> placed_;  // instead of that
  BoundWhen when_;
  BoundKey key_;
  NearKeys& near_;  // of what is open
  std::vector<BoundValue> check_;
  BoundWhen inherited_;
  NameMaker name_;
  const Arguments* arguments_;
  std::uint64_t trace_;
  bool may_be_elsewhere_;  // what it ends may have begun in another data stream
};

// Somebody whose slices a rule is about is made.
class NoteBirth final : public Action {
 public:
  NoteBirth(SliceState& state, const EventClass& event_class, RuleContext& context,
            std::uint64_t trace)
      : context_(context), state_(state), key_(state.born_key, event_class, trace) {}

  [[nodiscard]] bool possible() const { return key_.possible(); }
  void run(const Moment& now) override {
    if (!key_.read(*now.event, context_.scope)) return;
    if (state_.births.size() < kMostSeen || state_.births.find(key_.words()) != 0)
      state_.births.place(key_.words()) = 1;
  }

 private:
  RuleContext& context_;
  SliceState& state_;
  BoundKey key_;
};

}  // namespace tracedeck::timeline
