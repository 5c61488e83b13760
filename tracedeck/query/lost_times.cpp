#include "tracedeck/query/lost_times.hpp"

#include <algorithm>
#include <iterator>

namespace tracedeck::query {

void LostTimes::add(const Loss& loss, std::uint64_t number) {
  if (!loss.end) {
    first_ = number;
    return;
  }
  Interval lost{.begin = loss.begin, .end = *loss.end};
  const auto begins_before = [](const Interval& a, const Interval& b) {
    return b.begin && (!a.begin || *a.begin <= *b.begin);
  };
  auto place = std::ranges::lower_bound(intervals_, lost.end, {}, &Interval::end);
  if (place != intervals_.end() && (begins_before(*place, lost) || !place->begin)) return;
  const auto within = [&](const Interval& each) {
    return !lost.begin || begins_before(lost, each);
  };
  auto first = place;
  while (first != intervals_.begin() && within(*std::prev(first))) --first;
  // One that ends at the same time.
  if (place != intervals_.end() && place->end == lost.end) ++place;
  intervals_.insert(intervals_.erase(first, place), lost);
  if (intervals_.size() <= kMost) return;
  // Two of the oldest become one, with the time between them.
  intervals_[1].begin = intervals_[0].begin;
  intervals_.erase(intervals_.begin());
}

bool LostTimes::concern(std::uint64_t number, Nanoseconds begin, Nanoseconds end) const {
  if (number < first_) return true;
  const auto lost = std::ranges::lower_bound(intervals_, begin, {}, &Interval::end);
  return lost != intervals_.end() && (!lost->begin || *lost->begin <= end);
}

}  // namespace tracedeck::query
