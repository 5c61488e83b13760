// Makes marks of what rules find, so that they keep what mark.hpp promises whatever the events are:
// slices nest, times do not run backwards, and what is not known says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/mark.hpp"
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

// A data stream, as far as it has to be known what was lost in it.
struct StreamState {
  std::uint64_t lost_at = 0;  // the number of the event behind which its last loss was reported
  std::int64_t lost_begin = 0;
  std::int64_t last_time = std::numeric_limits<std::int64_t>::min();
};

// The event at hand.
struct Moment {
  const Event* event = nullptr;
  std::int64_t time = 0;
  std::int64_t end_time = kNoTime;  // of events with a duration
  std::uint64_t number = 0;         // of events so far
  StreamState* stream = nullptr;
};

// Who wants to know that a slice ended.
class SliceObserver {
 public:
  virtual ~SliceObserver() = default;
  virtual void slice_ended(std::uint32_t entry, std::int64_t time) = 0;
};

// By number, from 1 on; 0 is none.
using OpenId = std::uint32_t;

struct OpenSlice {
  std::int64_t begin = 0;
  std::int64_t end = kNoTime;  // where it is known beforehand
  std::uint64_t number = 0;    // of the event that began it
  StreamState* stream = nullptr;
  SliceObserver* observer = nullptr;
  std::uint32_t observed = 0;
  TrackId track = kNoTrack;  // the lane
  NameId name = kNoName;
  OpenId below = 0;  // of the same key
  std::uint16_t flags = 0;
  std::array<std::uint64_t, 3> check = {};
};

class Marking {
 public:
  static constexpr std::uint32_t kMostLanes = 256;
  static constexpr std::size_t kMostTracks = 65'536;
  static constexpr std::size_t kMostNames = 65'536;
  static constexpr std::size_t kMostOpen = std::size_t{1} << 20;

  explicit Marking(Timeline& timeline) : timeline_(timeline) {}

  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] std::vector<Mark>& marks() { return marks_; }

  // A new track; beyond `kMostTracks` the one that stands for all others.
  [[nodiscard]] TrackId add_track(Track track);
  [[nodiscard]] NameId add_name(std::string_view category, std::string_view text);

  // A slice begins; 0 when it is left out. `end`: where it is known.
  OpenId begin(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
               std::uint16_t flags);
  [[nodiscard]] OpenSlice& open(OpenId id) { return open_[id - 1]; }
  // A slice ends, and its number may be another's then.
  void end(OpenId id, const Moment& now, const Arguments* arguments, std::uint16_t flags = 0);
  // The same at a time before: something else began.
  void end_inferred(OpenId id, const Moment& now);
  // An end of a slice that did not begin: it began before the trace did, or is an instant.
  void end_unmatched(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                     bool key_is_new);
  // A slice whose end is known.
  void whole(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
             std::uint16_t flags);
  // Ends what ends until `time`. Before anything else is marked at that time.
  void pass(std::int64_t time) {
    if (!ending_.empty() && ending_.top().time <= time) [[unlikely]]
      end_known(time);
  }

  void instant(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
               std::uint16_t flags = 0);
  void state(TrackId track, NameId name, const Moment& now, std::int32_t cpu, std::int64_t spent);
  [[nodiscard]] NameId state_of(TrackId track) { return state_[track - 1].state; }
  void counter(TrackId track, const Moment& now, std::int64_t value);
  void counter(TrackId track, const Moment& now, double value);
  void wait(TrackId track, NameId name, const Moment& now, std::int64_t begin,
            const Arguments* arguments, std::uint16_t flags);
  void flow(TrackId from, std::int64_t from_time, TrackId to, const Moment& now);
  // Nothing is known of `stream` between the times; null: of all.
  void gap(StreamState* stream, NameId name, std::int64_t begin, std::int64_t end,
           std::uint64_t number);
  // No more events come: what is open stays so.
  void finish(std::int64_t time);

 private:
  struct TrackState {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    StreamState* stream = nullptr;
    std::uint64_t number = 0;  // of the last event on it
    NameId state = kNoName;
    std::vector<OpenId> stack = {};
    std::vector<TrackId> lanes = {};  // of the first lane: the others
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

  [[nodiscard]] TrackState& track_state(TrackId track) { return state_[track - 1]; }
  // What has to be marked before an event marks something on a track. Returns its time there.
  [[nodiscard]] std::int64_t touch(TrackId track, const Moment& now, std::uint16_t& flags);
  [[nodiscard]] TrackId lane_for(TrackId track, std::int64_t end);
  [[nodiscard]] TrackId free_lane(TrackId first);
  [[nodiscard]] OpenId take_open();
  OpenId begin_unplaced(TrackId track, NameId name, const Moment& now, std::uint16_t flags);
  void push_end(OpenSlice& slice, std::int64_t time, std::uint16_t flags, const Event* event,
                const Arguments* arguments);
  // Takes a slice off its track. `time` is not before what else is marked there.
  void close(OpenId id, std::int64_t time, std::uint16_t flags, const Event* event,
             const Arguments* arguments);
  void move_to_lane(const std::vector<OpenId>& moved, TrackId track, std::int64_t time);
  void end_known(std::int64_t time);
  [[nodiscard]] bool lost_since(const OpenSlice& slice, const StreamState* now) const {
    return (slice.stream != nullptr && slice.stream->lost_at > slice.number) ||
           (now != nullptr && now->lost_at > slice.number) || lost_at_ > slice.number;
  }
  Mark& add(MarkKind kind, TrackId track, NameId name, std::int64_t time);

  Timeline& timeline_;
  std::vector<Mark> marks_;
  std::deque<TrackState> state_;
  std::vector<OpenSlice> open_;
  std::vector<OpenId> unused_;
  std::unordered_set<OpenId> unplaced_;  // that no lane had room for
  std::priority_queue<Ending> ending_;
  std::uint64_t ending_number_ = 0;
  std::uint64_t lost_at_ = 0;  // in all streams
  std::int64_t lost_begin_ = 0;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();  // of all marks
  std::uint64_t flows_ = 0;
  TrackId quality_ = kNoTrack;
  TrackId others_ = kNoTrack;
  NameId other_name_ = kNoName;
};

}  // namespace tracedeck::timeline
