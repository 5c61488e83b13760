// What of `Marking` nearly every event comes to, for it to be inlined.
#pragma once

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

template <bool kCounts>
inline bool Marking::begin_usual(TrackId track, NameId name, const Moment& now,
                                 const Arguments* arguments, SliceTraits traits, OpenId& id) {
  TrackState& state = track_state(track);
  const std::int64_t time = now.time;
  if (!is_next(state, now) || unused_ == 0) return false;
  if constexpr (kCounts) {
    if (!totals_->began(track, time)) return false;
  } else {
    if (marks_.full()) return false;
    put_there({.kind = MarkKind::kSliceBegin,
               .flags = traits.flags,
               .track = track,
               .name = name,
               .time = time,
               .begin = 0,
               .event = now.event,
               .arguments = arguments});
  }
  state.number = now.number;
  state.last = time;
  id = unused_;
  OpenSlice& slice = open_[id];
  unused_ = slice.outer;
  slice = {.begin = time,
           .number = now.number,
           .track = track,
           .name = name,
           .outer = std::exchange(state.innermost, id),
           .traits = traits};
  return true;
}

template <bool kCounts>
inline bool Marking::end_usual(OpenId id, const Moment& now, const Arguments* arguments) {
  OpenSlice& slice = open_[id];
  if (!slice.traits.is_usual) return false;
  TrackState& state = track_state(slice.track);
  const std::int64_t time = now.time;
  if (!is_next(state, now) || state.innermost != id) return false;
  if constexpr (kCounts) {
    if (!totals_->ended(slice.track, slice.name, slice.begin, time)) return false;
  } else {
    if (marks_.full()) return false;
    put_there({.kind = MarkKind::kSliceEnd,
               .flags = slice.traits.flags,
               .track = slice.track,
               .name = slice.name,
               .time = time,
               .begin = slice.begin,
               .event = now.event,
               .arguments = arguments});
  }
  state.number = now.number;
  state.last = time;
  state.innermost = slice.outer;
  slice.outer = std::exchange(unused_, id);
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
