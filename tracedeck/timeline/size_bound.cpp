#include "tracedeck/timeline/size_bound.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace tracedeck::timeline {
namespace {

constexpr std::size_t kMostTries = 6;
// What is aimed at, as a part of what is allowed: slices differ.
constexpr double kAim = 0.97;
constexpr double kLargestStep = 8;

// Two digits are enough for a bound, and kinder.
std::int64_t rounded_up(double value) {
  constexpr double kLargest = 9e18;
  if (value >= kLargest) return static_cast<std::int64_t>(kLargest);
  std::int64_t unit = 1;
  while (value / static_cast<double>(unit) > 99) unit *= 10;
  return static_cast<std::int64_t>(std::ceil(value / static_cast<double>(unit))) * unit;
}

}  // namespace

double SizeBound::wanted() const {
  const auto most = static_cast<double>(most_) * kAim;
  const Tried& last = tried_.back();
  double each = last.slices == 0 ? 0 : last.size / last.slices;
  if (tried_.size() > 1) {
    const Tried& before = tried_[tried_.size() - 2];
    if (before.slices > last.slices && before.size > last.size)
      each = (before.size - last.size) / (before.slices - last.slices);
  }
  return each == 0 ? 0 : last.slices - (last.size - most) / each;
}

std::optional<std::int64_t> SizeBound::next(const ShortSlices& slices, std::uint64_t size,
                                            std::int64_t shortest) {
  const Histogram& durations = slices.durations();
  tried_.push_back({.slices = static_cast<double>(durations.count() - slices.counts().slices),
                    .size = static_cast<double>(size)});
  if (tried_.size() == kMostTries || tried_.back().slices == 0) return std::nullopt;
  // Longer slices may take more than the shorter ones did, so it is approached in steps, and the
  // last one is all.
  const double least = tried_.size() + 1 == kMostTries ? 0 : tried_.back().slices / kLargestStep;
  const double room = std::max(wanted(), least);
  // From the longest down, as many as there is room for.
  double bound = durations.maximum() + 1;
  double count = 0;
  const std::vector<Histogram::Bucket> buckets = durations.buckets();
  for (const Histogram::Bucket& bucket : buckets | std::views::reverse) {
    count += static_cast<double>(bucket.count);
    if (count > room) break;
    bound = bucket.lower;
  }
  const std::int64_t next = rounded_up(std::max(bound, 1.0));
  return next > shortest ? next : rounded_up(static_cast<double>(shortest) + 1);
}

}  // namespace tracedeck::timeline
