#include "tracedeck/timeline/latency_row.hpp"

#include <utility>

namespace tracedeck::timeline {

std::uint64_t LatencyRow::outliers() const {
  if (count() == 0) return 0;
  const double least = std::max(10 * durations.quantile(0.5), durations.quantile(0.99));
  std::uint64_t many = 0;
  for (const Histogram::Bucket& bucket : durations.buckets()) {
    if (bucket.lower > least) many += bucket.count;
  }
  return many;
}

void LatencyRow::settle() {
  durations.add_all(aside_);
  total += std::exchange(aside_total_, 0);
  aside_.clear();
}

void LatencyRow::add(TrackId track, std::int64_t begin, std::int64_t end, std::int64_t in_it) {
  const std::int64_t duration = end - begin;
  durations.add_unsigned(static_cast<std::uint64_t>(duration));
  total += static_cast<std::uint64_t>(duration);
  if (in_it > 0) inside += static_cast<std::uint64_t>(std::min(duration, in_it));
  if (is_longest(begin, end)) {
    longest = duration;
    longest_begin = begin;
    longest_track = track;
  }
  if (longest > kUsual) {
    settle();
    aside_ = {};
  } else if (durations.count() >= kMany && aside_.full()) {
    settle();
    aside_.reserve(kAside);
  }
}

}  // namespace tracedeck::timeline
