// Where slices are put that do not nest on their track.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

TrackId Marking::free_lane(TrackId first) {
  for (const TrackId lane : track_state(first).lanes) {
    if (track_state(lane).innermost == 0) return lane;
  }
  return new_lane(first);
}

TrackId Marking::new_lane(TrackId first) {
  if (track_state(first).lanes.size() + 1 >= kMostLanes || tracks_are_full()) return kNoTrack;
  Track lane = timeline_.track(first);
  lane.first_lane = first;
  lane.lane = static_cast<std::uint32_t>(track_state(first).lanes.size() + 1);
  const TrackId id = make_track(std::move(lane), track_state(first).of_stream);
  track_state(first).lanes.push_back(id);
  return id;
}

// The lane on which a slice that ends then nests.
TrackId Marking::lane_for(TrackId track, std::int64_t end) {
  const auto fits = [&](TrackId lane) {
    const OpenId innermost = track_state(lane).innermost;
    return innermost == 0 || (end != kNoTime && end_of(innermost) >= end);
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
  const OpenId id = begin_on(lane, name, now, arguments, flags);
  if (id != 0 && now.end_time != kNoTime) add_details(id).end = now.end_time;
  return id;
}

OpenId Marking::begin_apart(TrackId track, NameId name, const Moment& now,
                            const Arguments* arguments, std::uint16_t flags) {
  if (track_state(track).innermost == 0) return begin(track, name, now, arguments, flags);
  ++timeline_.mutable_counts().overlaps;
  flags |= kOverlap;
  const TrackId lane = free_lane(track);
  return lane == kNoTrack ? begin_unplaced(track, name, now, flags)
                          : begin_on(lane, name, now, arguments, flags);
}

// Its duration is measured all the same.
OpenId Marking::begin_unplaced(TrackId track, NameId name, const Moment& now, std::uint16_t flags) {
  ++timeline_.mutable_counts().without_lane;
  const OpenId id = take_open();
  if (id == 0) {
    ++timeline_.mutable_counts().not_held;
    return 0;
  }
  open_[id] = {.begin = now.time,
               .number = now.number,
               .track = track,
               .name = name,
               .traits = {.flags = static_cast<std::uint16_t>(flags | kUnplaced)}};
  unplaced_.insert(id);
  if (now.end_time != kNoTime) add_details(id).end = now.end_time;
  return id;
}

// Those that began after a slice and go on when it ends are not inside it: from there on they are
// on a lane.
void Marking::move_to_lane(const std::vector<OpenId>& moved, TrackId track, std::int64_t time) {
  const TrackId lane = free_lane(timeline_.track(track).first_lane);
  for (const OpenId each : moved) {
    OpenSlice& slice = open_[each];
    ++timeline_.mutable_counts().overlaps;
    slice.traits.flags |= kOverlap;
    slice.traits.is_usual = false;
    if (lane == kNoTrack) {
      ++timeline_.mutable_counts().without_lane;
      slice.traits.flags |= kUnplaced;
      unplaced_.insert(each);
      continue;
    }
    slice.track = lane;
    TrackState& state = track_state(lane);
    slice.outer = std::exchange(state.innermost, each);
    state.last = std::max(state.last, time);
    state.number = std::max(state.number, slice.number);
    put({.kind = MarkKind::kSliceBegin,
         .flags = kMoved | kOverlap,
         .track = lane,
         .name = slice.name,
         .time = state.last,
         .begin = 0});
  }
}

// Of a slice that is on no lane, or did not begin last on its.
void Marking::close_elsewhere(OpenId id, std::int64_t time, std::uint16_t flags, const Event* event,
                              const Arguments* arguments) {
  OpenSlice& slice = open_[id];
  if ((slice.traits.flags & kUnplaced) != 0) {
    unplaced_.erase(id);
    return put_end(slice, time, flags, event, arguments);
  }
  const TrackId track = slice.track;
  if (track_state(track).keeps_streams) note_streams(track);
  std::vector<OpenId> inner;
  for (OpenId each = track_state(track).innermost; each != id; each = open_[each].outer) {
    inner.push_back(each);
    put({.kind = MarkKind::kSliceEnd,
         .flags = kMoved,
         .track = track,
         .name = open_[each].name,
         .time = time,
         .begin = open_[each].begin});
  }
  track_state(track).innermost = slice.outer;
  put_end(slice, time, flags, event, arguments);
  std::ranges::reverse(inner);
  if (!inner.empty()) move_to_lane(inner, track, time);
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

TrackId Marking::lane_since(TrackId track, std::int64_t begin) {
  const auto is_free = [&](TrackId lane) {
    const TrackState& state = track_state(lane);
    return state.innermost == 0 && state.last <= begin;
  };
  if (is_free(track)) return track;
  const std::vector<TrackId>& lanes = track_state(track).lanes;
  const auto free = std::ranges::find_if(lanes, is_free);
  return free != lanes.end() ? *free : new_lane(track);
}

void Marking::ended(TrackId track, NameId name, const Moment& now, std::int64_t begin,
                    const Arguments* arguments, std::uint16_t flags) {
  if (begin > now.time) {
    begin = now.time;
    flags |= kNegative;
  }
  const TrackId lane = lane_since(track, begin);
  if (lane == kNoTrack) {
    ++timeline_.mutable_counts().without_lane;
    flags |= kUnplaced;
  } else if (lane != track && !track_state(track).may_overlap) {
    ++timeline_.mutable_counts().overlaps;
    flags |= kOverlap;
  }
  const TrackId on = lane == kNoTrack ? track : lane;
  std::int64_t time = now.time;
  if (lane != kNoTrack) {
    time = touch(lane, now, flags);
    put({.kind = MarkKind::kSliceBegin,
         .flags = flags,
         .track = lane,
         .name = name,
         .time = begin,
         .begin = 0,
         .event = now.event,
         .arguments = arguments});
  }
  put_end({.begin = begin, .track = on, .name = name}, time, flags, now.event, nullptr);
}

}  // namespace tracedeck::timeline
