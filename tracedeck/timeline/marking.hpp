// Makes marks of what rules find, so that they keep what mark.hpp promises whatever the events are:
// slices nest, times do not run backwards, and what is not known says so.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/other_states.hpp"
#include "tracedeck/timeline/pile.hpp"
#include "tracedeck/timeline/span_totals.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max();

// 64 bits of a time or interval, or the nearest of them.
[[nodiscard]] inline std::int64_t saturated(const Nanoseconds& value) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.magnitude() <= static_cast<Uint128>(kMost);
  const std::int64_t magnitude = fits ? static_cast<std::int64_t>(value.magnitude()) : kMost;
  return value.negative() ? -magnitude : magnitude;
}

// Of open slices; 0 is none.
using OpenId = std::uint32_t;
// What stands for a slice that is not open any more. All that are open are more.
inline constexpr OpenId kEnded = 1;
[[nodiscard]] constexpr bool is_open(OpenId id) { return id > kEnded; }

// What was reported lost: of a stream, of a trace, or of all.
class Losses {
 public:
  struct Loss {
    std::uint64_t number =
        0;  // of the event behind which it was reported, or behind which it ended
    std::int64_t begin = 0;
  };

  void add(Loss loss) {
    if (known_.size() >= kMost) known_.pop_front();
    known_.push_back(loss);
  }
  // One goes on from now on, and one ends behind event `number`.
  void begin(Loss loss) {
    add(loss);
    if (going_on_++ == 0 || loss.begin < going_on_since_) going_on_since_ = loss.begin;
  }
  void end(std::uint64_t number) {
    add({number, going_on_since_});
    --going_on_;
  }
  // Of those that were reported or ended behind event `number` or a later one, or go on, the first
  // number and the first begin; nothing if there is none. Of those too long ago what is known.
  [[nodiscard]] std::optional<Loss> since(std::uint64_t number) const {
    auto each = std::ranges::lower_bound(known_, number, {}, &Loss::number);
    if (each == known_.end() && going_on_ == 0) return std::nullopt;
    Loss first{.number = std::numeric_limits<std::uint64_t>::max()};
    if (each != known_.end()) first.number = each->number;
    first.begin = going_on_ == 0 ? each->begin : going_on_since_;
    for (; each != known_.end(); ++each) first.begin = std::min(first.begin, each->begin);
    return first;
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::deque<Loss> known_;
  std::uint32_t going_on_ = 0;
  std::int64_t going_on_since_ = 0;  // the first of them
};

// A data stream, as far as it has to be known what was lost in it.
struct StreamState;

// The data streams of a trace, as far as they had events.
struct StreamsOfTrace {
  const StreamState* last = nullptr;  // of the last event
  bool alternate = false;             // one had events before and behind those of another
  std::uint32_t going_on = 0;         // those that began and did not end, but for parts of inputs
  std::int64_t begin = kNoTime;       // of the first event, where there are several traces
  // Of the last events of those that ended, as far as they stood in one batch with their end.
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
};

struct StreamState {
  EntityId id = {};     // of all readings of its trace
  OriginId origin = 0;  // of its trace
  // The first time of those of its events that come behind one of another stream, and are not
  // recorded later than they happen.
  std::int64_t first = kNoTime;
  Losses losses = {};
  Losses* of_trace = nullptr;    // of all streams of its trace; null: there is no other
  const Losses* wide = nullptr;  // that may be of any stream of its trace; null: there are none
  // Of its events, since its clock stepped back far.
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  std::uint32_t steps = 0;  // how often that was
  // Once all events have come: the last time since then, of its trace's streams that stepped as
  // often; else none.
  std::int64_t section_end = kNoTime;
  std::uint64_t stretch = 0;      // of its last event
  std::int64_t begin = kNoTime;   // of its first packet, if that says so
  StreamsOfTrace* all = nullptr;  // of its trace, of streams that the interpreter has seen
  // Of what is being lost: until its next event, or this time. `is_losing`: something is.
  bool is_losing = false;
  std::int64_t losing_until = kNoTime;
  std::int64_t packet_end = kNoTime;  // of its last packet so far, if that says so
  std::int64_t gap_begin = kNoTime;   // of what is damaged, or came before what is there of it
  bool is_damaged = false;            // the former
  bool has_event = false;             // one came that a rule is about
  bool has_ended = false;             // long before others of its trace

