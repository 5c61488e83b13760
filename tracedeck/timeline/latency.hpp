// How long slices and waits took, by name: in one pass, in memory that does not grow with the
// trace.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/timeline/latency_row.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/name_pattern.hpp"
#include "tracedeck/timeline/span_arguments.hpp"
#include "tracedeck/timeline/span_totals.hpp"
#include "tracedeck/timeline/track_titles.hpp"

namespace tracedeck::timeline {

// What conditions and groups of `latency` are about: finished slices and waits.
//   name, category, label ("CATEGORY NAME"): both with all of a place, which any ending of it is
//   equal to; track, kind ("slice", "wait"), time (of the begin),
//   end, duration, and what `SpanArguments` knows of them by any other name
[[nodiscard]] const std::vector<query::Column>& slice_columns();

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

class Latency final : public MarkSink, private SpanCounter {
 public:
  // Errors: kInvalidArgument, an expression that names no column.
  [[nodiscard]] static Result<std::unique_ptr<Latency>> make(LatencyOptions options);

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;
  // With a condition or groups it needs the events that marks came of.
  [[nodiscard]] SpanCounter* counter() override { return projection_ ? nullptr : this; }

  // For who counts ends one by one: a slice began.
  void see_begin(const Mark& mark) {
    if (arguments_) arguments_->begin(mark);
  }
  // Counts the end of a slice, or of a wait, and nothing else. Returns the row that it is in; null:
  // it is left out.
  LatencyRow* count_end(const Timeline& timeline, const Mark& mark, bool is_wait);

  // Names rows as they are shown now.
  void name_rows(const Timeline& timeline) {
    for (LatencyRow& row : rows_) row.name = timeline.name(row.id);
  }
  // From now on: what ends before is left out.
  void begin_at(std::int64_t time) { totals_.begin_at(time); }

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
  using TrackTimes = SpanTotals::TrackTimes;
  struct TrackStates {
    NameId state = kNoName;
    std::int64_t begin = 0;
    bool is_doubtful = false;  // when it began
    std::vector<TrackUse::State> states = {};
  };

  explicit Latency(LatencyOptions options) : options_(std::move(options)) {
    if (options_.begin) totals_.begin_at(*options_.begin);
  }

  [[nodiscard]] SpanTotals& totals() override { return totals_; }
  void see(const Timeline& timeline, const Mark& mark) override;
  LatencyRow* count(const Timeline& timeline, const Mark& mark, bool is_wait, std::int64_t inside);
  // `inside`: ns of the slices in it.
  static void add(LatencyRow& row, const Mark& mark, std::int64_t inside);
  [[nodiscard]] LatencyRow* row_of(const Timeline& timeline, const Mark& mark, bool is_wait);
  [[nodiscard]] LatencyRow* general_row(const Timeline& timeline, const Mark& mark, bool is_wait);
  void take_arguments(const Mark& mark);
  // The track that counts what is on a mark's: of what lies on a lane, the first one.
  [[nodiscard]] TrackTimes& whole_track(const Timeline& timeline, const Mark& mark) {
    return totals_.track(mark.has(kOverlap) ? timeline.track(mark.track).first_lane : mark.track);
  }
  // A slice began on its track.
  void enter(const Timeline& timeline, const Mark& mark);
  // One ended. Returns the ns of the slices in it.
  std::int64_t leave(const Timeline& timeline, const Mark& mark);
  void see_state(const Mark& mark);
  void see_other_state(const Mark& mark);
  [[nodiscard]] static TrackUse::State& state_of(TrackStates& track, NameId name);
  void see_counter(const Mark& mark);

  LatencyOptions options_;
  SpanTotals totals_;
  std::optional<query::RowProjection> projection_;  // the condition, then what is grouped by
  bool has_where_ = false;
  std::optional<SpanArguments> arguments_;  // if those expressions name any
  bool any_ended_ = false;                  // with these
  std::vector<query::Value> row_;           // columns, then arguments
  std::deque<query::SeenUnit> units_ = {};  // of these
  query::ComparedColumns compared_ = {};
  NumberMap<NameId, WaysToSay> said_;  // of conditions and groups
  TrackTitles titles_;
  std::deque<LatencyRow> rows_;
  TextMap<LatencyRow*> grouped_;
  std::vector<TrackStates> states_;  // by TrackId, from 1 on
  // What was in slices that are about to go on on another lane, outermost last.
  std::vector<std::int64_t> moving_;
  bool moves_ = false;
  std::deque<CounterUse> counters_;
  std::vector<CounterUse*> counter_of_;  // by track
  std::uint64_t filtered_ = 0;
};

}  // namespace tracedeck::timeline
