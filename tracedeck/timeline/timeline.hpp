// The tracks and names that marks refer to, and what was left out of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/place_names.hpp"

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

// A trace, or a machine of which traces are.
using OriginId = std::uint32_t;
struct TrackOrigin {
  std::string host = {};  // what the machine is called; empty: nothing says it
  // What its tracks and slices are told apart by, where several are read: the process as traces are
  // named, else the host.
  std::string shown = {};
  std::string trace = {};    // as it is named where several are read
  std::string process = {};  // that the trace is of, if it says so
  OriginId machine = 0;
  // Of machines from 0 on. The first trace of a machine has the machine's; further ones count down
  // from `Timeline::kMostNumbers`.
  std::uint32_t number = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::min();  // of the last event, if known

  // Whether it is a trace of a process, among others.
  [[nodiscard]] bool is_process() const { return !process.empty() && !trace.empty(); }
};

struct Track {
  TrackKind kind = TrackKind::kPlain;
  TrackId parent = kNoTrack;
  // As it is shown, with the host where there are several; lanes of one track have one name.
  std::string name = {};
  std::string group = {};  // what the table calls such tracks: "worker"
  std::uint32_t rank = 0;  // the place of its kind in the table
  // Lanes beyond the first are tracks of their own, made when they are needed: which one it is of
  // `first_lane`. Of others: 0, and the track itself.
  std::uint32_t lane = 0;
  TrackId first_lane = kNoTrack;
  std::optional<std::int64_t> pid = {};
  std::optional<std::int64_t> tid = {};
  std::uint32_t earlier = 0;   // how many processes, threads or tasks had its number before it
  std::string unit = {};       // of a counter: "ns", "bytes", "count" or words; may be empty
  OriginId origin = 0;         // whose it is: of a trace, or of a machine; 0: of all
  std::string full_name = {};  // without the host, and with all of a place
  PlaceRange place = {};       // in it
};

struct MarkName {
  std::string category = {};  // what the table calls it: "poll"; may be empty
  std::string text = {};      // "main.rs:220", as it is shown
  // Where it says a place: the whole name; else empty.
  std::string full = {};
  PlaceRange place = {};    // in it
  OriginId origin = 0;      // of slices and waits: where they were
  std::string host = {};    // that origin's `shown`, if it is known
  bool of_process = false;  // it is a process's
  bool shows_host = false;  // there are several

  // What tells it from others of its category: "src/main.rs:220:14".
  [[nodiscard]] const std::string& identity() const { return place.size == 0 ? text : full; }
  // "poll main.rs:220"
  [[nodiscard]] std::string label() const { return with_category(text); }
  // The same with the host where there are several: "web1: poll main.rs:220".
  [[nodiscard]] std::string title() const {
    return shows_host && !host.empty() ? host + ": " + label() : label();
  }
  [[nodiscard]] std::string with_category(std::string_view name) const {
    return category.empty() ? std::string(name) : category + " " + std::string(name);
  }
};

// What became of what the rules of disorder are about (docs/timeline.md); with a begin, from there
// on.
struct TimelineCounts {
  std::uint64_t events = 0;             // that were interpreted
  std::uint64_t without_time = 0;       // events that have none, or only a nominal one
  std::uint64_t too_far = 0;            // events left out: 2^63 ns or more from the base
  std::uint64_t unmatched_ends = 0;     // ends without a begin
  std::uint64_t left_out = 0;           // slices of unknown duration, for some of the next reasons
  std::uint64_t began_before = 0;       // slices from the trace's begin on
  std::uint64_t inferred_ends = 0;      // slices that end where another begins
  std::uint64_t ended_with_task = 0;    // slices that ended because their task did
  std::uint64_t inferred_states = 0;    // states before the first event that says anything of them
  std::uint64_t across_loss = 0;        // slices during which events were lost
  std::uint64_t across_clock_step = 0;  // slices during which their clock stepped back
  std::uint64_t open_at_end = 0;        // slices that did not end
  std::uint64_t negative = 0;           // slices that end before they begin
  std::uint64_t overlaps = 0;           // slices moved to a lane because they overlap another
  std::uint64_t without_lane = 0;       // slices left out: all lanes were taken
  std::uint64_t clock_steps = 0;        // events earlier than what came before on their track
  std::uint64_t sections = 0;           // clocks that stepped back so far that all begins anew
  std::uint64_t without_rule = 0;       // events that no rule is about
  std::uint64_t without_field = 0;      // events that lack a field that their rule is about
  std::uint64_t not_held = 0;           // begins for which there was no room in memory
  std::uint64_t lost_events = 0;        // that the trace reports
  std::uint64_t gaps = 0;               // losses and damaged ranges
  std::uint64_t damaged = 0;            // damaged ranges alone
  // Data streams that ended long before their traces, or began long after them.
  std::uint64_t ended_early = 0;
  std::uint64_t missing_switches = 0;  // of processors that took off what was not put on
  std::uint64_t unrelated_clocks = 0;  // clocks that nothing relates to the first one