  [[nodiscard]] const Losses& trace_losses() const {
    return of_trace == nullptr ? losses : *of_trace;
  }
};

// What ended where a clock stepped back far, or where a trace did and another one goes on.
struct SectionEnd {
  enum class Why : std::uint8_t { kClockStep, kTraceEnd };

  Why why = Why::kClockStep;
  std::vector<const StreamState*> streams = {};  // sorted
  std::vector<bool> tracks = {};                 // by TrackId: they are marked on no more
  std::vector<bool> slices = {};                 // by OpenId: they are not open any more

  [[nodiscard]] bool has_track(TrackId id) const { return id < tracks.size() && tracks[id]; }
  [[nodiscard]] bool has_slice(OpenId id) const { return id < slices.size() && slices[id]; }
  [[nodiscard]] bool has_stream(const StreamState* stream) const {
    return std::ranges::binary_search(streams, stream);
  }
};

// The event at hand.
struct Moment {
  const Event* event = nullptr;
  std::int64_t time = 0;
  std::int64_t end_time = kNoTime;  // of events with a duration
  std::uint64_t number = 0;         // of events so far that rules are about
  StreamState* stream = nullptr;
  std::uint64_t stretch = 0;  // `Marking::stretch_of`
};

struct SliceDetails;

// Who wants to know that an event ended a slice, or began another in its place.
class SliceObserver {
 public:
  virtual ~SliceObserver() = default;
  virtual void slice_ended(const SliceDetails& slice, const Moment& now) = 0;
  // It may have ended, now or before.
  virtual void slice_unclear(const SliceDetails& slice, const Moment& now) = 0;
  // It may have ended now, which one of the other two says later, or nothing.
  virtual void slice_doubtful(const SliceDetails& slice, const Moment& now) = 0;
};

// Read and written as one word.
struct SliceTraits {
  std::uint16_t flags = 0;
  bool has_details : 1 = false;
  bool may_wander : 1 = false;  // it may end in any data stream, whatever its track is of
  bool is_usual = false;        // it has no details, and none of `kOdd`
};

struct OpenSlice {
  std::int64_t begin = 0;
  std::uint64_t number = 0;  // of the event that began it
  TrackId track = kNoTrack;  // the lane
  NameId name = kNoName;
  OpenId outer = 0;  // on the same track, began before; of a slice that is not open, another such
  SliceTraits traits = {};
};

// What few slices have.
struct SliceDetails {
  static constexpr std::size_t kMostChecks = 3;

  std::int64_t end = kNoTime;  // where it is known beforehand
  SliceObserver* observer = nullptr;
  std::uint32_t observed = 0;  // what the observer knows it by
  std::uint32_t observed_since = 0;
  OpenId below = 0;          // of the same key, began before
  bool is_mixed = false;     // `SliceRule::Again::kMix`: which end is its own is not known
  bool is_detached = false;  // another of its key began, on another thread
  bool may_be_over = false;  // it or another one of its key ended
  // An end that may be another's, and the data stream that it is of; null: there was none.
  std::int64_t doubtful_end = kNoTime;
  const StreamState* doubtful_in = nullptr;
  const StreamState* stream = nullptr;  // in which it began; null: that of its track's last event
  std::array<std::uint64_t, kMostChecks> check = {};
};

// Marks that were made and not handed on yet: all, unless somebody counts them.
using MarkBuffer = Pile<Mark, 1024>;

class Marking {
 public:
  static constexpr std::uint32_t kMostLanes = 256;
  static constexpr std::size_t kMostTracks = 16'384;
  static constexpr std::size_t kMostNames = 65'536;
  static constexpr std::size_t kMostNameBytes = std::size_t{3} << 20;
  static constexpr std::size_t kMostOpen = std::size_t{1} << 17;

  explicit Marking(Timeline& timeline) : timeline_(timeline) {}

  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] MarkBuffer& marks() { return marks_; }
  // From now on `counter` sees all marks; null: they go where `marks` shows them.
  void count_with(SpanCounter* counter);
  [[nodiscard]] bool counts() const { return counter_ != nullptr; }

  // Events of a stream between which nothing was lost in any are of one stretch: its number now,
  // from 1 on. Null: of events without a stream.
  [[nodiscard]] std::uint64_t stretch_of(StreamState* stream) {
    std::uint64_t& known = stream == nullptr ? streamless_stretch_ : stream->stretch;
    if (known < first_stretch_) known = ++last_stretch_;
    return known;
  }

