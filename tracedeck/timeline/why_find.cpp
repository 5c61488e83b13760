#include <algorithm>
#include <set>
#include <utility>

#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

// The shortest on top; of equal ones the later, so that the first is kept.
bool longer(const FoundSlice& a, const FoundSlice& b) {
  return a.duration() != b.duration() ? a.duration() > b.duration() : a.begin < b.begin;
}

constexpr std::size_t kMostBegun = 64;

// Times as `since_begin` prints them.
constexpr std::uint64_t kPrinted = 1000;

}  // namespace

void Unended::settle(const Timeline& timeline) {
  constexpr std::uint64_t kFew = 3;
  constexpr std::uint64_t kRare = 100;  // one of so many that ended
  const std::int64_t end = timeline.end();
  const auto is_longer = [&](std::int64_t begin) { return end - begin > longest_; };
  const auto longer = static_cast<std::uint64_t>(std::ranges::count_if(open_, is_longer));
  const std::uint64_t few = std::max(kFew, ended_ / kRare);
  are_few_ = open_.size() <= few;
  from_ = kLeast;
  to_ = end - longest_ - 1;
  if (longer <= few) return;
  const bool is_stuck = ended_ == 0 || last_end_ < end - (end - timeline.begin()) / 10;
  if (is_stuck)
    from_ = last_begin_;
  else
    to_ = kLeast;
}

Result<SliceFinder> SliceFinder::make(SliceQuestion question) {
  SliceFinder finder(std::move(question));
  const auto pattern = [](const std::string& glob) {
    return NamePattern::from(glob.empty() ? "*" : glob);
  };
  auto names = pattern(finder.question_.name);
  if (!names) return std::unexpected(names.error());
  auto tracks = pattern(finder.question_.track);
  if (!tracks) return std::unexpected(tracks.error());
  finder.names_ = *std::move(names);
  finder.tracks_ = *std::move(tracks);
  finder.question_.rank = std::clamp<std::size_t>(finder.question_.rank, 1, kMostRank);
  return finder;
}

SliceFinder::Kind SliceFinder::kind_of(const FoundSlice& slice) {
  if (slice.is_state) return Kind::kState;
  return slice.is_wait ? Kind::kWait : Kind::kSlice;
}

bool SliceFinder::is_meant(const Timeline& timeline, TrackId track, NameId name) {
  if (name >= meant_.size()) meant_.resize(name + 1);
  signed char& by_name = meant_[name];
  if (by_name == 0) {
    by_name = names_.matches(timeline.name(name)) ? 1 : -1;
  }
  if (track >= meant_track_.size()) meant_track_.resize(track + 1);
  signed char& by_track = meant_track_[track];
  if (by_track == 0) by_track = tracks_.matches(timeline.track(track)) ? 1 : -1;
  return by_name > 0 && by_track > 0;
}

void SliceFinder::see(const FoundSlice& slice) {
  Alike& known = alike(slice);
  // An outer slice ends behind those inside it.
  if (known.durations.count() == 0 || slice.begin < known.first_begin) {
    known.longest_later = std::max(known.longest_later, known.first_duration);
    known.first_begin = slice.begin;
    known.first_duration = slice.duration();
  } else {
    known.longest_later = std::max(known.longest_later, slice.duration());
  }
  known.durations.add_unsigned(static_cast<std::uint64_t>(slice.duration()));
  known.unended.see_end(slice.begin, slice.end);
  if (!known.longest || longer(slice, *known.longest)) known.longest = slice;
  keep(slice);
}

// What is on a track of its own goes on there. Of others it is known when all were seen.
void SliceFinder::see_open(const Timeline& timeline, const FoundSlice& slice) {
  if (!slice.is_wait && timeline.track(slice.track).kind != TrackKind::kLanes) return keep(slice);
  alike(slice).unended.see_open(slice.begin);
  open_.push_back(slice);
}

void SliceFinder::keep(const FoundSlice& slice) {
  if (question_.at) return keep_at(slice);
  std::vector<FoundSlice>& longest = slice.is_state ? longest_states_ : longest_;
  if (longest.size() == question_.rank && !longer(slice, longest.front())) return;
  longest.push_back(slice);
  std::ranges::push_heap(longest, longer);
  if (longest.size() <= question_.rank) return;
  std::ranges::pop_heap(longest, longer);
  longest.pop_back();
}

bool SliceFinder::begins_at(const FoundSlice& slice) const {
  const std::uint64_t room = at_is_rounded_ ? kPrinted / 2 : 0;
  // Of differences modulo 2^64.
  return static_cast<std::uint64_t>(slice.begin) - static_cast<std::uint64_t>(*question_.at) +
             room <=
         2 * room;
}

// The innermost is the shortest that holds the moment; of a name the longest is wanted.
void SliceFinder::keep_at(const FoundSlice& slice) {
  const std::int64_t at = *question_.at;
  if (!slice.is_state && begun_there_.size() < kMostBegun && begins_at(slice))
    begun_there_.push_back(slice);
  if (slice.begin > at || slice.end < at) return;
  std::vector<FoundSlice>& kept = slice.is_state ? longest_states_ : longest_;
  const bool is_better =
      kept.empty() || (question_.name.empty() ? slice.duration() < kept.front().duration()
                                              : longer(slice, kept.front()));
  if (is_better) kept = {slice};
}