  // Whether not all events of the traces are known.
  [[nodiscard]] bool has_losses() const { return gaps + ended_early + missing_switches != 0; }
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
  [[nodiscard]] const TrackOrigin& origin(OriginId id) const { return origins_[id]; }
  [[nodiscard]] const TrackOrigin& origin_of(TrackId id) const {
    return origins_[track(id).origin];
  }
  // Equal for tracks whose processes, threads and processors are one if their numbers are equal:
  // those of a machine; of tasks that its traces do not share, those of a trace. Below
  // `kMostNumbers`: beyond that they come again.
  [[nodiscard]] std::uint32_t host_number(TrackId id) const {
    const TrackOrigin& origin = origin_of(id);
    const bool is_of_trace = track(id).kind == TrackKind::kTask;
    return (is_of_trace ? origin : origins_[origin.machine]).number % kMostNumbers;
  }
  static constexpr std::uint32_t kMostNumbers = 200;
  // What a track is told from those of other hosts or processes by, where there are several; else
  // empty.
  [[nodiscard]] std::string_view shown_origin(TrackId id) const {
    return expects_hosts_ || has_several_origins() ? std::string_view(origin_of(id).shown)
                                                   : std::string_view();
  }
  // Whether traces are of more than one machine or process, as far as is known by now.
  [[nodiscard]] bool has_several_origins() const { return machines_ > 1 || processes_ > 1; }
  // The time of the last event of those that a track may have; nothing is known of it behind.
  [[nodiscard]] std::int64_t end_of(TrackId id) const { return end_of_origin(track(id).origin); }
  [[nodiscard]] std::int64_t end_of_origin(OriginId id) const {
    const std::int64_t end = origin(id).end;
    return end == std::numeric_limits<std::int64_t>::min() ? this->end() : end;
  }
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
  // the first event is near that or behind it (from the year 2116 on, since the Unix epoch), or
  // more where it is near 2^64 or behind that.
  [[nodiscard]] Uint128 base() const { return base_; }
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
  // The same of those that are related to it by how the clocks of their hosts were set.
  [[nodiscard]] const std::vector<std::string>& traces_of_other_hosts() const {
    return traces_of_other_hosts_;
  }

  // Tracks are called with their host from now on, as traces of several may come.
  void expect_hosts() { expects_hosts_ = true; }

  // For who makes marks.
  void note_first_trace(std::string name) { first_trace_ = std::move(name); }
  void note_unrelated_trace(const std::string& name) { note_trace(unrelated_traces_, name); }
  void note_trace_of_other_host(const std::string& name) {
    note_trace(traces_of_other_hosts_, name);
  }
  OriginId add_machine(const std::string& host);
  // A trace of a machine. `name`: as it is named where several are read.
  OriginId add_trace(OriginId machine, std::string name, std::string process);
  // The last event of a trace, by its origin, is of that time at least.
  void note_end(OriginId trace, std::int64_t time);
  TrackId add_track(Track track);
  // `text`: the identity; what is shown of it tells it from all that were added before.
  NameId add_name(std::string_view category, std::string_view text, PlaceRange place = {},
                  std::string_view host = {}, OriginId origin = 0);
  // kNoName: there is none of that identity.
  [[nodiscard]] NameId find_name(std::string_view category, std::string_view text,
                                 std::string_view host = {}) const;
  // No more names come: what is shown of each tells it from all.
  void settle_names();
  [[nodiscard]] TimelineCounts& mutable_counts() { return counts_; }
  void note_table(const std::string& table);
  void note_clock(const ClockClass& clock) { clock_ = clock; }
  // An event is of that time.
  void note_time(std::int64_t time) {
    begin_ = std::min(begin_, time);
    end_ = std::max(end_, time);
  }

 private:
  void note_trace(std::vector<std::string>& traces, const std::string& name) const;
  // Whether its name is shown without that of the track that it is of.
  [[nodiscard]] static bool has_own_name(const Track& track);
  [[nodiscard]] std::string title_of(const Track& track) const;
  [[nodiscard]] bool is_of_trace(const Track& track) const;
  // While tracks are added, where one of another trace is called the same.
  void name_trace_of_equal(Track& track);
  void name_traces_of_equal_tracks();
  [[nodiscard]] static std::string_view place_in(std::string_view text, PlaceRange place);
  [[nodiscard]] std::string shown(std::string_view text, PlaceRange place) const;

  std::deque<Track> tracks_;
  // By machine, tid and `Track::earlier`; kNoTrack: there are several.
  std::map<std::tuple<OriginId, std::int64_t, std::uint32_t>, TrackId> threads_;
  std::deque<TrackOrigin> origins_ = std::deque<TrackOrigin>(1);  // by OriginId
  TextMap<OriginId> first_of_name_;                               // of the tracks of traces
  std::uint32_t machines_ = 0;
  std::uint32_t further_traces_ = 0;  // of machines that had one
  std::uint32_t processes_ = 0;       // that traces say they are of
  bool expects_hosts_ = false;
  std::deque<MarkName> names_;
  TextMap<NameId> by_text_;  // category, host and identity
  PlaceNames places_;        // of names and tracks
  TimelineCounts counts_;
  std::optional<ClockClass> clock_;
  std::string first_trace_;
  std::vector<std::string> unrelated_traces_;
  std::vector<std::string> traces_of_other_hosts_;
  Uint128 base_ = 0;
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
  std::vector<std::string> tables_;
};

}  // namespace tracedeck::timeline
