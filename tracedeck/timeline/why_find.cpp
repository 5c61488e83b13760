#include <algorithm>
#include <utility>

#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

// The shortest on top; of equal ones the later, so that the first is kept.
bool longer(const FoundSlice& a, const FoundSlice& b) {
  return a.duration() != b.duration() ? a.duration() > b.duration() : a.begin < b.begin;
}

}  // namespace

Result<SliceFinder> SliceFinder::make(SliceQuestion question) {
  SliceFinder finder(std::move(question));
  const auto matcher = [](const std::string& glob) {
    return query::glob_matcher(glob.empty() ? "*" : glob);
  };
  auto names = matcher(finder.question_.name);
  if (!names) return std::unexpected(names.error());
  auto tracks = matcher(finder.question_.track);
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
    const MarkName& text = timeline.name(name);
    by_name = names_->matches(text.label()) || names_->matches(text.category) ? 1 : -1;
  }
  if (track >= meant_track_.size()) meant_track_.resize(track + 1);
  signed char& by_track = meant_track_[track];
  if (by_track == 0) by_track = tracks_->matches(timeline.track(track).name) ? 1 : -1;
  return by_name > 0 && by_track > 0;
}

void SliceFinder::see(const FoundSlice& slice) {
  Alike& alike = alike_[{kind_of(slice), slice.name}];
  // An outer slice ends behind those inside it.
  if (alike.durations.count() == 0 || slice.begin < alike.first_begin) {
    alike.longest_later = std::max(alike.longest_later, alike.first_duration);
    alike.first_begin = slice.begin;
    alike.first_duration = slice.duration();
  } else {
    alike.longest_later = std::max(alike.longest_later, slice.duration());
  }
  alike.durations.add_unsigned(static_cast<std::uint64_t>(slice.duration()));
  keep(slice);
}

void SliceFinder::keep(const FoundSlice& slice) {
  std::vector<FoundSlice>& longest = slice.is_state ? longest_states_ : longest_;
  // At a moment the innermost counts: the shortest that holds it.
  if (question_.at) {
    if (slice.begin > *question_.at || slice.end < *question_.at) return;
    if (longest.empty() || slice.duration() < longest.front().duration()) longest = {slice};
    return;
  }
  if (longest.size() == question_.rank && !longer(slice, longest.front())) return;
  longest.push_back(slice);
  std::ranges::push_heap(longest, longer);
  if (longest.size() <= question_.rank) return;
  std::ranges::pop_heap(longest, longer);
  longest.pop_back();
}

void SliceFinder::state(const Timeline& timeline, const Mark& mark) {
  if (mark.track >= states_.size()) states_.resize(mark.track + 1);
  State& state = states_[mark.track];
  if (state.name == mark.name && !mark.has(kClockStep)) return;
  if (state.name != kNoName && !state.is_doubtful && !mark.has(kAcrossLoss) &&
      mark.time > state.begin && is_meant(timeline, mark.track, state.name))
    see({.is_state = true,
         .track = mark.track,
         .name = state.name,
         .begin = state.begin,
         .end = mark.time});
  state = {.name = mark.name, .begin = mark.time, .is_doubtful = mark.has(kClockStep)};
}

Result<void> SliceFinder::take(const Timeline& timeline, std::span<const Mark> marks) {
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
      keep(slice);
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
  return {};
}

std::optional<FoundSlice> SliceFinder::found() const {
  if (longest().empty() || (!question_.at && longest().size() < question_.rank))
    return std::nullopt;
  FoundSlice slice = longest().front();
  if (slice.is_open) return slice;
  const Alike& alike = alike_.at({kind_of(slice), slice.name});
  constexpr std::uint64_t kFew = 5;
  if (alike.durations.count() > kFew && slice.begin == alike.first_begin &&
      slice.duration() == alike.first_duration && alike.longest_later < slice.duration())
    slice.longest_later = alike.longest_later;
  return slice;
}

const Histogram& SliceFinder::durations() const {
  static const Histogram kNone;
  const FoundSlice& slice = longest().front();
  const auto alike = alike_.find({kind_of(slice), slice.name});
  return alike == alike_.end() ? kNone : alike->second.durations;
}

}  // namespace tracedeck::timeline
