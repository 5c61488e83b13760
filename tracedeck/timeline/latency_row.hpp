// The durations of the slices, or waits, of one name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/timeline/pile.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

class LatencyRow {
 public:
  bool is_wait = false;
  NameId id = kNoName;
  MarkName name = {};
  std::string by = {};  // of `LatencyOptions::by`; may be empty
  // Of these two the usual ones are known once `settle` was called.
  Histogram durations;  // ns
  Uint128 total = 0;    // ns, of all of them
  Uint128 inside = 0;   // of these, ns in slices that were inside; of waits 0
  std::int64_t longest = -1;
  std::int64_t longest_begin = 0;
  TrackId longest_track = kNoTrack;
  // Without a known duration, and in nothing of the above.
  std::uint64_t left_out = 0;
  std::uint64_t across_loss = 0;        // of these, those within which events were lost
  std::uint64_t across_clock_step = 0;  // of these, those during which their clock stepped back
  std::uint64_t open = 0;               // of these, those that had not ended when the trace did
  std::uint32_t unclear = 0;            // of those left out, others whose end may be another's
  bool is_open_unclear = false;         // of what began, which those are is not known; or
  std::int64_t oldest_open = 0;         // ns that the longest of them had lasted by then,
  std::int64_t oldest_open_begin = 0;   // since then

  [[nodiscard]] std::uint64_t count() const { return durations.count(); }
  // ns in no slice that was inside.
  [[nodiscard]] Uint128 self() const { return total - inside; }
  // "poll main.rs:220"
  [[nodiscard]] std::string label() const { return name.label(); }
  // How many took more than ten times the median: from `least` to `most` of them, as durations are
  // known by the buckets of the histogram. Equal where no duration lies near that bound.
  struct Outliers {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  [[nodiscard]] Outliers outliers() const;

  // One that has a duration, which is not negative. `in_it`: ns of the slices in it.
  void add(TrackId track, std::int64_t begin, std::int64_t end, std::int64_t in_it);
  // The same of most of them, if there are many: in a few instructions. False of others, which are
  // not added.
  [[nodiscard, gnu::always_inline]] bool add_usual(std::int64_t begin, std::int64_t end,
                                                   std::int64_t in_it) {
    if (aside_.full() || is_longest(begin, end)) return false;
    aside_.push_there(end - begin);
    aside_total_ += static_cast<std::uint64_t>(end - begin);
    if (in_it > 0) inside += static_cast<std::uint64_t>(std::min(end - begin, in_it));
    return true;
  }
  void settle();

 private:
  static constexpr std::size_t kAside = 64;
  static constexpr std::uint64_t kMany = 256;
  static constexpr std::int64_t kUsual = std::int64_t{1} << 57;  // as many of them fit 64 bits

  [[nodiscard]] bool is_longest(std::int64_t begin, std::int64_t end) const {
    return end - begin > longest || (end - begin == longest && begin < longest_begin);
  }

  Pile<std::int64_t, kAside> aside_;  // durations that are not in `durations`, nor in `total`
  std::uint64_t aside_total_ = 0;     // ns of these
};

}  // namespace tracedeck::timeline
