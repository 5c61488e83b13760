#include "tracedeck/timeline/latency_row.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace tracedeck::timeline {

LatencyRow::Outliers LatencyRow::outliers() const {
  // Durations are whole: the largest of a bucket is below its upper bound, which does not belong
  // to it.
  const auto least_of = [&](const Histogram::Bucket& bucket) {
    return std::max(std::ceil(bucket.lower), durations.minimum());
  };
  const auto most_of = [&](const Histogram::Bucket& bucket) {
    return std::min(std::ceil(bucket.upper) - 1, durations.maximum());
  };
  const std::vector<Histogram::Bucket> buckets = durations.buckets();
  const std::uint64_t rank = count() - count() / 2;  // of the median
  std::uint64_t below = 0;
  auto median = buckets.begin();
  while (median != buckets.end() && below + median->count < rank) below += (median++)->count;
  Outliers found;
  for (auto bucket = median; bucket != buckets.end(); ++bucket) {
    if (least_of(*bucket) > 10 * most_of(*median)) found.least += bucket->count;
    if (most_of(*bucket) > 10 * least_of(*median)) found.most += bucket->count;
  }
  return found;
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
