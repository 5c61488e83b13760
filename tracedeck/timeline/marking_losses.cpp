// What is not known any more where events were lost, or where a clock began anew.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

void Marking::begin_stretch(TrackId track, const Moment& now) {
  TrackState& state = track_state(track);
  if (lost_at_ >= state.number) {
    forget_lost_state(track, now.time);
    // They are looked at when they end.
    for (OpenId id = state.innermost; id != 0; id = open_[id].outer)
      open_[id].traits.is_usual = false;
  }
  if (state.keeps_streams) note_streams(track);
  state.stretch = now.stretch;
  state.stream = now.stream;
  note_part(track, now.stream, now.number);
}

void Marking::note_part(TrackId track, const StreamState* stream, std::uint64_t number) {
  std::vector<StreamPart>& parts = track_state(track_state(track).first_lane).parts;
  if (stream == nullptr || parts.size() >= kMostParts) return;
  if (std::ranges::find(parts, stream, &StreamPart::stream) == parts.end())
    parts.push_back({stream, number});
}

void Marking::note_streams(TrackId track) {
  const TrackState& state = track_state(track);
  for (OpenId id = state.innermost; id != 0; id = open_[id].outer) {
    if (open_[id].traits.has_details && details_[id].stream != nullptr) return;
    add_details(id).stream = state.stream;
  }
}

std::optional<Losses::Loss> Marking::loss_on(TrackId track, std::uint64_t number, bool anywhere) {
  std::optional<Losses::Loss> first = losses_.since(number);
  const auto add = [&](const std::optional<Losses::Loss>& loss) {
    if (loss && (!first || loss->number < first->number)) first = loss;
  };
  const TrackState& state = track_state(track_state(track).first_lane);
  for (const StreamPart& part : state.parts) {
    // Events of any stream of the trace could have been of what the track is of.
    add(state.of_stream && !anywhere ? part.stream->losses.since(std::max(number, part.since))
                                     : part.stream->trace_losses().since(number));
    if (part.stream->wide != nullptr) add(part.stream->wide->since(number));
  }
  return first;
}

std::optional<Losses::Loss> Marking::wide_since(std::uint64_t number,
                                                const StreamState* stream) const {
  std::optional<Losses::Loss> first = losses_.since(number);
  if (stream == nullptr || stream->wide == nullptr) return first;
  const auto of_trace = stream->wide->since(number);
  return of_trace && (!first || of_trace->number < first->number) ? of_trace : first;
}

std::optional<Losses::Loss> Marking::loss_of_state(TrackId track) {
  const TrackState& state = track_state(track);
  if (state.only == nullptr) return loss_on(track, state.number);
  if (const auto loss = wide_since(state.number, state.only)) return loss;
  return state.only->losses.since(state.number);
}

// What was lost may have changed it.
void Marking::forget_lost_state(TrackId track, std::int64_t time) {
  TrackState& state = track_state(track);
  if (state.state == kNoName) return;
  const auto loss = loss_of_state(track);
  if (!loss) return;
  const std::int64_t end = std::max(timeline_.end(), time);
  state.last = std::max(state.last, std::min(loss->begin, end));
  state.state = kNoName;
  state.only = nullptr;
  put({.kind = MarkKind::kState,
       .flags = kAcrossLoss,
       .track = track,
       .time = state.last,
       .value = 0});
}

// At once, for what is written in the order of time. Of many states and losses it is done where the
// next event comes on each track, so that the time for it grows with the events.
// `goes_on`: the event at hand may put its tracks in other states.
void Marking::forget_lost_states(std::uint64_t number, bool goes_on) {
  constexpr std::uint64_t kFew = 1'000'000;
  constexpr std::uint64_t kOfEach = 64;
  if (looked_at_ > kFew + kOfEach * number) return;
  looked_at_ += known_states_.size();
  std::erase_if(known_states_, [&](TrackId track) {
    TrackState& state = track_state(track);
    if (state.state != kNoName) {
      const auto loss = loss_of_state(track);
      if (!loss || loss->begin > timeline_.end()) return false;
      forget_lost_state(track, timeline_.end());
    }
    state.in_known = goes_on;
    return !goes_on;
  });
}

void Marking::put_gap(NameId name, std::int64_t begin, std::int64_t end) {
  if (quality_ == kNoTrack) {
    quality_ = add_track({.kind = TrackKind::kLanes, .name = "trace quality", .group = "quality"});
  }
  put({.kind = MarkKind::kGap,
       .track = quality_,
       .name = name,
       .time = end,
       .begin = std::min(begin, end)});
}

void Marking::begin_loss(StreamState& stream, Losses::Loss loss) {
  if (stream.is_losing) end_loss(stream, loss.number);
  stream.is_losing = true;
  stream.losses.begin(loss);
  if (stream.of_trace != nullptr) stream.of_trace->begin(loss);
  ++going_on_;
  note_loss(loss.number);
  forget_lost_states(loss.number);
}

