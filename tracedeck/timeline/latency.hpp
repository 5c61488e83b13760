// How long slices and waits took, by name: in one pass, in memory that does not grow with the
// trace.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/pile.hpp"
#include "tracedeck/timeline/span_arguments.hpp"

namespace tracedeck::timeline {

// What conditions and groups of `latency` are about: finished slices and waits.
//   name, category, label ("CATEGORY NAME"), track, kind ("slice", "wait"), time (of the begin),
//   end, duration, and what `SpanArguments` knows of them by any other name
[[nodiscard]] const std::vector<query::Column>& slice_columns();

// Of the slices, or waits, of one name.
struct LatencyRow {
  bool is_wait = false;
  std::string category = {};
  std::string name = {};
  std::string by = {};  // of `LatencyOptions::by`; may be empty
  Histogram durations;  // ns
  Uint128 total = 0;    // ns, of all of them
  Uint128 inside = 0;   // of these, ns in slices that were inside; of waits 0
  std::int64_t longest = -1;
  std::int64_t longest_begin = 0;
  TrackId longest_track = kNoTrack;
  // Without a known duration, and in nothing of the above.
  std::uint64_t left_out = 0;
  std::uint64_t across_loss = 0;  // of these, those within which events were lost
  std::uint64_t open = 0;         // of these, those that had not ended when the trace did
  std::int64_t oldest_open = 0;   // ns that the longest of them had lasted by then

  [[nodiscard]] std::uint64_t count() const { return durations.count(); }
  // ns in no slice that was inside.
  [[nodiscard]] Uint128 self() const { return total - inside; }
  // "poll main.rs:220"
  [[nodiscard]] std::string label() const {
    return category.empty() ? name : category + " " + name;
  }
  // How many took more than ten times the median and more than the 99th percentile.
  [[nodiscard]] std::uint64_t outliers() const;
};

// What was done on a track.
struct TrackUse {
  TrackId track = kNoTrack;
  // Lanes of a track are one with it.
  std::int64_t busy = 0;       // ns within slices
  std::int64_t busy_open = 0;  // and within an outermost one that goes on at the trace's end
  struct State {
    NameId name = kNoName;
    std::int64_t time = 0;   // ns until it ended
    std::int64_t spent = 0;  // of what the table calls so: CPU time
    std::int64_t open = 0;   // ns that it has gone on at the trace's end
  };
  std::vector<State> states = {};
};

// The values that a counter had; of integers exact.
struct CounterUse {
  template <class Number>
  struct Range {
    Number least = 0;
    Number most = 0;
    Number last = 0;
  };
  TrackId track = kNoTrack;
  std::uint64_t count = 0;  // times it was set, or was added to
  bool has_before = false;  // a value that held before what is reported
  bool is_real = false;
  Range<std::int64_t> integers = {};
  Range<double> reals = {};
};

struct LatencyOptions {
  std::string where = {};                  // a condition on `slice_columns`; empty: all
  std::string by = {};                     // an expression of them; empty: none
  std::optional<std::int64_t> begin = {};  // what ends before is left out
  // Rows with names beyond these are put together.
  std::size_t most_rows = 65'536;
};

class Latency final : public MarkSink {
 public:
  // Errors: kInvalidArgument, an expression that names no column.
  [[nodiscard]] static Result<std::unique_ptr<Latency>> make(LatencyOptions options);

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // For who counts ends one by one: a slice began.
  void see_begin(const Mark& mark) {
    if (arguments_) arguments_->begin(mark);
  }
  // Counts the end of a slice, or of a wait, and nothing else. Returns the row that it is in; null:
  // it is left out.
  LatencyRow* count_end(const Timeline& timeline, const Mark& mark, bool is_wait);

  // From now on: what ends before is left out.
  void begin_at(std::int64_t time) { begin_ = time; }

