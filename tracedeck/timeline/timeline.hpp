// The tracks and names that marks refer to, and what was left out of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::timeline {

enum class TrackKind : std::uint8_t {
  kGroup,    // holds others: `parent` of them
  kProcess,  // `pid`
  kThread,   // `pid`, `tid`: slices of what it does
  kCpu,      // slices of what runs in between of tasks: interrupts
  kTask,     // states of what a scheduler runs, with the processor in `Mark::cpu`; `tid`
  kLanes,    // slices that may overlap, each on a lane of its own
  kState,    // states
  kCounter,  // values
  kPlain,    // slices and instants
};

struct Track {
  TrackKind kind = TrackKind::kPlain;
  TrackId parent = kNoTrack;
  std::string name = {};   // as it is shown; lanes of one track have one name
  std::string group = {};  // what the table calls such tracks: "worker"
  std::uint32_t rank = 0;  // the place of its kind in the table
  // Lanes beyond the first are tracks of their own, made when they are needed: which one it is of
  // `first_lane`. Of others: 0, and the track itself.
  std::uint32_t lane = 0;
  TrackId first_lane = kNoTrack;
  std::optional<std::int64_t> pid = {};
  std::optional<std::int64_t> tid = {};
  std::string unit = {};  // of a counter: "ns", "bytes", "count" or words; may be empty
};

struct MarkName {
  std::string category = {};  // what the table calls it: "poll"; may be empty
  std::string text = {};      // "main.rs:220"

  // "poll main.rs:220"
  [[nodiscard]] std::string label() const {
    return category.empty() ? text : category + " " + text;
  }
};

// What became of what the rules of disorder are about (docs/timeline.md); with a begin, from there
// on.
struct TimelineCounts {
  std::uint64_t events = 0;            // that were interpreted
  std::uint64_t without_time = 0;      // events that have none, or only a nominal one
  std::uint64_t unmatched_ends = 0;    // ends without a begin
  std::uint64_t began_before = 0;      // slices from the trace's begin on
  std::uint64_t inferred_ends = 0;     // slices that end where another begins
  std::uint64_t ended_with_task = 0;   // slices that ended because their task did
  std::uint64_t inferred_states = 0;   // states before the first event that says anything of them
  std::uint64_t across_loss = 0;       // slices during which events were lost
  std::uint64_t open_at_end = 0;       // slices that did not end
  std::uint64_t negative = 0;          // slices that end before they begin
  std::uint64_t overlaps = 0;          // slices moved to a lane because they overlap another
  std::uint64_t without_lane = 0;      // slices left out: all lanes were taken
  std::uint64_t clock_steps = 0;       // events earlier than what came before on their track
  std::uint64_t sections = 0;          // clocks that stepped back so far that all begins anew
  std::uint64_t without_rule = 0;      // events that no rule is about
  std::uint64_t without_field = 0;     // events that lack a field that their rule is about
  std::uint64_t not_held = 0;          // begins for which there was no room in memory
  std::uint64_t lost_events = 0;       // that the trace reports
  std::uint64_t gaps = 0;              // losses and damaged ranges
  std::uint64_t unrelated_clocks = 0;  // clocks that nothing relates to the first one

  // Leaves what is of whole traces.
  void forget_places() { *this = {.events = events, .unrelated_clocks = unrelated_clocks}; }

  friend bool operator==(const TimelineCounts&, const TimelineCounts&) = default;
};

// Grows while a trace is interpreted; what it holds keeps its number and its address.
class Timeline {
 public:
  [[nodiscard]] const Track& track(TrackId id) const { return tracks_[id - 1]; }
  [[nodiscard]] std::size_t track_count() const { return tracks_.size(); }
  // The track that it is shown on, or kNoTrack: its parent; of the states that a scheduler gives a
  // thread, the track of what that does, if as far as is known there is one such.
  [[nodiscard]] TrackId parent_of(TrackId id) const;
  [[nodiscard]] const MarkName& name(NameId id) const { return names_[id - 1]; }
  [[nodiscard]] std::size_t name_count() const { return names_.size(); }
  [[nodiscard]] const TimelineCounts& counts() const { return counts_; }
  // Of the first event with a time, whose trace may be gone; null before it came.
  [[nodiscard]] const ClockClass* clock() const { return clock_ ? &*clock_ : nullptr; }
  // The times of the first and of the last event, whether rules are about them or not; 0 when there
  // was none. The first is the zero of what is shown as "+T", which `--begin +T` counts from too,
  // and what had begun before is taken to begin there. While events come the last is one that a
  // rule is about.
  [[nodiscard]] std::int64_t begin() const { return begin_ <= end_ ? begin_ : 0; }
  [[nodiscard]] std::int64_t end() const { return begin_ <= end_ ? end_ : 0; }
  // The tables whose rules met events, in the order in which they were first met.
  [[nodiscard]] const std::vector<std::string>& tables() const { return tables_; }

  // What times of marks count from, in ns from the origin of the trace's clock: 0, or 2^63 where
  // the first event is near that or behind it (from the year 2116 on, since the Unix epoch).
  [[nodiscard]] std::uint64_t base() const { return base_; }
  // A time of a mark in ns from the origin of the clock, and the other way, saturated.
  [[nodiscard]] Nanoseconds absolute(std::int64_t time) const {
    return Nanoseconds::from_unsigned(base_) + Nanoseconds(time);
  }
  [[nodiscard]] std::int64_t time_of(const Nanoseconds& time) const;
  // Before the first mark: the time of the first event.
  void choose_base(const Nanoseconds& first);

  // The first trace with a time, and those whose clocks nothing relates to that of it, each once:
  // so many at most.
  static constexpr std::size_t kMostUnrelated = 1024;
  [[nodiscard]] const std::string& first_trace() const { return first_trace_; }
  [[nodiscard]] const std::vector<std::string>& unrelated_traces() const {
    return unrelated_traces_;
  }

  // For who makes marks.
  void note_first_trace(std::string name) { first_trace_ = std::move(name); }
  void note_unrelated_trace(const std::string& name);
  TrackId add_track(Track track);
  NameId add_name(std::string_view category, std::string_view text);
  // kNoName: there is none such.
  [[nodiscard]] NameId find_name(std::string_view category, std::string_view text) const;
  [[nodiscard]] TimelineCounts& mutable_counts() { return counts_; }
  void note_table(const std::string& table);
  void note_clock(const ClockClass& clock) { clock_ = clock; }
  // An event is of that time.
  void note_time(std::int64_t time) {
    begin_ = std::min(begin_, time);
    end_ = std::max(end_, time);
  }

 private:
  std::deque<Track> tracks_;
  NumberMap<std::int64_t, TrackId> threads_;  // by tid; kNoTrack: there are several
  std::deque<MarkName> names_;
  TextMap<NameId> by_text_;
  TimelineCounts counts_;
  std::optional<ClockClass> clock_;
  std::string first_trace_;
  std::vector<std::string> unrelated_traces_;
  std::uint64_t base_ = 0;
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
  std::vector<std::string> tables_;
};

}  // namespace tracedeck::timeline