  // An event lacks a field that a rule needs.
  [[gnu::cold]] void count_without_field(const Moment& now) {
    if (std::exchange(without_field_, now.number) != now.number)
      ++timeline_.mutable_counts().without_field;
  }

  // A new track; beyond `kMostTracks` the one that stands for all others. `of_stream`: all that can
  // become of it comes of the data streams that its events are of.
  [[nodiscard]] TrackId add_track(Track track, bool of_stream = false);
  [[nodiscard]] NameId add_name(std::string_view category, std::string_view text,
                                PlaceRange place = {}, std::string_view host = {},
                                OriginId origin = 0);

  // A slice begins; 0 when it is left out. `end`: where it is known.
  OpenId begin(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
               std::uint16_t flags);
  // The same of one that is not inside what is open on the track: on a lane.
  OpenId begin_apart(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                     std::uint16_t flags);
  [[nodiscard]] const OpenSlice& open(OpenId id) const { return open_[id]; }
  // The slice of the same key that began before; 0: there is none.
  [[nodiscard]] OpenId below(OpenId id) const {
    return open_[id].traits.has_details ? details_[id].below : 0;
  }
  void put_above(OpenId id, OpenId below) {
    if (below != this->below(id)) add_details(id).below = below;
  }
  // What is to be known of a slice besides, which it has from now on.
  [[nodiscard]] SliceDetails& add_details(OpenId id);
  // Of a slice that has any.
  [[nodiscard]] const SliceDetails& details(OpenId id) const { return details_[id]; }
  // Whether which end is its own is not known.
  [[nodiscard]] bool is_mixed(OpenId id) const {
    return open_[id].traits.has_details && details_[id].is_mixed;
  }
  // Which end is its own is not known.
  void mix(OpenId id, const Moment& now);
  // The track that a slice began on.
  [[nodiscard]] TrackId track_of(OpenId id) { return track_state(open_[id].track).first_lane; }
  // It may end in any data stream.
  void let_wander(OpenId id) { open_[id].traits.may_wander = true; }
  // Whether events were lost since it began, its end perhaps among them.
  [[nodiscard]] bool may_have_ended(OpenId id) { return loss_within(open_[id]).has_value(); }
  // The number of the last event that marked something on a track; 0: there was none.
  [[nodiscard]] std::uint64_t last_event(TrackId track) { return track_state(track).number; }
  // From now on it is known in which data streams slices on a track began.
  void keep_streams(TrackId track) { track_state(track).keeps_streams = true; }
  // The data stream in which a slice began, on such a track; null: in none.
  [[nodiscard]] const StreamState* stream_of(OpenId id) {
    const StreamState* const known = open_[id].traits.has_details ? details_[id].stream : nullptr;
    return known != nullptr ? known : track_state(open_[id].track).stream;
  }
  // A slice that is open ends, and its number may be another's then.
  void end(OpenId id, const Moment& now, const Arguments* arguments);
  // The same at a time before: something else began.
  [[gnu::cold]] void end_inferred(OpenId id, const Moment& now);
  // An event ends a slice perhaps: what it is of is in no known state from here on.
  [[gnu::cold]] void doubt_end(OpenId id, const Moment& now);
  // Whether an event may have done so.
  [[nodiscard]] bool has_doubtful_end(OpenId id) const {
    return open_[id].traits.has_details && details_[id].doubtful_in != nullptr;
  }
  // Then: it did so if `is_true`, and if nothing else was marked on its track since; else nothing
  // is known of what it lasted. Returns whether it did.
  [[gnu::cold]] bool settle_end(OpenId id, bool is_true, const Moment& now);
  // A slice that is open ends: what it is of ended.
  [[gnu::cold]] void end_gone(OpenId id, const Moment& now);
  // The slices that are open on a track and its lanes.
  [[nodiscard]] std::vector<OpenId> open_on(TrackId track);
  // An end of a slice that did not begin: it began before the trace did, or the end is an instant.
  void end_unmatched(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                     bool began_before);
  // A slice whose end is known.
  void whole(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
             std::uint16_t flags);
  // The same of an event that is its end: it began at `begin`.
  void ended(TrackId track, NameId name, const Moment& now, std::int64_t begin,
             const Arguments* arguments, std::uint16_t flags);
  // Ends what ends until `time`. Before anything else is marked at that time.
  void pass(std::int64_t time) {
    if (!ending_.empty() && ending_.top().time <= time) end_known(time);
  }
  // Whether `pass` may have something to end.
  [[nodiscard]] bool any_ending() const { return !ending_.empty(); }

