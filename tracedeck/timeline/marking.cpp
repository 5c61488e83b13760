#include "tracedeck/timeline/marking.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tracedeck/timeline/usual_marks.hpp"

namespace tracedeck::timeline {

void Marking::count_with(SpanCounter* counter) {
  counter_ = counter;
  totals_ = counter == nullptr ? nullptr : &counter->totals();
  if (totals_ != nullptr) totals_->know(timeline_);
}

// Sinks may have made tracks of their own meanwhile.
void Marking::know_tracks() {
  while (state_.size() <= timeline_.track_count()) {
    state_.push_back(std::make_unique<TrackState>());
    state_.back()->first_lane = static_cast<TrackId>(state_.size() - 1);
  }
}

TrackId Marking::make_track(Track track, bool of_stream) {
  const TrackId id = timeline_.add_track(std::move(track));
  const Track& made = timeline_.track(id);
  know_tracks();
  if (totals_ != nullptr) totals_->know(timeline_);
  TrackState& state = track_state(id);
  state.first_lane = made.first_lane;
  state.may_overlap = made.kind == TrackKind::kLanes;
  state.of_stream = of_stream;
  return id;
}

TrackId Marking::add_track(Track track, bool of_stream) {
  if (!tracks_are_full()) return make_track(std::move(track), of_stream);
  if (others_ == kNoTrack)
    others_ =
        make_track({.kind = TrackKind::kLanes, .name = "(others)", .group = "(others)"}, false);
  return others_;
}

NameId Marking::add_name(std::string_view category, std::string_view text, PlaceRange place,
                         std::string_view host, OriginId origin) {
  const std::size_t before = timeline_.name_count();
  NameId id = kNoName;
  // The whole name of a place is kept beside what is shown of it.
  const std::size_t bytes = (place.size == 0 ? 1 : 2) * text.size() + host.size();
  if (before < kMostNames && name_bytes_ + bytes <= kMostNameBytes) {
    id = timeline_.add_name(category, text, place, host, origin);
    if (timeline_.name_count() == before) return id;
    name_bytes_ += bytes;
  } else if (id = timeline_.find_name(category, text, host); id == kNoName) {
    if (other_name_ == kNoName) other_name_ = timeline_.add_name("", "(other)");
    id = other_name_;
  }
  if (totals_ != nullptr) totals_->know(timeline_);
  return id;
}

OpenId Marking::new_open() {
  if (open_.size() > kEnded + kMostOpen) return 0;
  open_.emplace_back();
  details_.emplace_back();
  return static_cast<OpenId>(open_.size() - 1);
}

SliceDetails& Marking::add_details(OpenId id) {
  SliceDetails& details = details_[id];
  if (!open_[id].traits.has_details) details = {};
  open_[id].traits.has_details = true;
  open_[id].traits.is_usual = false;
  return details;
}

void Marking::mix(OpenId id, const Moment& now) {
  SliceDetails& details = add_details(id);
  details.is_mixed = true;
  if (details.observer != nullptr) details.observer->slice_unclear(details, now);
}

OpenId Marking::begin(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                      std::uint16_t flags) {
  const SliceTraits traits = {.flags = flags, .is_usual = (flags & kOdd) == 0};
  if (now.end_time != kNoTime || track_state(track).may_overlap)
    return begin_on_lane(track, name, now, arguments, flags);
  OpenId id = 0;
  if (traits.is_usual && (counts() ? begin_usual<true>(track, name, now, arguments, traits, id)
                                   : begin_usual<false>(track, name, now, arguments, traits, id)))
    return id;
  return begin_on(track, name, now, arguments, flags);
}

void Marking::count_flags(std::uint16_t flags) {
  TimelineCounts& counts = timeline_.mutable_counts();
  if ((flags & kNoDuration) != 0) ++counts.left_out;
  if ((flags & (kInferredEnd | kOpenAtEnd)) == kInferredEnd) ++counts.inferred_ends;
  if ((flags & kAcrossLoss) != 0) ++counts.across_loss;
  if ((flags & kOpenAtEnd) != 0) ++counts.open_at_end;
  if ((flags & kClockStep) != 0) ++counts.across_clock_step;
  if ((flags & kNegative) != 0) ++counts.negative;
  if ((flags & kGone) != 0) ++counts.ended_with_task;
}

OpenId Marking::begin_on(TrackId lane, NameId name, const Moment& now, const Arguments* arguments,
                         std::uint16_t flags) {
  const OpenId id = take_open();
  if (id == 0) {
    ++timeline_.mutable_counts().not_held;
    return 0;
  }
  const std::int64_t time = touch(lane, now, flags);
  open_[id] = {.begin = time,
               .number = now.number,
               .track = lane,
               .name = name,
               .outer = std::exchange(track_state(lane).innermost, id),
               .traits = {.flags = flags, .is_usual = (flags & kOdd) == 0}};
  put({.kind = MarkKind::kSliceBegin,
       .flags = flags,
       .track = lane,
       .name = name,
       .time = time,
       .begin = 0,
       .event = now.event,
       .arguments = arguments});
  return id;
}

void Marking::put_end(const OpenSlice& slice, std::int64_t time, std::uint16_t flags,
                      const Event* event, const Arguments* arguments) {
  if (flags != 0) count_flags(flags);
  put({.kind = MarkKind::kSliceEnd,
       .flags = static_cast<std::uint16_t>(flags | slice.traits.flags),
       .track = slice.track,
       .name = slice.name,
       .time = time,
       .begin = std::min(slice.begin, time),
       .event = event,
       .arguments = arguments});
}

void Marking::close(OpenId id, std::int64_t time, std::uint16_t flags, const Moment* now,
                    const Event* event, const Arguments* arguments) {
  OpenSlice& slice = open_[id];
  OpenId& innermost = track_state(slice.track).innermost;
  if (innermost == id) {
    innermost = slice.outer;
    put_end(slice, time, flags, event, arguments);
  } else {
    close_elsewhere(id, time, flags, event, arguments);
  }
  open_[id].outer = std::exchange(unused_, id);
  if (now == nullptr || !open_[id].traits.has_details) return;
  const SliceDetails& ended = details_[id];
  if (ended.observer == nullptr) return;
  if ((flags & kAcrossLoss) == 0 && !ended.is_mixed)
    ended.observer->slice_ended(ended, *now);
  else
    ended.observer->slice_unclear(ended, *now);
}

void Marking::end(OpenId id, const Moment& now, const Arguments* arguments) {
  if (counts() ? end_usual<true>(id, now, arguments) : end_usual<false>(id, now, arguments)) return;
  std::uint16_t flags = 0;
  const OpenSlice& slice = open_[id];
  if (loss_within(slice)) flags |= kAcrossLoss;
  const std::int64_t time = (slice.traits.flags & kUnplaced) != 0 ? std::max(now.time, slice.begin)
                                                                  : touch(slice.track, now, flags);
  close(id, time, flags, &now, now.event, arguments);
}

void Marking::state(TrackId track, NameId name, const Moment& now, std::int32_t cpu,
                    std::int64_t spent) {
  if (track == others_) return state_of_other(name, now);
  if (cpu == kNoCpu && is_usual(track, now)) return state_usual(track, name, now, spent);
  std::uint16_t flags = 0;
  const std::int64_t time = touch(track, now, flags);
  TrackState& known = track_state(track);
  const bool elsewhere = known.cpu != kNoCpu && cpu != kNoCpu && known.cpu != cpu;
  if (known.state == name && !elsewhere) return;
  known.before = std::exchange(known.state, name);
  known.changed = now.number;
  known.only = nullptr;
  if (name != kNoName) know_state(track);
  known.cpu = cpu;
  put({.kind = MarkKind::kState,
       .flags = flags,
       .track = track,
       .name = name,
       .cpu = cpu,
       .time = time,
       .value = spent});
}

void Marking::last_state(TrackId track, NameId name, const Moment& now, std::int32_t cpu,
                         std::int64_t spent) {
  state(track, name, now, cpu, spent);
  if (track == others_) return other_states_.forget_chosen();
  TrackState& known = track_state(track);
  if (std::exchange(known.state, kNoName) == kNoName) return;
  put({.kind = MarkKind::kState, .track = track, .time = known.last, .value = 0});
}

void Marking::state_since(TrackId track, NameId name, const Moment& now, std::int64_t since,
                          std::int32_t cpu) {
  if (track == others_ || track_state(track).number != 0 || since >= now.time) return;
  TrackState& known = track_state(track);
  known.last = since;
  known.number = now.number;
  known.state = name;
  known.cpu = cpu;
  know_state(track);
  ++timeline_.mutable_counts().inferred_states;
  put({.kind = MarkKind::kState,
       .flags = kBeganBefore,
       .track = track,
       .name = name,
       .cpu = cpu,
       .time = since,
       .value = 0});
}

void Marking::state_from(TrackId track, NameId name, std::int64_t since, std::uint64_t number,
                         const StreamState* stream, std::int32_t cpu) {
  TrackState& known = track_state(track);
  if (track == others_ || known.state != kNoName || since < known.last) return;
  note_part(track, stream, number);
  known.last = since;
  known.number = number;
  known.state = name;
  known.before = kNoName;
  known.changed = number;
  known.only = nullptr;
  known.cpu = cpu;
  know_state(track);
  put({.kind = MarkKind::kState,
       .track = track,
       .name = name,
       .cpu = cpu,
       .time = since,
       .value = 0});
}

void Marking::wait(TrackId track, NameId name, const Moment& now, std::int64_t begin,
                   const Arguments* arguments, std::uint16_t flags) {
  if (flags == 0 && (counts() ? wait_usual<true>(track, name, now, begin, arguments)
                              : wait_usual<false>(track, name, now, begin, arguments)))
    return;
  if (now.time < begin) flags |= kNegative;
  put({.kind = MarkKind::kWait,
       .flags = flags,
       .track = track,
       .name = name,
       .time = std::max(now.time, begin),
       .begin = begin,
       .event = now.event,
       .arguments = arguments});
}

void Marking::put_state(TrackId track, NameId name, std::int64_t time, std::int64_t spent) {
  TrackState& state = track_state(track);
  state.before = std::exchange(state.state, name);
  state.changed = state.number;
  state.only = nullptr;
  know_state(track);
  state.cpu = kNoCpu;
  put({.kind = MarkKind::kState, .track = track, .name = name, .time = time, .value = spent});
}

void Marking::end_inferred(OpenId id, const Moment& now) {
  const OpenSlice& slice = open_[id];
  std::uint16_t flags = kInferredEnd;
  std::int64_t time = has_doubtful_end(id) ? details_[id].doubtful_end : now.time;
  if (const auto loss = loss_within(slice)) {
    // What came meanwhile was lost: it ended then at the latest that is known.
    time = std::min(time, loss->begin);
    flags |= kAcrossLoss;
  }
  TrackState& state = track_state(slice.track);
  time = std::max({time, slice.begin, state.last});
  if ((slice.traits.flags & kUnplaced) == 0) state.last = time;
  close(id, time, flags, &now, nullptr, nullptr);
}

void Marking::doubt_end(OpenId id, const Moment& now) {
  SliceDetails& details = add_details(id);
  details.may_be_over = true;
  details.doubtful_end = now.time;
  details.doubtful_in = now.stream;
  if (details.observer != nullptr) details.observer->slice_doubtful(details, now);
}

bool Marking::settle_end(OpenId id, bool is_true, const Moment& now) {
  const OpenSlice& slice = open_[id];
  Moment then = now;
  then.time = details_[id].doubtful_end;
  TrackState& state = track_state(slice.track);
  if (!is_true || state.last > then.time) {
    details_[id].is_mixed = true;
    end_inferred(id, now);
    return false;
  }
  if ((slice.traits.flags & kUnplaced) == 0) state.last = then.time;
  const std::uint16_t flags = loss_within(slice) ? kAcrossLoss : 0;
  close(id, then.time, flags, &then, nullptr, nullptr);
  return true;
}

void Marking::end_gone(OpenId id, const Moment& now) {
  std::uint16_t flags = kGone;
  const OpenSlice& slice = open_[id];
  if (loss_within(slice)) flags |= kAcrossLoss;
  TrackState& state = track_state(slice.track);
  const std::int64_t time = std::max({now.time, slice.begin, state.last});
  if ((slice.traits.flags & kUnplaced) == 0) state.last = time;
  close(id, time, flags, &now, nullptr, nullptr);
}

std::vector<OpenId> Marking::open_on(TrackId track) {
  std::vector<OpenId> all;
  const auto add = [&](TrackId lane) {
    for (OpenId id = track_state(lane).innermost; id != 0; id = open_[id].outer) all.push_back(id);
  };
  add(track);
  for (const TrackId lane : track_state(track).lanes) add(lane);
  return all;
}

void Marking::end_unmatched(TrackId track, NameId name, const Moment& now,
                            const Arguments* arguments, bool began_before) {
  TimelineCounts& counts = timeline_.mutable_counts();
  if (!began_before) {
    ++counts.unmatched_ends;
    return instant(track, name, now, arguments, kUnmatchedEnd);
  }
  ++counts.left_out;
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
  const bool is_later =
      now.stream != nullptr && now.stream->all != nullptr && now.stream->all->begin != kNoTime;
  const std::int64_t begun = std::min(is_later ? now.stream->all->begin : timeline_.begin(), time);
  if (lane != kNoTrack) {
    put({.kind = MarkKind::kSliceBegin,
         .flags = flags,
         .track = lane,
         .name = name,
         .time = begun,
         .begin = 0});
  }
  put({.kind = MarkKind::kSliceEnd,
       .flags = flags,
       .track = place,
       .name = name,
       .time = time,
       .begin = begun,
       .event = now.event,
       .arguments = arguments});
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
    const OpenSlice& slice = open_[ending.slice];
    TrackState& state = track_state(slice.track);
    state.last = std::max(state.last, ending.time);
    close(ending.slice, state.last, slice.traits.flags & kNegative, nullptr, nullptr, nullptr);
  }
}

