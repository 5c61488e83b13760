#include "tracedeck/timeline/short_slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tracedeck::timeline {
namespace {

constexpr std::uint32_t kSlicesAPoint = 64;
// Behind all tracks of tables.
constexpr std::uint32_t kLastRank = 1'000'000;

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

std::string exact_duration(std::int64_t nanoseconds) {
  struct Unit {
    std::int64_t size;
    std::string_view name;
  };
  constexpr auto kUnits =
      std::to_array<Unit>({{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}});
  for (const Unit& unit : kUnits) {
    if (nanoseconds < unit.size) continue;
    std::string text = fmt::format("{}", nanoseconds / unit.size);
    if (const std::int64_t rest = nanoseconds % unit.size; rest != 0) {
      // The digits of a unit are as many as its zeros.
      text += fmt::format(".{}", fmt::format("{}", unit.size + rest).substr(1));
      text.erase(text.find_last_not_of('0') + 1);
    }
    return text.append(unit.name);
  }
  return fmt::format("{}ns", nanoseconds);
}

Result<void> ShortSlices::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) take(mark);
  auto done = hand_on(timeline);
  if (done) keep_events();
  return done;
}

void ShortSlices::take(const Mark& mark) {
  if (!mark.has(kLate)) {
    now_ = std::max(now_, mark.time);
    decide(mark.time);
  }
  if (mark.track > open_.size()) open_.resize(mark.track);
  if (mark.kind == MarkKind::kSliceBegin) {
    // Of a part of a slice, or of one that began before, no duration is known that could be short.
    const bool stays = mode_ == Mode::kCounts || shortest_ == 0 || (mark.flags & kNoDuration) != 0;
    const Number number = first_ + held_.size();
    open_[mark.track - 1].push_back(number);
    if (!stays) undecided_.push_back(number);
    return hold(mark, stays ? Fate::kStays : Fate::kOpen);
  }
  if (mark.kind == MarkKind::kSliceEnd && !mark.has(kUnplaced)) return end_slice(mark);
  hold(mark, Fate::kStays);
}

void ShortSlices::end_slice(const Mark& mark) {
  std::vector<Number>& open = open_[mark.track - 1];
  if (open.empty()) return hold(mark, Fate::kStays);
  const Number number = open.back();
  open.pop_back();
  Held* const begin = find(number);
  if (mark.has_duration()) {
    durations_.add_unsigned(static_cast<std::uint64_t>(mark.duration()));
    if (mark.duration() < shortest_) {
      if (begin != nullptr && begin->fate == Fate::kOpen) return leave_out(number, mark);
      if (mode_ == Mode::kCounts) {
        hold(mark, Fate::kStays);
        return count(mark);
      }
      ++counts_.not_held;
    }
  }
  if (begin != nullptr && begin->fate == Fate::kOpen) begin->fate = Fate::kStays;
  hold(mark, Fate::kStays);
}

void ShortSlices::leave_out(Number begin, const Mark& end) {
  const std::size_t at = static_cast<std::size_t>(begin - first_);
  held_[at].fate = Fate::kLeftOut;
  // What was waited for until it began follows it at once.
  for (std::size_t i = at + 1; i < held_.size() && held_[i].mark.time == held_[at].mark.time; ++i) {
    Held& other = held_[i];
    if (other.mark.kind != MarkKind::kWait || other.mark.track != end.track ||
        other.fate == Fate::kLeftOut || other.mark.duration() >= shortest_)
      continue;
    other.fate = Fate::kLeftOut;
    ++counts_.waits;
  }
  count(end);
}

void ShortSlices::count(const Mark& end) {
  ++counts_.slices;
  counts_.total = saturated_sum(counts_.total, static_cast<std::uint64_t>(end.duration()));
  Sum& sum = sum_of(end.track);
  sum.total += end.duration();
  ++sum.count;
  if (++sum.since == kSlicesAPoint) add_point(sum, end.time);
}

ShortSlices::Sum& ShortSlices::sum_of(TrackId track) {
  const TrackId lane = timeline_.track(track).first_lane;
  const TrackId first = lane == kNoTrack ? track : lane;
  if (first > sums_.size()) sums_.resize(first);
  Sum& sum = sums_[first - 1];
  if (sum.time_track != kNoTrack) return sum;
  const std::string name = "below " + exact_duration(shortest_);
  const auto add = [&](std::string text, std::string unit) {
    return timeline_.add_track({.kind = TrackKind::kCounter,
                                .parent = first,
                                .name = std::move(text),
                                .group = name,
                                .rank = kLastRank,
                                .unit = std::move(unit)});
  };
  sum.time_track = add(name, "ns");
  sum.count_track = add(name + " (count)", "count");
  return sum;
}

void ShortSlices::add_point(Sum& sum, std::int64_t time) {
  const auto add = [&](TrackId track, std::int64_t value) {
    Mark mark;
    mark.kind = MarkKind::kCounter;
    mark.track = track;
    mark.time = time;
    mark.value = value;
    hold(mark, Fate::kStays);
  };
  add(sum.time_track, sum.total);
  add(sum.count_track, sum.count);
  sum.since = 0;
}

void ShortSlices::decide(std::int64_t time) {
  while (!undecided_.empty()) {
    Held* const held = find(undecided_.front());
    if (held != nullptr && held->fate == Fate::kOpen) {
      // Times may be as far apart as 64 bits go.
      const auto age =
          static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(held->mark.time);
      if (time < held->mark.time || age < static_cast<std::uint64_t>(shortest_)) return;
      held->fate = Fate::kStays;
    }
    undecided_.pop_front();
  }
}

Result<void> ShortSlices::hand_on(const Timeline& timeline) {
  marks_.clear();
  passing_.clear();
  while (!held_.empty() && held_.front().fate != Fate::kOpen) {
    Held& held = held_.front();
    if (kept_ != 0) {
      --kept_;
      kept_bytes_ -= sizeof held + (held.event == nullptr ? 0 : held.event->memory());
    }
    if (held.fate == Fate::kStays) {
      marks_.push_back(held.mark);
      if (held.event != nullptr) passing_.push_back(std::move(held.event));
    }
    held_.pop_front();
    ++first_;
  }
  return marks_.empty() ? Result<void>() : next_.take(timeline, marks_);
}

void ShortSlices::keep_events() {
  for (; kept_ < held_.size(); ++kept_) {
    Held& held = held_[kept_];
    if (held.fate == Fate::kLeftOut || held.mark.arguments == nullptr) held.mark.event = nullptr;
    if (held.mark.event != nullptr) {
      held.event = std::make_unique<KeptEvent>(*held.mark.event);
      held.mark.event = &held.event->event();
    }
    kept_bytes_ += sizeof held + (held.event == nullptr ? 0 : held.event->memory());
  }
  if (kept_bytes_ <= memory_) return;
  // The older half stays, whatever becomes of it.
  for (std::size_t i = 0; i < held_.size() / 2; ++i) {
    if (held_[i].fate == Fate::kOpen) held_[i].fate = Fate::kStays;
  }
}

Result<void> ShortSlices::finish(const Timeline& timeline) {
  for (Held& held : held_) {
    if (held.fate == Fate::kOpen) held.fate = Fate::kStays;
  }
  for (Sum& sum : sums_) {
    if (sum.since != 0) add_point(sum, now_);
  }
  if (auto done = hand_on(timeline); !done) return done;
  return next_.finish(timeline);
}

}  // namespace tracedeck::timeline