  void instant(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
               std::uint16_t flags = 0);
  // The last state of a track: nothing is known of it any more until another.
  void last_state(TrackId track, NameId name, const Moment& now, std::int32_t cpu,
                  std::int64_t spent);
  // A task runs on `cpu`, where that is known until an event of the same stream says otherwise.
  void run(TrackId track, NameId running, const Moment& now, std::int32_t cpu) {
    state(track, running, now, cpu, 0);
    track_state(track).only = cpu == kNoCpu ? nullptr : now.stream;
  }
  // A state that is said again changes nothing.
  void state(TrackId track, NameId name, const Moment& now, std::int32_t cpu, std::int64_t spent);
  // The state that a track is in at `time`; kNoName where it is not known.
  [[nodiscard]] NameId state_of(TrackId track, std::int64_t time) {
    const TrackState& state = track_state(track);
    if (lost_at_ >= state.number) [[unlikely]]
      forget_lost_state(track, time);
    return state.state;
  }
  // The same before the event at hand; kNoName where it is not known.
  [[nodiscard]] NameId state_before(TrackId track, const Moment& now) {
    const NameId known = state_of(track, now.time);
    const TrackState& state = track_state(track);
    return state.changed == now.number ? state.before : known;
  }
  // Whether anything was lost since event `number`: anywhere, in `stream`, in its trace.
  [[nodiscard]] bool lost_since(std::uint64_t number) const { return lost_at_ >= number; }
  [[nodiscard]] bool lost_since(std::uint64_t number, const StreamState* stream) const {
    return lost_at_ >= number &&
           (wide_since(number, stream) || (stream != nullptr && stream->losses.since(number)));
  }
  [[nodiscard]] bool lost_in_trace(std::uint64_t number, const StreamState* stream) const {
    return lost_at_ >= number && (wide_since(number, stream) ||
                                  (stream != nullptr && stream->trace_losses().since(number)));
  }
  // Whether it is the track of all others.
  [[nodiscard]] bool is_other(TrackId track) const { return track == others_ && track != kNoTrack; }
  // Who puts that in a state chooses of what it is the state.
  [[nodiscard]] OtherStates& other_states() { return other_states_; }
  [[nodiscard]] const OtherStates& other_states() const { return other_states_; }
  // The state that what is chosen there is in, or was before the event at hand.
  [[nodiscard]] NameId other_state(const Moment& now, bool before);
  // Events that said a state of what those have no room for.
  [[nodiscard]] std::uint64_t states_without_room() const { return states_without_room_; }
  // A new track would be that of all others.
  [[nodiscard]] bool tracks_are_full() const { return timeline_.track_count() >= kMostTracks; }
  // A state that a track with nothing on it yet has been in since `since`, as an event says now.
  void state_since(TrackId track, NameId name, const Moment& now, std::int64_t since,
                   std::int32_t cpu);
  // The same of a track of which nothing was known, as event `number` of a stream said.
  void state_from(TrackId track, NameId name, std::int64_t since, std::uint64_t number,
                  const StreamState* stream, std::int32_t cpu);
  // What a track is of ran until now, which was not known. Whether that was so since event
  // `number`.
  void note_ran(TrackId track, const Moment& now) { ran_[track] = now.number; }
  [[nodiscard]] bool ran_since(TrackId track, std::uint64_t number) const {
    const auto found = ran_.find(track);
    return found != ran_.end() && found->second >= number;
  }
  void counter(TrackId track, const Moment& now, std::int64_t value);
  void counter(TrackId track, const Moment& now, double value);
  void wait(TrackId track, NameId name, const Moment& now, std::int64_t begin,
            const Arguments* arguments, std::uint16_t flags);

