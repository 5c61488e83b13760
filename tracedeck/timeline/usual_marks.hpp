// What of `Marking` nearly every event comes to, for it to be inlined.
#pragma once

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

template <bool kCounts>
inline bool Marking::begin_usual(TrackId track, NameId name, const Moment& now,
                                 const Arguments* arguments, std::uint16_t flags, OpenId& id) {
  TrackState& state = track_state(track);
  if (state.may_overlap || lost_at_ >= state.number || !is_next(state, now)) return false;
  if (unused_.empty() || state.stack.full()) return false;
  if constexpr (kCounts) {
    if (!totals_->began(track, now.time)) return false;
  } else {
    if (marks_.full()) return false;
    put_there({.kind = MarkKind::kSliceBegin,
               .flags = flags,
               .track = track,
               .name = name,
               .time = now.time,
               .begin = 0,
               .event = now.event,
               .arguments = arguments});
  }
  state.number = now.number;
  state.last = now.time;
  id = unused_.back();
  unused_.pop();
  state.stack.push_there(id);
  open_[id - 1] = {
      .begin = now.time, .number = now.number, .track = track, .name = name, .flags = flags};
  return true;
}

template <bool kCounts>
inline bool Marking::end_usual(OpenId id, const Moment& now, const Arguments* arguments) {
  const OpenSlice& slice = open_[id - 1];
  // One that is on no lane is odd.
  if (slice.has_details || (slice.flags & kOdd) != 0) return false;
  TrackState& state = track_state(slice.track);
  if (lost_at_ >= slice.number || !is_next(state, now) || state.stack.back() != id) return false;
  if constexpr (kCounts) {
    if (!totals_->ended(slice.track, slice.name, slice.begin, now.time)) return false;
  } else {
    if (marks_.full()) return false;
    put_there({.kind = MarkKind::kSliceEnd,
               .flags = slice.flags,
               .track = slice.track,
               .name = slice.name,
               .time = now.time,
               .begin = slice.begin,
               .event = now.event,
               .arguments = arguments});
  }
  state.number = now.number;
  state.last = now.time;
  state.stack.pop();
  unused_.push_there(id);
  return true;
}

template <bool kCounts>
inline bool Marking::wait_usual(TrackId track, NameId name, const Moment& now, std::int64_t begin,
                                const Arguments* arguments) {
  if (now.time < begin) return false;
  if constexpr (kCounts) return totals_->waited(name, begin, now.time);
  if (marks_.full()) return false;
  put_there({.kind = MarkKind::kWait,
             .track = track,
             .name = name,
             .time = now.time,
             .begin = begin,
             .event = now.event,
             .arguments = arguments});
  return true;
}

inline void Marking::state_usual(TrackId track, NameId name, const Moment& now,
                                 std::int64_t spent) {
  TrackState& state = track_state(track);
  state.number = now.number;
  state.last = now.time;
  if (state.state == name) return;
  put_state(track, name, now.time, spent);
}

}  // namespace tracedeck::timeline
