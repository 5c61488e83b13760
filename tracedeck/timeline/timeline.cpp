#include "tracedeck/timeline/timeline.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

std::int64_t Timeline::time_of(const Nanoseconds& time) const {
  return saturated(time - Nanoseconds::from_unsigned(base_));
}

void Timeline::choose_base(const Nanoseconds& first) {
  constexpr Uint128 kFar = Uint128{1} << 62;
  if (first < Nanoseconds::from_unsigned(kFar)) return;
  const bool is_beyond = first.magnitude() >= 4 * kFar - kFar / 4;
  base_ = is_beyond ? first.magnitude() / kFar * kFar : 2 * kFar;
}

void Timeline::note_trace(std::vector<std::string>& traces, const std::string& name) const {
  if (name == first_trace_ || traces.size() >= kMostUnrelated ||
      std::ranges::find(traces, name) != traces.end())
    return;
  traces.push_back(name);
}

TrackId Timeline::add_track(Track track) {
  const auto id = static_cast<TrackId>(tracks_.size() + 1);
  if (track.first_lane == kNoTrack) track.first_lane = id;
  if (track.kind == TrackKind::kThread && track.lane == 0 && track.tid) {
    const auto [place, is_new] =
        threads_.try_emplace({origins_[track.origin].machine, *track.tid, track.earlier}, id);
    if (!is_new) place->second = kNoTrack;
  }
  Track& added = tracks_.emplace_back(std::move(track));
  if (added.full_name.empty()) added.full_name = added.name;
  if (added.place.size != 0) places_.add(place_in(added.full_name, added.place));
  added.name = title_of(added);
  name_trace_of_equal(added);
  return id;
}

bool Timeline::has_own_name(const Track& track) {
  return track.parent == kNoTrack || track.kind == TrackKind::kThread ||
         track.kind == TrackKind::kTask || track.kind == TrackKind::kLanes;
}

std::string Timeline::title_of(const Track& track) const {
  std::string title = track.place.size == 0 ? track.full_name : shown(track.full_name, track.place);
  const std::string& origin = origins_[track.origin].shown;
  const bool is_named = has_own_name(track) && (expects_hosts_ || has_several_origins());
  return is_named && !origin.empty() ? origin + ": " + title : title;
}

OriginId Timeline::add_machine(const std::string& host) {
  const auto id = static_cast<OriginId>(origins_.size());
  origins_.push_back({.host = host, .shown = host, .machine = id, .number = machines_++});
  return id;
}

OriginId Timeline::add_trace(OriginId machine, std::string name, std::string process) {
  const auto id = static_cast<OriginId>(origins_.size());
  const std::string& host = origins_[machine].host;
  const bool by_process = !process.empty() && !name.empty();
  if (by_process) ++processes_;
  const bool is_first = std::ranges::count(origins_, machine, &TrackOrigin::machine) == 1;
  const std::uint32_t number =
      is_first ? origins_[machine].number : kMostNumbers - 1 - further_traces_++ % kMostNumbers;
  origins_.push_back({.host = host,
                      .shown = by_process ? name : host,
                      .trace = std::move(name),
                      .process = std::move(process),
                      .machine = machine,
                      .number = number});
  return id;
}

void Timeline::note_end(OriginId trace, std::int64_t time) {
  TrackOrigin& of_trace = origins_[trace];
  of_trace.end = std::max(of_trace.end, time);
  TrackOrigin& of_machine = origins_[of_trace.machine];
  of_machine.end = std::max(of_machine.end, time);
}

std::string_view Timeline::place_in(std::string_view text, PlaceRange place) {
  return text.substr(place.begin, place.size);
}

std::string Timeline::shown(std::string_view text, PlaceRange place) const {
  std::string shown(text);
  return shown.replace(place.begin, place.size, places_.shown(place_in(text, place)));
}

void Timeline::settle_names() {
  expects_hosts_ = false;
  for (MarkName& each : names_) {
    if (each.place.size != 0) each.text = shown(each.full, each.place);
    each.shows_host = has_several_origins();
  }
  for (Track& each : tracks_) each.name = title_of(each);
  name_traces_of_equal_tracks();
}

bool Timeline::is_of_trace(const Track& track) const {
  return has_own_name(track) && !origins_[track.origin].trace.empty();
}

void Timeline::name_trace_of_equal(Track& track) {
  if (!is_of_trace(track)) return;
  const auto [first, is_new] = first_of_name_.try_emplace(track.name, track.origin);
  if (first->second != track.origin) track.name += " (" + origins_[track.origin].trace + ")";
}

// As where two sessions recorded one program.
void Timeline::name_traces_of_equal_tracks() {
  TextMap<OriginId> first_of;
  std::set<std::string> shared;
  for (const Track& each : tracks_) {
    if (!is_of_trace(each)) continue;
    const auto [first, is_new] = first_of.try_emplace(each.name, each.origin);
    if (first->second != each.origin) shared.insert(each.name);
  }
  for (Track& each : tracks_) {
    if (is_of_trace(each) && shared.contains(each.name))
      each.name += " (" + origins_[each.origin].trace + ")";
  }
}

TrackId Timeline::parent_of(TrackId id) const {
  const Track& track = this->track(id);
  if (track.kind != TrackKind::kTask || track.parent != kNoTrack || !track.tid) return track.parent;
  const auto thread = threads_.find({origins_[track.origin].machine, *track.tid, track.earlier});
  if (thread == threads_.end() || thread->second == kNoTrack) return kNoTrack;
  return this->track(thread->second).parent == id ? kNoTrack : thread->second;
}

namespace {

std::string name_key(std::string_view category, std::string_view text, std::string_view host) {
  std::string key(category);
  key += '\0';
  key += host;
  key += '\0';
  key += text;
  return key;
}

}  // namespace

NameId Timeline::add_name(std::string_view category, std::string_view text, PlaceRange place,
                          std::string_view host, OriginId origin) {
  const auto [known, is_new] =
      by_text_.try_emplace(name_key(category, text, host), static_cast<NameId>(names_.size() + 1));
  if (!is_new) return known->second;
  MarkName& added = names_.emplace_back();
  added.category = category;
  added.host = host;
  added.origin = origin;
  added.of_process = origins_[origin].is_process();
  if (place.size == 0) {
    added.text = text;
  } else {
    added.full = text;
    added.place = place;
    places_.add(place_in(added.full, place));
    added.text = shown(added.full, place);
  }
  return known->second;
}

NameId Timeline::find_name(std::string_view category, std::string_view text,
                           std::string_view host) const {
  const auto found = by_text_.find(name_key(category, text, host));
  return found == by_text_.end() ? kNoName : found->second;
}

void Timeline::note_table(const std::string& table) {
  if (std::ranges::find(tables_, table) == tables_.end()) tables_.push_back(table);
}

}  // namespace tracedeck::timeline
