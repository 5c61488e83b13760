#include "tracedeck/timeline/marking.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tracedeck::timeline {
namespace {

bool may_overlap(TrackKind kind) { return kind == TrackKind::kLanes; }

}  // namespace

Mark& Marking::add(MarkKind kind, TrackId track, NameId name, std::int64_t time) {
  Mark& mark = marks_.emplace_back();
  mark.kind = kind;
  mark.track = track;
  mark.name = name;
  mark.time = time;
  if (time < last_) {
    mark.flags |= kLate;
  } else {
    last_ = time;
  }
  return mark;
}

TrackId Marking::add_track(Track track) {
  if (timeline_.track_count() >= kMostTracks) {
    if (others_ == kNoTrack) {
      others_ =
          timeline_.add_track({.kind = TrackKind::kLanes, .name = "(others)", .group = "(others)"});
      state_.resize(timeline_.track_count());
    }
    return others_;
  }
  const TrackId id = timeline_.add_track(std::move(track));
  state_.resize(timeline_.track_count());
  return id;
}

NameId Marking::add_name(std::string_view category, std::string_view text) {
  if (timeline_.name_count() < kMostNames) return timeline_.add_name(category, text);
  if (other_name_ == kNoName) other_name_ = timeline_.add_name("", "(other)");
  return other_name_;
}

std::int64_t Marking::touch(TrackId track, const Moment& now, std::uint16_t& flags) {
  TrackState& state = track_state(track);
  std::int64_t time = now.time;
  if (time < state.last) {
    if (!timeline_.track(track).name.empty()) ++timeline_.mutable_counts().clock_steps;
    flags |= kClockStep;
    time = state.last;
  }
  if (state.state != kNoName) [[unlikely]] {
    // What was lost may have changed it.
    const bool lost = state.stream != nullptr && state.stream->lost_at > state.number;
    if (lost || lost_at_ > state.number) {
      const std::int64_t begin = lost ? state.stream->lost_begin : lost_begin_;
      Mark& unknown = add(MarkKind::kState, track, kNoName, std::clamp(begin, state.last, time));
      unknown.value = 0;
      state.state = kNoName;
    }
  }
  state.last = time;
  state.number = now.number;
  state.stream = now.stream;
  return time;
}

OpenId Marking::take_open() {
  if (!unused_.empty()) {
    const OpenId id = unused_.back();
    unused_.pop_back();
    open_[id - 1] = {};
    return id;
  }
  if (open_.size() >= kMostOpen) return 0;
  open_.emplace_back();
  return static_cast<OpenId>(open_.size());
}

TrackId Marking::free_lane(TrackId first) {
  TrackState& state = track_state(first);
  for (const TrackId lane : state.lanes) {
    if (track_state(lane).stack.empty()) return lane;
  }
  if (state.lanes.size() + 1 >= kMostLanes) return kNoTrack;
  Track lane = timeline_.track(first);
  lane.first_lane = first;
  lane.lane = static_cast<std::uint32_t>(state.lanes.size() + 1);
  const TrackId id = timeline_.add_track(std::move(lane));
  state_.resize(timeline_.track_count());
  track_state(first).lanes.push_back(id);
  return id;
}

// The lane on which a slice that ends then nests.
TrackId Marking::lane_for(TrackId track, std::int64_t end) {
  const auto fits = [&](TrackId lane) {
    const std::vector<OpenId>& stack = track_state(lane).stack;
    return stack.empty() || (end != kNoTime && open_[stack.back() - 1].end >= end);
  };
  if (end == kNoTime && !may_overlap(timeline_.track(track).kind)) return track;
  if (fits(track)) return track;
  for (const TrackId lane : track_state(track).lanes) {
    if (fits(lane)) return lane;
  }
  return free_lane(track);
}

OpenId Marking::begin(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                      std::uint16_t flags) {
  const std::int64_t end = now.end_time;
  const TrackId lane = lane_for(track, end);
  if (lane == kNoTrack) return begin_unplaced(track, name, now, flags);
  if (lane != track && !may_overlap(timeline_.track(track).kind)) {
    flags |= kOverlap;
    ++timeline_.mutable_counts().overlaps;
  }
  const OpenId id = take_open();
  if (id == 0) {
    ++timeline_.mutable_counts().not_held;
    return 0;
  }
  const std::int64_t time = touch(lane, now, flags);
  OpenSlice& slice = open_[id - 1];
  slice.begin = time;
  slice.end = end;
  slice.number = now.number;
  slice.stream = now.stream;
  slice.track = lane;
  slice.name = name;
  slice.flags = flags;
  track_state(lane).stack.push_back(id);
  Mark& mark = add(MarkKind::kSliceBegin, lane, name, time);
  mark.flags |= flags;
  mark.event = now.event;
  mark.arguments = arguments;
  return id;
}

