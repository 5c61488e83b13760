// What slices and waits add up to: by name, and on each track.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tracedeck/timeline/latency_row.hpp"
#include "tracedeck/timeline/pile.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

class SpanTotals {
 public:
  SpanTotals() = default;
  SpanTotals(const SpanTotals&) = delete;
  SpanTotals& operator=(const SpanTotals&) = delete;

  struct alignas(64) TrackTimes {
    Pile<std::int64_t, 8> inside = {};  // of each slice that is open, ns of those in it
    std::int64_t outer_begin = 0;
    std::int64_t busy = 0;       // ns within slices
    std::int64_t busy_open = 0;  // and within an outermost one that goes on at the trace's end
    std::uint32_t depth = 0;     // on all lanes
  };

  // Tracks and names that have come to be. Before they are named in what follows.
  void know(const Timeline& timeline) {
    if (tracks_.size() <= timeline.track_count()) tracks_.resize(timeline.track_count() + 1);
    if (slices_.size() > timeline.name_count()) return;
    slices_.resize(timeline.name_count() + 1, &none_);
    waits_.resize(timeline.name_count() + 1, &none_);
  }
  // What ends before is left out.
  void begin_at(std::int64_t time) { begin_ = time; }
  [[nodiscard]] std::int64_t begin() const { return begin_; }

  [[nodiscard]] TrackTimes& track(TrackId id) { return tracks_[id]; }
  [[nodiscard]] const std::vector<TrackTimes>& tracks() const { return tracks_; }
  // Null before there is one.
  [[nodiscard]] LatencyRow* row(NameId name, bool is_wait) {
    LatencyRow* const row = (is_wait ? waits_ : slices_)[name];
    return row == &none_ ? nullptr : row;
  }
  void set_row(NameId name, bool is_wait, LatencyRow& row) {
    (is_wait ? waits_ : slices_)[name] = &row;
  }

  // Of slices and waits whose marks are not `kOdd`. False: there is more to do, as for the first of
  // a name, and nothing was counted.
  [[nodiscard, gnu::always_inline]] bool began(TrackId id, std::int64_t time) {
    TrackTimes& times = track(id);
    if (times.inside.full()) return false;
    times.inside.push_there(0);
    if (times.depth == 0) times.outer_begin = time;
    ++times.depth;
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool ended(TrackId id, NameId name, std::int64_t begin,
                                               std::int64_t end) {
    TrackTimes& times = track(id);
    if (times.outer_begin < begin_) return false;
    if (!slices_[name]->add_usual(begin, end, times.inside.back())) return false;
    times.inside.pop();
    if (!times.inside.empty()) times.inside.back() += end - begin;
    if (--times.depth == 0 && end > times.outer_begin) times.busy += end - times.outer_begin;
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool waited(NameId name, std::int64_t begin, std::int64_t end) {
    return end >= begin_ && waits_[name]->add_usual(begin, end, 0);
  }

 private:
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::min();
  std::vector<TrackTimes> tracks_;   // by TrackId
  LatencyRow none_;                  // of names that have none yet: nothing is usual for it
  std::vector<LatencyRow*> slices_;  // by name
  std::vector<LatencyRow*> waits_;
};

}  // namespace tracedeck::timeline
