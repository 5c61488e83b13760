#include "tracedeck/flow/wall_clock.hpp"

#include <algorithm>
#include <cstddef>

#include "tracedeck/format/clock_anchor.hpp"

namespace tracedeck::flow {
namespace {

// So many rotations are years of a trace.
constexpr std::size_t kMostAnchors = std::size_t{1} << 16;

Nanoseconds distance(Nanoseconds a, Nanoseconds b) { return a < b ? b - a : a - b; }

}  // namespace

void WallClock::add(Nanoseconds time, Nanoseconds utc) {
  anchors_.push_back({time, utc - time});
  if (anchors_.size() == 2 * kMostAnchors) thin_out();
}

void WallClock::finish() {
  std::ranges::stable_sort(anchors_, {}, &Anchor::time);
  if (anchors_.size() > kMostAnchors) thin_out();
  if (empty()) return;
  const auto [least, greatest] = std::ranges::minmax(anchors_, {}, &Anchor::offset);
  least_ = least.offset;
  greatest_ = greatest.offset;
}

// Keeps every other one, and the ends.
void WallClock::thin_out() {
  std::ranges::stable_sort(anchors_, {}, &Anchor::time);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < anchors_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == anchors_.size()) anchors_[kept++] = anchors_[i];
  }
  anchors_.resize(kept);
}

bool WallClock::drifts(const Anchor& from, const Anchor& to) {
  return distance(from.offset, to.offset) <= Nanoseconds(kMostClockDrift);
}

Nanoseconds WallClock::between(const Anchor& from, const Anchor& to, Nanoseconds time) {
  if (!drifts(from, to) || from.time == to.time) return from.offset;
  const Nanoseconds change = to.offset - from.offset;
  const Uint128 length = (to.time - from.time).magnitude();
  const Uint128 part = change.magnitude() * (time - from.time).magnitude() / length;
  return from.offset + Nanoseconds::from_unsigned(part, change.negative());
}

Nanoseconds WallClock::offset_at(Nanoseconds time) const {
  const auto behind = std::ranges::upper_bound(anchors_, time, {}, &Anchor::time);
  if (behind == anchors_.begin()) return behind->offset;
  const Anchor& before = *(behind - 1);
  return behind == anchors_.end() ? before.offset : between(before, *behind, time);
}

Nanoseconds WallClock::first_at(Nanoseconds utc) const {
  const Nanoseconds early = utc - anchors_.front().offset;
  if (early < anchors_.front().time) return early;
  for (std::size_t i = 0; i < anchors_.size(); ++i) {
    const Anchor& anchor = anchors_[i];
    const bool is_last = i + 1 == anchors_.size();
    if (!is_last && anchors_[i + 1].time == anchor.time) continue;
    if (anchor.time + anchor.offset >= utc) return anchor.time;
    if (is_last) break;
    // Between anchors UTC goes evenly, so the last time before the next one tells.
    Nanoseconds low = anchor.time;
    Nanoseconds high = anchors_[i + 1].time - 1;
    if (high <= low || high + between(anchor, anchors_[i + 1], high) < utc) continue;
    while (high - low > 1) {
      const Nanoseconds middle = low + Nanoseconds::from_unsigned((high - low).magnitude() / 2);
      (middle + between(anchor, anchors_[i + 1], middle) >= utc ? high : low) = middle;
    }
    return high;
  }
  return utc - anchors_.back().offset;
}

Nanoseconds WallClock::last_at(Nanoseconds utc) const {
  const Nanoseconds late = utc - anchors_.back().offset;
  if (late >= anchors_.back().time) return late;
  for (std::size_t i = anchors_.size() - 1; i > 0; --i) {
    const Anchor& anchor = anchors_[i - 1];
    Nanoseconds low = anchor.time;
    Nanoseconds high = anchors_[i].time;
    const auto is_behind = [&](Nanoseconds time) {
      return time + between(anchor, anchors_[i], time) > utc;
    };
    if (high <= low || (is_behind(low) && is_behind(high - 1))) continue;
    if (!is_behind(high - 1)) return high - 1;
    while (high - low > 1) {
      const Nanoseconds middle = low + Nanoseconds::from_unsigned((high - low).magnitude() / 2);
      (is_behind(middle) ? high : low) = middle;
    }
    return low;
  }
  return std::min(utc - anchors_.front().offset, anchors_.front().time - 1);
}

Nanoseconds WallClock::first_between(Nanoseconds low, Nanoseconds high, Nanoseconds utc) const {
  if (this->utc(low) >= utc) return low;
  while (high - low > 1) {
    const Nanoseconds middle = low + Nanoseconds::from_unsigned((high - low).magnitude() / 2);
    (this->utc(middle) >= utc ? high : low) = middle;
  }
  return high;
}

std::optional<WallClock::Part> WallClock::within(std::size_t i, std::optional<Nanoseconds> least,
                                                 std::optional<Nanoseconds> most) const {
  Part part;
  if (i != 0) part.begin = anchors_[i - 1].time;
  if (i != anchors_.size()) part.end = anchors_[i].time - 1;
  if (i == 0 || i == anchors_.size()) {
    const Nanoseconds offset = i == 0 ? anchors_.front().offset : anchors_.back().offset;
    if (least) part.begin = std::max(part.begin.value_or(*least - offset), *least - offset);
    if (most) part.end = std::min(part.end.value_or(*most - offset), *most - offset);
  } else if (*part.begin <= *part.end) {
    const Nanoseconds first = *part.begin;
    const Nanoseconds last = *part.end;
    if ((least && utc(last) < *least) || (most && utc(first) > *most)) return std::nullopt;
    if (least) part.begin = first_between(first, last, *least);
    if (most && utc(last) > *most) part.end = first_between(first, last, *most + 1) - 1;
  }
  const bool is_empty = part.begin && part.end && *part.end < *part.begin;
  return is_empty ? std::nullopt : std::optional(part);
}

std::optional<WallClock::Part> WallClock::first_within(std::optional<Nanoseconds> least,
                                                       std::optional<Nanoseconds> most) const {
  std::optional<Part> found;
  bool is_before_all = false;
  for (std::size_t i = 0; i <= anchors_.size(); ++i) {
    const std::optional<Part> part = within(i, least, most);
    if (!part) continue;
    const bool goes_on = found && found->end && part->begin && *found->end + 1 == *part->begin;
    if (!found || (is_before_all && !goes_on)) {
      const bool came_before = found.has_value();
      found = part;
      found->came_before = came_before;
      is_before_all = i == 0;
    } else if (goes_on) {
      found->end = part->end;
      is_before_all = false;
    } else {
      found->comes_again = true;
      break;
    }
  }
  return found;
}

bool WallClock::goes_back() const {
  for (std::size_t i = 1; i < anchors_.size(); ++i) {
    const Anchor& from = anchors_[i - 1];
    const Anchor& to = anchors_[i];
    // Up to a step the anchor before it holds.
    if (to.time + to.offset < to.time + between(from, to, to.time - 1)) return true;
  }
  return false;
}

std::vector<WallClock::Step> WallClock::steps() const {
  std::vector<Step> steps;
  for (std::size_t i = 1; i < anchors_.size(); ++i) {
    const Anchor& from = anchors_[i - 1];
    const Anchor& to = anchors_[i];
    if (!drifts(from, to)) steps.push_back({from.time, to.time, to.offset - from.offset});
  }
  return steps;
}

}  // namespace tracedeck::flow