  [[nodiscard]] const std::deque<LatencyRow>& rows() const { return rows_; }
  // Of tracks with states, or with slices of threads and processors, in the order of tracks.
  [[nodiscard]] std::vector<TrackUse> uses() const;
  // In the order in which they were first set.
  [[nodiscard]] const std::deque<CounterUse>& counters() const { return counters_; }
  // Slices and waits that did not meet the condition.
  [[nodiscard]] std::uint64_t filtered() const { return filtered_; }
  [[nodiscard]] const LatencyOptions& options() const { return options_; }
  // Of what conditions and groups name: what no slice or wait has, as sentences; none if there was
  // neither. And what was not held.
  [[nodiscard]] std::vector<std::string> unknown_arguments() const;
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  struct TrackTimes {
    std::int64_t busy = 0;
    std::int64_t busy_open = 0;
    std::uint32_t depth = 0;  // on all lanes
    std::int64_t outer_begin = 0;
    Pile<std::int64_t, 8> inside = {};  // of each slice that is open, ns of those in it
    NameId state = kNoName;
    std::int64_t state_begin = 0;
    bool is_doubtful = false;  // when it began
    std::vector<TrackUse::State> states = {};
  };

  explicit Latency(LatencyOptions options)
      : options_(std::move(options)),
        begin_(options_.begin.value_or(std::numeric_limits<std::int64_t>::min())) {}

  void know(const Timeline& timeline);
  // Of any mark; those that are not `kOdd` take a shorter way.
  void see_any(const Timeline& timeline, const Mark& mark);
  // Of a state or counter, or of what counts for nothing.
  void see_point(const Mark& mark);
  LatencyRow* count_any(const Timeline& timeline, const Mark& mark, bool is_wait,
                        std::int64_t inside);
  // `flags`, here and below: of them those that are `kOdd`. Where there are none the compiler
  // knows it.
  LatencyRow* end(const Timeline& timeline, const Mark& mark, std::uint16_t flags, bool is_wait,
                  std::int64_t inside);
  // `inside`: ns of the slices in it.
  static void add(LatencyRow& row, const Mark& mark, std::uint16_t flags, std::int64_t inside);
  [[nodiscard]] LatencyRow* row_of(const Timeline& timeline, const Mark& mark, bool is_wait);
  [[nodiscard]] LatencyRow* general_row(const Timeline& timeline, const Mark& mark, bool is_wait);
  void take_arguments(const Mark& mark);
  // The track that `lane`, on which the mark is, is a lane of: its first one, which was made
  // before.
  [[nodiscard]] TrackTimes& whole_track(const Timeline& timeline, const Mark& mark,
                                        std::uint16_t flags, TrackTimes& lane) {
    return (flags & kOverlap) != 0 ? tracks_[timeline.track(mark.track).first_lane - 1] : lane;
  }
  // A slice began on its track.
  void enter(const Timeline& timeline, const Mark& mark, std::uint16_t flags);
  // One ended. Returns the ns of the slices in it.
  std::int64_t leave(const Timeline& timeline, const Mark& mark, std::uint16_t flags);
  void state(const Mark& mark);
  [[nodiscard]] TrackUse::State& state_of(TrackTimes& track) const;
  void counter(const Mark& mark);

  LatencyOptions options_;
  std::int64_t begin_;                              // what ends before is left out
  std::optional<query::RowProjection> projection_;  // the condition, then what is grouped by
  bool has_where_ = false;
  std::optional<SpanArguments> arguments_;  // if those expressions name any
  bool any_ended_ = false;                  // with these
  std::vector<query::Value> row_;           // columns, then arguments
  std::deque<LatencyRow> rows_;
  std::vector<LatencyRow*> slices_;  // by name
  std::vector<LatencyRow*> waits_;
  std::unordered_map<std::string, LatencyRow*> grouped_;
  std::vector<TrackTimes> tracks_;  // by TrackId, from 1 on
  // What was in slices that are about to go on on another lane, outermost last.
  std::vector<std::int64_t> moving_;
  bool moves_ = false;
  std::deque<CounterUse> counters_;
  std::vector<CounterUse*> counter_of_;  // by track
  std::uint64_t filtered_ = 0;
};

}  // namespace tracedeck::timeline