// Its duration is measured all the same.
OpenId Marking::begin_unplaced(TrackId track, NameId name, const Moment& now, std::uint16_t flags) {
  ++timeline_.mutable_counts().without_lane;
  const OpenId id = take_open();
  if (id == 0) {
    ++timeline_.mutable_counts().not_held;
    return 0;
  }
  OpenSlice& slice = open_[id - 1];
  slice.begin = now.time;
  slice.end = now.end_time;
  slice.number = now.number;
  slice.stream = now.stream;
  slice.track = track;
  slice.name = name;
  slice.flags = flags | kUnplaced;
  unplaced_.insert(id);
  return id;
}

void Marking::push_end(OpenSlice& slice, std::int64_t time, std::uint16_t flags, const Event* event,
                       const Arguments* arguments) {
  TimelineCounts& counts = timeline_.mutable_counts();
  if ((flags & kInferredEnd) != 0) ++counts.inferred_ends;
  if ((flags & kAcrossLoss) != 0) ++counts.across_loss;
  if ((flags & kOpenAtEnd) != 0) ++counts.open_at_end;
  if ((flags & kNegative) != 0) ++counts.negative;
  Mark& mark = add(MarkKind::kSliceEnd, slice.track, slice.name, time);
  mark.flags |= static_cast<std::uint16_t>(flags | slice.flags);
  mark.begin = std::min(slice.begin, time);
  mark.event = event;
  mark.arguments = arguments;
}

// Those that began after a slice and go on when it ends are not inside it: from there on they are
// on a lane.
void Marking::move_to_lane(const std::vector<OpenId>& moved, TrackId track, std::int64_t time) {
  const TrackId lane = free_lane(timeline_.track(track).first_lane);
  for (const OpenId each : moved) {
    OpenSlice& slice = open_[each - 1];
    ++timeline_.mutable_counts().overlaps;
    slice.flags |= kOverlap;
    if (lane == kNoTrack) continue;
    slice.track = lane;
    track_state(lane).stack.push_back(each);
    Mark& mark = add(MarkKind::kSliceBegin, lane, slice.name, time);
    mark.flags |= kMoved | kOverlap;
  }
}

void Marking::close(OpenId id, std::int64_t time, std::uint16_t flags, const Event* event,
                    const Arguments* arguments) {
  OpenSlice& slice = open_[id - 1];
  const TrackId track = slice.track;
  if ((slice.flags & kUnplaced) != 0) {
    unplaced_.erase(id);
    push_end(slice, time, flags, event, arguments);
    unused_.push_back(id);
    if (open_[id - 1].observer != nullptr)
      open_[id - 1].observer->slice_ended(open_[id - 1].observed, time);
    return;
  }
  std::vector<OpenId>& stack = track_state(track).stack;
  if (!stack.empty() && stack.back() == id) [[likely]] {
    stack.pop_back();
    push_end(slice, time, flags, event, arguments);
  } else {
    const auto place = std::ranges::find(stack, id);
    std::vector<OpenId> above;
    if (place != stack.end()) {
      above.assign(std::next(place), stack.end());
      stack.erase(place, stack.end());
    }
    for (auto each = above.rbegin(); each != above.rend(); ++each) {
      Mark& mark = add(MarkKind::kSliceEnd, track, open_[*each - 1].name, time);
      mark.flags |= kMoved;
      mark.begin = open_[*each - 1].begin;
    }
    push_end(slice, time, flags, event, arguments);
    if (!above.empty()) move_to_lane(above, track, time);
  }
  unused_.push_back(id);
  SliceObserver* const observer = open_[id - 1].observer;
  if (observer != nullptr) observer->slice_ended(open_[id - 1].observed, time);
}

void Marking::end(OpenId id, const Moment& now, const Arguments* arguments, std::uint16_t flags) {
  if ((open_[id - 1].flags & kUnplaced) != 0) {
    if (lost_since(open_[id - 1], now.stream)) flags |= kAcrossLoss;
    return close(id, std::max(now.time, open_[id - 1].begin), flags, now.event, arguments);
  }
  if (lost_since(open_[id - 1], now.stream)) flags |= kAcrossLoss;
  const std::int64_t time = touch(open_[id - 1].track, now, flags);
  close(id, time, flags, now.event, arguments);
}