  // The same of events that come behind all others of their stream, where all is as it mostly is:
  // in a few instructions. False: it is not, and nothing was done. `kCounts`: somebody counts. What
  // begins must nest on its track, and `traits` must say that it is usual.
  template <bool kCounts>
  [[nodiscard, gnu::always_inline]] bool begin_usual(TrackId track, NameId name, const Moment& now,
                                                     const Arguments* arguments, SliceTraits traits,
                                                     OpenId& id);
  // `id` may be none that is open.
  template <bool kCounts>
  [[nodiscard, gnu::always_inline]] bool end_usual(OpenId id, const Moment& now,
                                                   const Arguments* arguments);
  template <bool kCounts>
  [[nodiscard, gnu::always_inline]] bool wait_usual(TrackId track, NameId name, const Moment& now,
                                                    std::int64_t begin, const Arguments* arguments);
  // Whether `known_state` and `state_usual` do for the event.
  [[nodiscard, gnu::always_inline]] bool is_usual(TrackId track, const Moment& now) {
    return is_next(track_state(track), now);
  }
  [[nodiscard]] NameId known_state(TrackId track) { return track_state(track).state; }
  // Whether it was in any state.
  [[nodiscard]] bool had_state(TrackId track) { return track_state(track).number != 0; }
  [[gnu::always_inline]] void state_usual(TrackId track, NameId name, const Moment& now,
                                          std::int64_t spent);

  // `name`: what the ends are called where nothing else is there; may be kNoName.
  void flow(TrackId from, std::int64_t from_time, TrackId to, const Moment& now,
            NameId name = kNoName);
  // Nothing is known of `stream` between the times, and perhaps until `end_loss`.
  void gap(StreamState& stream, NameId name, std::int64_t begin, std::int64_t end,
           std::uint64_t number);
  // Samples were lost, as was reported at `time`.
  void gap_of_samples(NameId name, std::int64_t time) {
    ++timeline_.mutable_counts().gaps;
    put_gap(name, time, time);
  }
  // A part of `stream` cannot be read, or came before what is there of it: nothing is known of it
  // until its next event.
  void begin_gap(StreamState& stream, std::int64_t begin, std::uint64_t number) {
    stream.gap_begin = begin;
    stream.losing_until = kNoTime;
    begin_loss(stream, {number, begin});
  }
  // Draws it, whose end is known now.
  void draw_gap(StreamState& stream, NameId name, std::int64_t end) {
    put_gap(name, std::exchange(stream.gap_begin, kNoTime), end);
  }
  // Nothing is known of any stream that has `wide` between the times; null: of any.
  void wide_gap(Losses* wide, NameId name, std::int64_t begin, std::int64_t end,
                std::uint64_t number);
  // From `loss` on anything may be lost of any stream that has `wide`, until `end_wide_loss` says
  // when that was.
  void begin_wide_loss(Losses& wide, Losses::Loss loss);
  void end_wide_loss(Losses& wide, NameId name, std::int64_t begin, std::int64_t end,
                     std::uint64_t number);
  // Of a stream nothing more comes from `begin` on, behind event `number`, though its trace goes
  // on.
  void lose_rest(StreamState& stream, NameId name, std::int64_t begin, std::int64_t time,
                 std::uint64_t number);
  // Whether anything is being lost: then each event is of a stretch of its own.
  [[nodiscard]] bool is_losing() const { return going_on_ != 0; }
  [[nodiscard]] std::uint64_t new_stretch() { return ++last_stretch_; }
  // Something else ran on a processor since that time, and what it did is not recorded.
  [[gnu::cold]] void miss_switch(const Moment& now, std::int64_t since);
  // Behind event `number` is known what comes of the stream.
  void end_loss(StreamState& stream, std::uint64_t number);
  // The clock of these streams (sorted), of which the latest time is `latest`, stepped back far
  // behind event `number`, or their trace ended then: slices and states on their tracks end, and
  // behind a step these are marked on no more. What is known whole ends where it says.
  [[nodiscard]] SectionEnd end_section(std::span<StreamState* const> streams, std::int64_t latest,
                                       std::uint64_t number, SectionEnd::Why why);
  // No more events come: what is open stays so.
  void finish(std::int64_t time);

