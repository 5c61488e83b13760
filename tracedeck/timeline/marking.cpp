#include "tracedeck/timeline/marking.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

namespace tracedeck::timeline {

// Sinks may have made tracks of their own meanwhile.
void Marking::know_tracks() {
  while (state_.size() < timeline_.track_count()) {
    state_.push_back(std::make_unique<TrackState>());
    state_.back()->first_lane = static_cast<TrackId>(state_.size());
  }
}

TrackId Marking::make_track(Track track) {
  const TrackId id = timeline_.add_track(std::move(track));
  const Track& made = timeline_.track(id);
  know_tracks();
  TrackState& state = track_state(id);
  state.first_lane = made.first_lane;
  state.may_overlap = made.kind == TrackKind::kLanes;
  return id;
}

TrackId Marking::add_track(Track track) {
  if (!tracks_are_full()) return make_track(std::move(track));
  if (others_ == kNoTrack)
    others_ = make_track({.kind = TrackKind::kLanes, .name = "(others)", .group = "(others)"});
  return others_;
}

NameId Marking::add_name(std::string_view category, std::string_view text) {
  if (timeline_.name_count() < kMostNames && name_bytes_ + text.size() <= kMostNameBytes) {
    const std::size_t before = timeline_.name_count();
    const NameId id = timeline_.add_name(category, text);
    if (timeline_.name_count() != before) name_bytes_ += text.size();
    return id;
  }
  if (const NameId known = timeline_.find_name(category, text); known != kNoName) return known;
  if (other_name_ == kNoName) other_name_ = timeline_.add_name("", "(other)");
  return other_name_;
}

void Marking::note_stream(TrackState& state, const Moment& now) {
  state.stream = now.stream;
  std::vector<StreamPart>& parts = track_state(state.first_lane).parts;
  if (now.stream == nullptr || parts.size() >= kMostParts) return;
  if (std::ranges::find(parts, now.stream, &StreamPart::stream) == parts.end())
    parts.push_back({now.stream, now.number});
}

const Losses::Loss* Marking::loss_on(TrackId track, std::uint64_t number) {
  const Losses::Loss* first = losses_.since(number);
  for (const StreamPart& part : track_state(track_state(track).first_lane).parts) {
    const Losses::Loss* const loss = part.stream->losses.since(std::max(number, part.since));
    if (loss != nullptr && (first == nullptr || loss->number < first->number)) first = loss;
  }
  return first;
}

// What was lost may have changed it.
void Marking::forget_lost_state(TrackId track, std::int64_t time) {
  TrackState& state = track_state(track);
  if (state.state == kNoName) return;
  const Losses::Loss* const loss = loss_on(track, state.number);
  if (loss == nullptr) return;
  const std::int64_t end = std::max(timeline_.end(), time);
  state.last = std::max(state.last, std::min(loss->begin, end));
  Mark& unknown = add(MarkKind::kState, track, kNoName, state.last);
  unknown.flags |= kAcrossLoss;
  unknown.value = 0;
  state.state = kNoName;
}

OpenId Marking::new_open() {
  if (open_.size() >= kMostOpen) return 0;
  open_.emplace_back();
  return static_cast<OpenId>(open_.size());
}

TrackId Marking::free_lane(TrackId first) {
  for (const TrackId lane : track_state(first).lanes) {
    if (track_state(lane).stack.empty()) return lane;
  }
  return new_lane(first);
}

TrackId Marking::new_lane(TrackId first) {
  if (track_state(first).lanes.size() + 1 >= kMostLanes || tracks_are_full()) return kNoTrack;
  Track lane = timeline_.track(first);
  lane.first_lane = first;
  lane.lane = static_cast<std::uint32_t>(track_state(first).lanes.size() + 1);
  const TrackId id = make_track(std::move(lane));
  track_state(first).lanes.push_back(id);
  return id;
}

// The lane on which a slice that ends then nests.
TrackId Marking::lane_for(TrackId track, std::int64_t end) {
  const auto fits = [&](TrackId lane) {
    const auto& stack = track_state(lane).stack;
    return stack.empty() || (end != kNoTime && open_[stack.back() - 1].end >= end);
  };
  if (end == kNoTime && !track_state(track).may_overlap) return track;
  if (fits(track)) return track;
  for (const TrackId lane : track_state(track).lanes) {
    if (fits(lane)) return lane;
  }
  return free_lane(track);
}

OpenId Marking::begin_on_lane(TrackId track, NameId name, const Moment& now,
                              const Arguments* arguments, std::uint16_t flags) {
  const TrackId lane = lane_for(track, now.end_time);
  if (lane == kNoTrack) return begin_unplaced(track, name, now, flags);
  if (lane != track && !track_state(track).may_overlap) {
    flags |= kOverlap;
    ++timeline_.mutable_counts().overlaps;
  }
  return begin_on(lane, name, now, arguments, flags);
}

// Its duration is measured all the same.
OpenId Marking::begin_unplaced(TrackId track, NameId name, const Moment& now, std::uint16_t flags) {
  ++timeline_.mutable_counts().without_lane;
  const OpenId id = take_open();
  if (id == 0) {
    ++timeline_.mutable_counts().not_held;
    return 0;
  }
  open_[id - 1] = {.begin = now.time,
                   .end = now.end_time,
                   .number = now.number,
                   .track = track,
                   .name = name,
                   .flags = static_cast<std::uint16_t>(flags | kUnplaced)};
  unplaced_.insert(id);
  return id;
}

void Marking::count_flags(std::uint16_t flags) {
  TimelineCounts& counts = timeline_.mutable_counts();
  if ((flags & kInferredEnd) != 0) ++counts.inferred_ends;
  if ((flags & kAcrossLoss) != 0) ++counts.across_loss;
  if ((flags & kOpenAtEnd) != 0) ++counts.open_at_end;
  if ((flags & kNegative) != 0) ++counts.negative;
}

// Those that began after a slice and go on when it ends are not inside it: from there on they are
// on a lane.
void Marking::move_to_lane(const std::vector<OpenId>& moved, TrackId track, std::int64_t time) {
  const TrackId lane = free_lane(timeline_.track(track).first_lane);
  for (const OpenId each : moved) {
    OpenSlice& slice = open_[each - 1];
    ++timeline_.mutable_counts().overlaps;
    slice.flags |= kOverlap;
    if (lane == kNoTrack) {
      ++timeline_.mutable_counts().without_lane;
      slice.flags |= kUnplaced;
      unplaced_.insert(each);
      continue;
    }
    slice.track = lane;
    TrackState& state = track_state(lane);
    state.stack.push(each);
    state.last = std::max(state.last, time);
    state.number = std::max(state.number, slice.number);
    Mark& mark = add(MarkKind::kSliceBegin, lane, slice.name, state.last);
    mark.flags |= kMoved | kOverlap;
  }
}

// Of a slice that is on no lane, or did not begin last on its.
void Marking::close_elsewhere(OpenId id, std::int64_t time, std::uint16_t flags, const Event* event,
                              const Arguments* arguments) {
  OpenSlice& slice = open_[id - 1];
  if ((slice.flags & kUnplaced) != 0) {
    unplaced_.erase(id);
    return push_end(slice, time, flags, event, arguments);
  }
  const TrackId track = slice.track;
  auto& stack = track_state(track).stack;
  const OpenId* const place = std::ranges::find(stack, id);
  std::vector<OpenId> above;
  if (place != stack.end()) {
    above.assign(std::next(place), stack.end());
    stack.cut(static_cast<std::size_t>(place - stack.begin()));
  }
  for (auto each = above.rbegin(); each != above.rend(); ++each) {
    Mark& mark = add(MarkKind::kSliceEnd, track, open_[*each - 1].name, time);
    mark.flags |= kMoved;
    mark.begin = open_[*each - 1].begin;
  }
  push_end(slice, time, flags, event, arguments);
  if (!above.empty()) move_to_lane(above, track, time);
}

void Marking::end_inferred(OpenId id, const Moment& now) {
  const OpenSlice& slice = open_[id - 1];
  std::uint16_t flags = kInferredEnd;
  std::int64_t time = now.time;
  if (const Losses::Loss* const loss = loss_within(slice)) {
    // What came meanwhile was lost: it ended then at the latest that is known.
    time = std::min(time, loss->begin);
    flags |= kAcrossLoss;
  }
  TrackState& state = track_state(slice.track);
  time = std::max({time, slice.begin, state.last});
  if ((slice.flags & kUnplaced) == 0) state.last = time;
  close(id, time, flags, &now, nullptr, nullptr);
}

// On a track that nothing was marked on yet it can have begun before the trace; of other tracks it
// is on a lane.
TrackId Marking::untouched_lane(TrackId track) {
  if (track_state(track).number == 0) return track;
  for (const TrackId lane : track_state(track).lanes) {
    if (track_state(lane).number == 0) return lane;
  }
  return new_lane(track);
}

void Marking::end_unmatched(TrackId track, NameId name, const Moment& now,
                            const Arguments* arguments, bool began_before) {
  TimelineCounts& counts = timeline_.mutable_counts();
  if (!began_before) {
    ++counts.unmatched_ends;
    return instant(track, name, now, arguments, kUnmatchedEnd);
  }
  ++counts.began_before;
  const TrackId lane = untouched_lane(track);
  std::uint16_t flags = kBeganBefore;
  if (lane == kNoTrack) {
    ++counts.without_lane;
    flags |= kUnplaced;
  } else if (lane != track) {
    flags |= kOverlap;
  }
  const TrackId place = lane == kNoTrack ? track : lane;
  const std::int64_t time = touch(place, now, flags);
  const std::int64_t begun = std::min(timeline_.line_begin(), time);
  if (lane != kNoTrack) add(MarkKind::kSliceBegin, lane, name, begun).flags |= flags;
  Mark& end = add(MarkKind::kSliceEnd, place, name, time);
  end.flags |= flags;
  end.begin = begun;
  end.event = now.event;
  end.arguments = arguments;
}

void Marking::whole(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                    std::uint16_t flags) {
  Moment then = now;
  if (then.end_time < then.time) {
    then.end_time = then.time;
    flags |= kNegative;
  }
  const OpenId id = begin(track, name, then, arguments, flags);
  if (id != 0) ending_.push({then.end_time, ++ending_number_, id});
}

void Marking::end_known(std::int64_t time) {
  while (!ending_.empty() && ending_.top().time <= time) {
    const Ending ending = ending_.top();
    ending_.pop();
    const OpenSlice& slice = open_[ending.slice - 1];
    TrackState& state = track_state(slice.track);
    state.last = std::max(state.last, ending.time);
    close(ending.slice, state.last, slice.flags & kNegative, nullptr, nullptr, nullptr);
  }
}

void Marking::instant(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                      std::uint16_t flags) {
  const std::int64_t time = touch(track, now, flags);
  Mark& mark = add(MarkKind::kInstant, track, name, time);
  mark.flags |= flags;
  mark.event = now.event;
  mark.arguments = arguments;
}

void Marking::counter(TrackId track, const Moment& now, std::int64_t value) {
  std::uint16_t flags = 0;
  const std::int64_t time = touch(track, now, flags);
  Mark& mark = add(MarkKind::kCounter, track, kNoName, time);
  mark.flags |= flags;
  mark.value = value;
}

void Marking::counter(TrackId track, const Moment& now, double value) {
  std::uint16_t flags = kReal;
  const std::int64_t time = touch(track, now, flags);
  Mark& mark = add(MarkKind::kCounter, track, kNoName, time);
  mark.flags |= flags;
  mark.real = value;
}

void Marking::flow(TrackId from, std::int64_t from_time, TrackId to, const Moment& now,
                   NameId name) {
  const std::uint64_t flow = ++flows_;
  add(MarkKind::kFlowOut, from, name, from_time).flow = flow;
  add(MarkKind::kFlowIn, to, name, std::max(now.time, from_time)).flow = flow;
}

void Marking::gap(StreamState* stream, NameId name, std::int64_t begin, std::int64_t end,
                  std::uint64_t number) {
  ++timeline_.mutable_counts().gaps;
  if (quality_ == kNoTrack) {
    quality_ = add_track({.kind = TrackKind::kLanes, .name = "trace quality", .group = "quality"});
  }
  Mark& mark = add(MarkKind::kGap, quality_, name, end);
  mark.begin = std::min(begin, end);
  lost_at_ = number;
  (stream != nullptr ? stream->losses : losses_).add({number, begin});
}

SectionEnd Marking::end_section(StreamState& stream, std::uint64_t number) {
  ++timeline_.mutable_counts().sections;
  SectionEnd ended{.tracks = std::vector<bool>(timeline_.track_count() + 1),
                   .slices = std::vector<bool>(open_.size() + 1)};
  const auto end = [&](OpenId id, std::int64_t time) {
    ended.slices[id] = true;
    const OpenSlice& slice = open_[id - 1];
    const std::uint16_t lost = loss_within(slice) != nullptr ? kAcrossLoss : 0;
    close(id, std::max(time, slice.begin), kInferredEnd | lost, nullptr, nullptr, nullptr);
  };
  for (TrackId track = 1; track <= timeline_.track_count(); ++track) {
    const TrackId first = track_state(track).first_lane;
    if (std::ranges::find(track_state(first).parts, &stream, &StreamPart::stream) ==
        track_state(first).parts.end())
      continue;
    ended.tracks[track] = true;
    TrackState& state = track_state(track);
    state.last = std::max(state.last, stream.latest);
    std::vector<OpenId> open(state.stack.begin(), state.stack.end());
    std::erase_if(open, [&](OpenId id) { return open_[id - 1].end != kNoTime; });
    for (const OpenId id : open | std::views::reverse) end(id, state.last);
    if (state.state == kNoName) continue;
    state.state = kNoName;
    add(MarkKind::kState, track, kNoName, state.last).value = 0;
  }
  for (const OpenId id : std::vector<OpenId>(unplaced_.begin(), unplaced_.end())) {
    if (ended.has_track(open_[id - 1].track)) end(id, stream.latest);
  }
  // What else is known by the stream's events is not any more.
  lost_at_ = number;
  stream.losses.add({number, stream.latest});
  return ended;
}

void Marking::finish(std::int64_t time) {
  know_tracks();
  const auto lost = [&](OpenId id) -> std::uint16_t {
    return loss_within(open_[id - 1]) != nullptr ? kAcrossLoss : 0;
  };
  end_known(kNoTime);
  while (!unplaced_.empty()) {
    const OpenId id = *unplaced_.begin();
    close(id, std::max(time, open_[id - 1].begin),
          static_cast<std::uint16_t>(kOpenAtEnd | lost(id)), nullptr, nullptr, nullptr);
  }
  for (TrackId track = 1; track <= timeline_.track_count(); ++track) {
    (void)state_of(track, time);
    while (!track_state(track).stack.empty()) {
      const OpenId id = track_state(track).stack.back();
      close(id, std::max(time, track_state(track).last),
            static_cast<std::uint16_t>(kOpenAtEnd | lost(id)), nullptr, nullptr, nullptr);
    }
  }
}

}  // namespace tracedeck::timeline