void Marking::gap(StreamState& stream, NameId name, std::int64_t begin, std::int64_t end,
                  std::uint64_t number) {
  ++timeline_.mutable_counts().gaps;
  put_gap(name, begin, end);
  stream.losing_until = std::max(begin, end);
  begin_loss(stream, {number, begin});
}

void Marking::wide_gap(Losses* wide, NameId name, std::int64_t begin, std::int64_t end,
                       std::uint64_t number) {
  ++timeline_.mutable_counts().gaps;
  put_gap(name, begin, end);
  (wide == nullptr ? losses_ : *wide).add({number, begin});
  note_loss(number);
  forget_lost_states(number);
}

void Marking::begin_wide_loss(Losses& wide, Losses::Loss loss) {
  ++timeline_.mutable_counts().gaps;
  wide.begin(loss);
  ++going_on_;
  note_loss(loss.number);
  forget_lost_states(loss.number);
}

void Marking::end_wide_loss(Losses& wide, NameId name, std::int64_t begin, std::int64_t end,
                            std::uint64_t number) {
  put_gap(name, begin, end);
  wide.end(number);
  --going_on_;
  note_loss(number);
  forget_lost_states(number);
}

void Marking::lose_rest(StreamState& stream, NameId name, std::int64_t begin, std::int64_t time,
                        std::uint64_t number) {
  put_gap(name, begin, time);
  stream.losing_until = kNoTime;
  begin_loss(stream, {number, begin});
}

void Marking::miss_switch(const Moment& now, std::int64_t since) {
  ++timeline_.mutable_counts().missing_switches;
  timeline_.note_time(now.time);
  if (now.stream == nullptr) return;
  const Losses::Loss loss = {now.number - 1, since};
  now.stream->losses.add(loss);
  if (now.stream->of_trace != nullptr) now.stream->of_trace->add(loss);
  note_loss(loss.number);
  forget_lost_states(loss.number, true);
}

void Marking::end_loss(StreamState& stream, std::uint64_t number) {
  if (!std::exchange(stream.is_losing, false)) return;
  stream.losses.end(number);
  if (stream.of_trace != nullptr) stream.of_trace->end(number);
  --going_on_;
  note_loss(number);
  forget_lost_states(number);
}

SectionEnd Marking::end_section(std::span<StreamState* const> streams, std::int64_t latest,
                                std::uint64_t number, SectionEnd::Why why) {
  const auto is_of_them = [&](const StreamState* stream) {
    return std::ranges::binary_search(streams, stream);
  };
  const bool is_step = why == SectionEnd::Why::kClockStep;
  if (is_step) ++timeline_.mutable_counts().sections;
  SectionEnd ended{.why = why,
                   .streams = {streams.begin(), streams.end()},
                   .tracks = std::vector<bool>(timeline_.track_count() + 1),
                   .slices = std::vector<bool>(open_.size())};
  const auto end = [&](OpenId id, std::int64_t time) {
    ended.slices[id] = true;
    const OpenSlice& slice = open_[id];
    const std::uint16_t lost = loss_within(slice) ? kAcrossLoss : 0;
    const std::uint16_t flag = is_step ? kInferredEnd : kOpenAtEnd;
    close(id, std::max(time, slice.begin), flag | lost, nullptr, nullptr, nullptr);
  };
  for (TrackId track = 1; track <= timeline_.track_count(); ++track) {
    const TrackId first = track_state(track).first_lane;
    const std::vector<StreamPart>& parts = track_state(first).parts;
    if (std::ranges::none_of(parts, is_of_them, &StreamPart::stream)) continue;
    TrackState& state = track_state(track);
    // What traces have in common goes on with those that do.
    const bool is_theirs = is_step || std::ranges::all_of(parts, is_of_them, &StreamPart::stream);
    if (!is_theirs && !is_of_them(state.stream)) continue;
    ended.tracks[track] = true;
    state.last = std::max(state.last, latest);
    std::vector<OpenId> open;
    for (OpenId id = state.innermost; id != 0 && is_theirs; id = open_[id].outer) {
      if (end_of(id) == kNoTime) open.push_back(id);
    }
    for (const OpenId id : open) end(id, state.last);
    if (state.state == kNoName) continue;
    state.state = kNoName;
    put({.kind = MarkKind::kState,
         .flags = static_cast<std::uint16_t>(is_step ? 0 : kOpenAtEnd),
         .track = track,
         .time = state.last,
         .value = 0});
  }
  for (OtherStates::State& each : other_states_.all()) {
    if (!is_of_them(each.stream)) continue;
    end_other(each, latest, 0);
    each.begin = std::numeric_limits<std::int64_t>::min();
  }
  for (const OpenId id : std::vector<OpenId>(unplaced_.begin(), unplaced_.end())) {
    if (ended.has_track(open_[id].track)) end(id, latest);
  }
  // What else is known by the streams' events is not any more.
  for (StreamState* const stream : streams) stream->losses.add({number, latest});
  note_loss(number);
  return ended;
}

}  // namespace tracedeck::timeline