 private:
  // A stream, from its first event on a track on.
  struct StreamPart {
    const StreamState* stream;
    std::uint64_t since;
  };
  struct TrackState {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::uint64_t stretch = 0;            // of the last event on it
    std::uint64_t number = 0;             // of that event; 0: there was none yet
    const StreamState* stream = nullptr;  // of that event
    NameId state = kNoName;
    const StreamState* only = nullptr;  // whose events alone can end the state; null: of others too
    NameId before = kNoName;            // the state until event `changed`
    std::uint64_t changed = 0;          // of the event that began the state
    std::int32_t cpu = kNoCpu;          // of the state
    TrackId first_lane = kNoTrack;
    bool may_overlap = false;            // its slices do not nest
    bool of_stream = false;              // as of `add_track`
    bool keeps_streams = false;          // as of `keep_streams`
    bool in_known = false;               // it is in `known_states_`
    OpenId innermost = 0;                // of the open slices on it
    std::vector<TrackId> lanes = {};     // of the first lane: the others,
    std::vector<StreamPart> parts = {};  // and the streams whose events are on any of them
  };
  struct Ending {
    std::int64_t time;
    std::uint64_t number;  // the later began, the sooner ends
    OpenId slice;
    // Of a priority queue: what comes later is less.
    friend bool operator<(const Ending& a, const Ending& b) {
      return a.time != b.time ? a.time > b.time : a.number < b.number;
    }
  };

  static constexpr std::size_t kMostParts = 64;

  [[nodiscard]] TrackState& track_state(TrackId track) { return *state_[track]; }
  void know_tracks();
  [[nodiscard]] TrackId make_track(Track track, bool of_stream);
  // The last event on a track was of another stretch.
  [[gnu::noinline]] void begin_stretch(TrackId track, const Moment& now);
  // What is open on a track began in the data stream of its last event, if in none before.
  void note_streams(TrackId track);
  // Event `number` of a stream, the first one of it, is on a track.
  void note_part(TrackId track, const StreamState* stream, std::uint64_t number);
  // The first loss since event `number` that what is on a track may have been in; with `anywhere`
  // that of any data stream of its trace.
  [[nodiscard, gnu::cold]] std::optional<Losses::Loss> loss_on(TrackId track, std::uint64_t number,
                                                               bool anywhere = false);
  [[nodiscard]] std::optional<Losses::Loss> loss_of_state(TrackId track);
  [[gnu::cold]] void forget_lost_state(TrackId track, std::int64_t time);
  [[gnu::cold]] void forget_lost_states(std::uint64_t number, bool goes_on = false);
  void know_state(TrackId track) {
    if (std::exchange(track_state(track).in_known, true)) return;
    known_states_.push_back(track);
  }
  // The first loss since event `number` that may be of any stream, or of any of the trace of
  // `stream`, which may be null.
  [[nodiscard]] std::optional<Losses::Loss> wide_since(std::uint64_t number,
                                                       const StreamState* stream) const;
  void put_gap(NameId name, std::int64_t begin, std::int64_t end);
  void begin_loss(StreamState& stream, Losses::Loss loss);
  // Whether the event comes behind one of the same stream, and nothing was lost in between.
  [[nodiscard, gnu::always_inline]] static bool is_next(const TrackState& state,
                                                        const Moment& now) {
    return state.stretch == now.stretch && now.time >= state.last;
  }
  // What has to be marked before an event marks something on a track. Returns its time there.
  [[nodiscard]] std::int64_t touch(TrackId track, const Moment& now, std::uint16_t& flags) {
    TrackState& state = track_state(track);
    if (state.stretch != now.stretch) [[unlikely]]
      begin_stretch(track, now);
    state.number = now.number;
    if (now.time < state.last) [[unlikely]] {
      ++timeline_.mutable_counts().clock_steps;
      flags |= kClockStep;
    } else {
      state.last = now.time;
    }
    return state.last;
  }
  [[nodiscard]] TrackId lane_for(TrackId track, std::int64_t end);
  // kNoTrack: all are taken.
  [[nodiscard]] TrackId free_lane(TrackId first);
  [[nodiscard]] TrackId untouched_lane(TrackId track);
  // On which nothing has been since `begin`; kNoTrack: all are taken.
  [[nodiscard]] TrackId lane_since(TrackId track, std::int64_t begin);
  [[nodiscard]] TrackId new_lane(TrackId first);
  // Not set yet; 0: there is no room for more of them.
  [[nodiscard]] OpenId take_open() {
    if (unused_ == 0) [[unlikely]]
      return new_open();
    return std::exchange(unused_, open_[unused_].outer);
  }
  [[nodiscard, gnu::noinline, gnu::cold]] OpenId new_open();
  OpenId begin_on_lane(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                       std::uint16_t flags);
  OpenId begin_on(TrackId lane, NameId name, const Moment& now, const Arguments* arguments,
                  std::uint16_t flags);
  OpenId begin_unplaced(TrackId track, NameId name, const Moment& now, std::uint16_t flags);
  [[gnu::cold]] void count_flags(std::uint16_t flags);
  void put_end(const OpenSlice& slice, std::int64_t time, std::uint16_t flags, const Event* event,
               const Arguments* arguments);
  // Takes a slice off its track. `time` is not before what else is marked there.
  // `now`: the event that ends it; null at the end of the trace.
  void close(OpenId id, std::int64_t time, std::uint16_t flags, const Moment* now,
             const Event* event, const Arguments* arguments);
  [[gnu::cold]] void close_elsewhere(OpenId id, std::int64_t time, std::uint16_t flags,
                                     const Event* event, const Arguments* arguments);
  // Where it is known beforehand; else kNoTime.
  [[nodiscard]] std::int64_t end_of(OpenId id) const {
    return open_[id].traits.has_details ? details_[id].end : kNoTime;
  }
  void note_loss(std::uint64_t number) {
    lost_at_ = is_losing() ? std::numeric_limits<std::uint64_t>::max() : number;
    first_stretch_ = last_stretch_ + 1;
  }
  void move_to_lane(const std::vector<OpenId>& moved, TrackId track, std::int64_t time);
  void end_known(std::int64_t time);
  [[nodiscard]] std::optional<Losses::Loss> loss_within(const OpenSlice& slice) {
    if (lost_at_ < slice.number) [[likely]]
      return std::nullopt;
    return loss_on(slice.track, slice.number, slice.traits.may_wander);
  }
  void put(const Mark& mark) {
    if (counter_ != nullptr) return counter_->see(timeline_, mark);
    if (marks_.full()) marks_.make_room();
    put_there(mark);
  }
  // Where `marks_` has room, and nobody counts.
  [[gnu::always_inline]] void put_there(const Mark& mark) {
    Mark& made = marks_.add_there();
    made = mark;
    if (mark.time < last_) made.flags |= kLate;
    last_ = std::max(last_, mark.time);
  }
  // The same of what shares the track of all others.
  [[gnu::noinline, gnu::cold]] void state_of_other(NameId name, const Moment& now);
  // It was in its state until `time`, or until something was lost, or is still.
  void end_other(OtherStates::State& known, std::int64_t time, std::uint16_t flags);
  // The trace of a track ended at `time`, which may be before `end`.
  void end_state(TrackId track, std::int64_t time, std::int64_t end);
  // A state that is another than before.
  [[gnu::noinline]] void put_state(TrackId track, NameId name, std::int64_t time,
                                   std::int64_t spent);