void Marking::instant(TrackId track, NameId name, const Moment& now, const Arguments* arguments,
                      std::uint16_t flags) {
  const std::int64_t time = touch(track, now, flags);
  put({.kind = MarkKind::kInstant,
       .flags = flags,
       .track = track,
       .name = name,
       .time = time,
       .begin = 0,
       .event = now.event,
       .arguments = arguments});
}

void Marking::counter(TrackId track, const Moment& now, std::int64_t value) {
  std::uint16_t flags = 0;
  const std::int64_t time = touch(track, now, flags);
  put({.kind = MarkKind::kCounter, .flags = flags, .track = track, .time = time, .value = value});
}

void Marking::counter(TrackId track, const Moment& now, double value) {
  std::uint16_t flags = kReal;
  const std::int64_t time = touch(track, now, flags);
  put({.kind = MarkKind::kCounter, .flags = flags, .track = track, .time = time, .real = value});
}

void Marking::flow(TrackId from, std::int64_t from_time, TrackId to, const Moment& now,
                   NameId name) {
  const std::uint64_t flow = ++flows_;
  put({.kind = MarkKind::kFlowOut, .track = from, .name = name, .time = from_time, .flow = flow});
  put({.kind = MarkKind::kFlowIn,
       .track = to,
       .name = name,
       .time = std::max(now.time, from_time),
       .flow = flow});
}