void SliceFinder::state(const Timeline& timeline, const Mark& mark) {
  if (mark.track >= states_.size()) states_.resize(mark.track + 1);
  State& state = states_[mark.track];
  if (state.name == mark.name && !mark.has(kClockStep)) return;
  if (state.name != kNoName && !state.is_doubtful && !mark.has(kAcrossLoss) &&
      mark.time > state.begin && is_meant(timeline, mark.track, state.name)) {
    const FoundSlice found{.is_state = true,
                           .is_open = mark.has(kOpenAtEnd),
                           .track = mark.track,
                           .name = state.name,
                           .begin = state.begin,
                           .end = mark.time};
    if (found.is_open)
      keep(found);
    else
      see(found);
  }
  state = {.name = mark.name,
           .begin = mark.time,
           .is_doubtful = (mark.flags & (kClockStep | kBeganBefore)) != 0};
}

Result<void> SliceFinder::take(const Timeline& timeline, std::span<const Mark> marks) {
  at_is_rounded_ = question_.at && (static_cast<std::uint64_t>(*question_.at) -
                                    static_cast<std::uint64_t>(timeline.begin())) %
                                           kPrinted ==
                                       0;
  for (const Mark& mark : marks) {
    if (mark.kind == MarkKind::kState) state(timeline, mark);
    const bool is_wait = mark.kind == MarkKind::kWait;
    if (!is_wait && mark.kind != MarkKind::kSliceEnd) continue;
    // Of what goes on at the trace's end it is known how long at least.
    const bool is_open = (mark.flags & kNoDuration) == kOpenAtEnd;
    if (!mark.has_duration() && !is_open) continue;
    if (!is_meant(timeline, mark.track, mark.name)) continue;
    const FoundSlice slice{.is_wait = is_wait,
                           .is_open = is_open,
                           .track = mark.track,
                           .name = mark.name,
                           .begin = mark.begin,
                           .end = mark.time};
    if (is_open)
      see_open(timeline, slice);
    else
      see(slice);
  }
  return {};
}

Result<void> SliceFinder::finish(const Timeline& timeline) {
  for (TrackId track = 1; track < states_.size(); ++track) {
    const State& state = states_[track];
    if (state.name == kNoName || state.is_doubtful || timeline.end() <= state.begin ||
        !is_meant(timeline, track, state.name))
      continue;
    keep({.is_state = true,
          .is_open = true,
          .track = track,
          .name = state.name,
          .begin = state.begin,
          .end = timeline.end()});
  }
  keep_open(timeline);
  if (question_.at)
    choose_at();
  else
    choose();
  if (!found_) return {};
  note_alike(timeline);
  const auto known = alike_.find({kind_of(*found_), found_->name});
  if (known == alike_.end()) return {};
  const Alike& alike = known->second;
  if (found_->is_open) {
    beside_.longest_ended = alike.longest;
    return {};
  }
  constexpr std::uint64_t kFew = 5;
  if (alike.durations.count() > kFew && found_->begin == alike.first_begin &&
      found_->duration() == alike.first_duration && alike.longest_later < found_->duration())
    found_->longest_later = alike.longest_later;
  return {};
}

void SliceFinder::note_alike(const Timeline& timeline) {
  std::set<NameId> names;
  for (const auto& [key, alike] : alike_) {
    const auto& [kind, name] = key;
    if (name != found_->name && (kind == Kind::kState) == found_->is_state &&
        names_.says(timeline.name(name)))
      names.insert(name);
  }
  beside_.alike.assign(names.begin(), names.end());
}

void SliceFinder::keep_open(const Timeline& timeline) {
  for (auto& [key, alike] : alike_) alike.unended.settle(timeline);
  for (const FoundSlice& each : open_) {
    const Unended& unended = alike(each).unended;
    if (question_.at) {
      if (begins_at(each) || unended.is_awaited(each.begin)) keep_at(each);
    } else if (unended.counts(each.begin)) {
      keep(each);
    } else {
      left_out_.push_back(each);
    }
  }
}

void SliceFinder::choose() {
  if (known() < question_.rank) return;
  if (longest_.empty()) {
    found_ = longest_states_.front();
  } else if (longest_.size() >= question_.rank) {
    found_ = longest_.front();
  } else {
    const auto place =
        left_out_.begin() + static_cast<std::ptrdiff_t>(question_.rank - longest_.size() - 1);
    std::ranges::nth_element(left_out_, place, longer);
    found_ = *place;
    left_out_.erase(place);
    return note_left_out(0);
  }
  note_left_out(found_->duration());
}

// All of them, if one had lasted longer than that.
void SliceFinder::note_left_out(std::int64_t duration) {
  const auto is_longer = [&](const FoundSlice& each) { return each.duration() > duration; };
  if (found_->is_state || std::ranges::none_of(left_out_, is_longer)) return;
  beside_.left_out = left_out_.size();
  beside_.oldest_left_out = std::ranges::min(left_out_, {}, &FoundSlice::begin).begin;
  beside_.are_waits = std::ranges::all_of(left_out_, &FoundSlice::is_wait);
}

void SliceFinder::choose_at() {
  std::vector<FoundSlice>& there = beside_.at_that_time;
  const auto lasts = longest_.empty() ? longest_states_.begin() : longest_.begin();
  const bool any = !longest_.empty() || !longest_states_.empty();
  if (begun_there_.empty()) {
    if (any) found_ = *lasts;
    return;
  }
  there = begun_there_;
  std::ranges::stable_sort(there, longer);
  found_ = there.front();
  there.erase(there.begin());
  const auto is_same = [&](const FoundSlice& each) {
    return each.track == lasts->track && each.name == lasts->name && each.begin == lasts->begin;
  };
  if (!longest_.empty() && !is_same(*found_) && std::ranges::none_of(there, is_same))
    there.push_back(*lasts);
}

const Histogram& SliceFinder::durations() const {
  static const Histogram kNone;
  const auto alike = alike_.find({kind_of(*found_), found_->name});
  return alike == alike_.end() ? kNone : alike->second.durations;
}

}  // namespace tracedeck::timeline