  Timeline& timeline_;
  MarkBuffer marks_;
  SpanCounter* counter_ = nullptr;
  SpanTotals* totals_ = nullptr;                    // of the counter
  std::vector<std::unique_ptr<TrackState>> state_;  // by TrackId; they keep their addresses
  std::vector<OpenSlice> open_ = std::vector<OpenSlice>(kEnded + 1);           // by OpenId
  std::vector<SliceDetails> details_ = std::vector<SliceDetails>(kEnded + 1);  // the same
  OpenId unused_ = 0;                                                          // the first one
  std::unordered_set<OpenId> unplaced_;  // that no lane had room for
  std::priority_queue<Ending> ending_;
  std::uint64_t ending_number_ = 0;
  std::uint64_t last_stretch_ = 0;
  std::uint64_t first_stretch_ = 1;  // since the last loss
  std::uint64_t streamless_stretch_ = 0;
  std::uint64_t without_field_ = 0;  // the number of the last event that lacked a field
  // The number of the event behind which the last loss was reported or ended; the last there is as
  // long as any goes on.
  std::uint64_t lost_at_ = 0;
  std::uint32_t going_on_ = 0;         // streams of which something is being lost
  std::vector<TrackId> known_states_;  // all tracks of which a state is known, and others
  std::uint64_t looked_at_ = 0;        // tracks in there, whenever something was lost
  std::unordered_map<TrackId, std::uint64_t> ran_;                // `note_ran`
  Losses losses_;                                                 // in all streams
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();  // of all marks
  std::uint64_t flows_ = 0;
  TrackId quality_ = kNoTrack;
  TrackId others_ = kNoTrack;
  OtherStates other_states_ = {};
  std::uint64_t states_without_room_ = 0;
  NameId other_name_ = kNoName;
  std::size_t name_bytes_ = 0;
};

}  // namespace tracedeck::timeline