void Marking::finish(std::int64_t time) {
  know_tracks();
  const auto fate = [&](OpenId id) {
    const bool has_details = open_[id].traits.has_details;
    const bool may_be_over = has_details && details_[id].may_be_over;
    const bool is_another = has_details && details_[id].is_mixed;
    return static_cast<std::uint16_t>((may_be_over  ? kInferredEnd
                                       : is_another ? kOpenAtEnd | kInferredEnd
                                                    : kOpenAtEnd) |
                                      (loss_within(open_[id]) ? kAcrossLoss : 0));
  };
  end_known(kNoTime);
  const auto end_of_origin = [&](OriginId origin) {
    return origin != 0 ? std::min(time, timeline_.end_of_origin(origin)) : time;
  };
  const auto end_of = [&](TrackId track) {
    const StreamState* const stream = track_state(track).stream;
    const std::int64_t end = end_of_origin(timeline_.track(track).origin);
    return stream == nullptr ? end : std::min(end, stream->section_end);
  };
  while (!unplaced_.empty()) {
    const OpenId id = *unplaced_.begin();
    close(id, std::max(end_of(open_[id].track), open_[id].begin), fate(id), nullptr, nullptr,
          nullptr);
  }
  for (TrackId track = 1; track <= timeline_.track_count(); ++track) {
    (void)state_of(track, end_of(track));
    std::int64_t closed = track_state(track).last;
    while (track_state(track).innermost != 0) {
      const OpenId id = track_state(track).innermost;
      closed = std::max(closed, has_doubtful_end(id) ? details_[id].doubtful_end : end_of(track));
      close(id, closed, fate(id), nullptr, nullptr, nullptr);
    }
    end_state(track, end_of(track), time);
  }
  for (OtherStates::State& each : other_states_.all())
    end_other(each, end_of_origin(each.origin), kOpenAtEnd);
}

