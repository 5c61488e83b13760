// What the text and the JSON of `latency` share: which rows, in which order, and their words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/track_titles.hpp"

namespace tracedeck::timeline {

struct LatencyQuantile {
  std::string_view title;
  std::string_view key;
  double part;
  std::uint64_t least;  // values, for it to be another than the maximum
};
inline constexpr auto kLatencyQuantiles = std::to_array<LatencyQuantile>({
    {"P50", "p50", 0.5, 1},
    {"P90", "p90", 0.9, 2},
    {"P99", "p99", 0.99, 10},
    {"P99.9", "p99.9", 0.999, 100},
});

// Rows of one category, those with the greatest total first; waits are a category.
struct LatencyCategory {
  bool is_wait = false;
  std::string_view name = {};
  std::vector<const LatencyRow*> rows = {};
  std::size_t more = 0;  // rows that were left out
};

// In the order in which categories came, waits before slices. `top`: rows of each; 0: all.
[[nodiscard]] std::vector<LatencyCategory> latency_categories(const Latency& latency,
                                                              std::size_t top);

// Whether slices of such tracks follow one another.
[[nodiscard]] inline bool shows_busy(TrackKind kind) {
  return kind == TrackKind::kThread || kind == TrackKind::kCpu;
}

// Under which track what is done on it is shown: states under the track that they are of.
[[nodiscard]] TrackId shown_under(const Timeline& timeline, TrackId track);

// A track's name without the host.
[[nodiscard]] std::string_view name_on_host(const Timeline& timeline, TrackId track);

// Whether tracks are of one machine, as far as is known.
[[nodiscard]] bool are_of_one_machine(const Timeline& timeline, TrackId a, TrackId b);

// A time from the trace's begin: "+3.909993s".
[[nodiscard]] std::string since_begin(const Timeline& timeline, std::int64_t time);

// States and slices of tracks by groups, and what counters were: as lines, each group and list cut
// to `top` and saying so; 0: all. `begin`: of what is reported.
[[nodiscard]] std::string track_lines(const Latency& latency, const Timeline& timeline,
                                      std::size_t top, std::int64_t begin);
[[nodiscard]] std::string counter_lines(const Latency& latency, const Timeline& timeline,
                                        std::size_t top);

}  // namespace tracedeck::timeline
