#include "tracedeck/timeline/timeline.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

std::int64_t Timeline::time_of(const Nanoseconds& time) const {
  return saturated(time - Nanoseconds::from_unsigned(base_));
}

void Timeline::choose_base(const Nanoseconds& first) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 62;
  if (first >= Nanoseconds::from_unsigned(kFar)) base_ = 2 * kFar;
}

void Timeline::note_unrelated_trace(const std::string& name) {
  if (name == first_trace_ || unrelated_traces_.size() >= kMostUnrelated ||
      std::ranges::find(unrelated_traces_, name) != unrelated_traces_.end())
    return;
  unrelated_traces_.push_back(name);
}

TrackId Timeline::add_track(Track track) {
  const auto id = static_cast<TrackId>(tracks_.size() + 1);
  if (track.first_lane == kNoTrack) track.first_lane = id;
  if (track.kind == TrackKind::kThread && track.lane == 0 && track.tid) {
    const auto [place, is_new] = threads_.try_emplace(*track.tid, id);
    if (!is_new) place->second = kNoTrack;
  }
  tracks_.push_back(std::move(track));
  return id;
}

TrackId Timeline::parent_of(TrackId id) const {
  const Track& track = this->track(id);
  if (track.kind != TrackKind::kTask || track.parent != kNoTrack || !track.tid) return track.parent;
  const auto thread = threads_.find(*track.tid);
  if (thread == threads_.end() || thread->second == kNoTrack) return kNoTrack;
  return this->track(thread->second).parent == id ? kNoTrack : thread->second;
}

namespace {

std::string name_key(std::string_view category, std::string_view text) {
  std::string key(category);
  key += '\0';
  key += text;
  return key;
}

}  // namespace

NameId Timeline::add_name(std::string_view category, std::string_view text) {
  const auto [place, is_new] =
      by_text_.try_emplace(name_key(category, text), static_cast<NameId>(names_.size() + 1));
  if (is_new) names_.push_back({std::string(category), std::string(text)});
  return place->second;
}

NameId Timeline::find_name(std::string_view category, std::string_view text) const {
  const auto found = by_text_.find(name_key(category, text));
  return found == by_text_.end() ? kNoName : found->second;
}

void Timeline::note_table(const std::string& table) {
  if (std::ranges::find(tables_, table) == tables_.end()) tables_.push_back(table);
}

}  // namespace tracedeck::timeline