void Marking::state_of_other(NameId name, const Moment& now) {
  OtherStates::State* const chosen = other_states_.chosen();
  if (chosen == nullptr) {
    ++states_without_room_;
    return;
  }
  OtherStates::State& known = *chosen;
  if (now.time < known.begin) {
    ++timeline_.mutable_counts().clock_steps;
    known.name = kNoName;
    return;
  }
  const NameId before = known.name;
  if (before != name || lost_since(known.number)) {
    end_other(known, now.time, 0);
    known.name = name;
    known.begin = now.time;
    known.before = before;
    known.changed = now.number;
  }
  if (known.stream != nullptr && now.stream != nullptr)
    known.has_traces |= &known.stream->trace_losses() != &now.stream->trace_losses();
  known.stream = now.stream;
  known.number = now.number;
}

NameId Marking::other_state(const Moment& now, bool before) {
  const OtherStates::State* const known = other_states_.chosen();
  if (known == nullptr || lost_since(known->number)) return kNoName;
  return before && known->changed == now.number ? known->before : known->name;
}

void Marking::end_other(OtherStates::State& known, std::int64_t time, std::uint16_t flags) {
  if (known.name == kNoName) return;
  if (lost_since(known.number)) {
    std::optional<Losses::Loss> loss = wide_since(known.number, known.stream);
    if (!loss && known.stream != nullptr)
      loss = (known.of_stream ? known.stream->losses : known.stream->trace_losses())
                 .since(known.number);
    if (loss && loss->begin < time) {
      time = loss->begin;
      flags = kAcrossLoss;
    }
    // Of another trace, perhaps.
    if (known.has_traces) time = known.begin;
  }
  const NameId name = std::exchange(known.name, kNoName);
  if (time <= known.begin) return;
  put({.kind = MarkKind::kOtherState,
       .flags = flags,
       .track = others_,
       .name = name,
       .time = time,
       .begin = known.begin});
}

// Of several traces one that ends before the others has no states behind its end.
void Marking::end_state(TrackId track, std::int64_t time, std::int64_t end) {
  TrackState& state = track_state(track);
  if (state.state == kNoName || time >= end) return;
  state.state = kNoName;
  put({.kind = MarkKind::kState,
       .flags = kOpenAtEnd,
       .track = track,
       .time = std::max(time, state.last),
       .value = 0});
}

}  // namespace tracedeck::timeline