void Marking::end_inferred(OpenId id, const Moment& now) {
  const OpenSlice& slice = open_[id - 1];
  std::uint16_t flags = kInferredEnd;
  Moment then = now;
  const bool lost_in_stream = slice.stream != nullptr && slice.stream->lost_at > slice.number;
  if (lost_in_stream || lost_at_ > slice.number) {
    // What came meanwhile was lost: it ended then at the latest that is known.
    const std::int64_t begin = lost_in_stream ? slice.stream->lost_begin : lost_begin_;
    then.time = std::max(slice.begin, begin);
    flags |= kAcrossLoss;
  }
  then.time = std::max(then.time, track_state(slice.track).last);
  then.time = std::min(then.time, std::max(now.time, track_state(slice.track).last));
  const std::int64_t time = touch(slice.track, then, flags);
  close(id, time, flags, nullptr, nullptr);
}

void Marking::end_unmatched(TrackId track, NameId name, const Moment& now,
                            const Arguments* arguments, bool key_is_new) {
  TimelineCounts& counts = timeline_.mutable_counts();
  std::uint16_t flags = 0;
  // On a track that nothing was marked on yet, it can have begun before the trace.
  if (key_is_new && track_state(track).number == 0) {
    const std::int64_t time = touch(track, now, flags);
    ++counts.began_before;
    Mark& begin = add(MarkKind::kSliceBegin, track, name, std::min(timeline_.begin(), time));
    begin.flags |= kBeganBefore;
    Mark& end = add(MarkKind::kSliceEnd, track, name, time);
    end.flags |= static_cast<std::uint16_t>(flags | kBeganBefore);
    end.begin = begin.time;
    end.event = now.event;
    end.arguments = arguments;
    return;
  }
  ++counts.unmatched_ends;
  instant(track, name, now, arguments, kUnmatchedEnd);
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
    close(ending.slice, state.last, slice.flags & kNegative, nullptr, nullptr);
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

void Marking::state(TrackId track, NameId name, const Moment& now, std::int32_t cpu,
                    std::int64_t spent) {
  std::uint16_t flags = 0;
  const std::int64_t time = touch(track, now, flags);
  Mark& mark = add(MarkKind::kState, track, name, time);
  mark.flags |= flags;
  mark.value = spent;
  mark.cpu = cpu;
  track_state(track).state = name;
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

void Marking::wait(TrackId track, NameId name, const Moment& now, std::int64_t begin,
                   const Arguments* arguments, std::uint16_t flags) {
  Mark& mark = add(MarkKind::kWait, track, name, std::max(now.time, begin));
  mark.flags |= flags;
  mark.begin = begin;
  mark.event = now.event;
  mark.arguments = arguments;
}

void Marking::flow(TrackId from, std::int64_t from_time, TrackId to, const Moment& now) {
  const std::uint64_t flow = ++flows_;
  add(MarkKind::kFlowOut, from, kNoName, from_time).flow = flow;
  add(MarkKind::kFlowIn, to, kNoName, std::max(now.time, from_time)).flow = flow;
}

void Marking::gap(StreamState* stream, NameId name, std::int64_t begin, std::int64_t end,
                  std::uint64_t number) {
  ++timeline_.mutable_counts().gaps;
  if (quality_ == kNoTrack) {
    quality_ = add_track({.kind = TrackKind::kLanes, .name = "trace quality", .group = "quality"});
  }
  Mark& mark = add(MarkKind::kGap, quality_, name, end);
  mark.begin = std::min(begin, end);
  if (stream != nullptr) {
    stream->lost_at = number;
    stream->lost_begin = begin;
  } else {
    lost_at_ = number;
    lost_begin_ = begin;
  }
}

void Marking::finish(std::int64_t time) {
  end_known(kNoTime);
  while (!unplaced_.empty()) {
    const OpenId id = *unplaced_.begin();
    close(id, std::max(time, open_[id - 1].begin), kOpenAtEnd, nullptr, nullptr);
  }
  for (TrackId track = 1; track <= timeline_.track_count(); ++track) {
    while (!track_state(track).stack.empty()) {
      const OpenId id = track_state(track).stack.back();
      close(id, std::max(time, track_state(track).last), kOpenAtEnd, nullptr, nullptr);
    }
  }
}

}  // namespace tracedeck::timeline
