// What is not known any more where events were lost, or where a clock began anew.
#include <algorithm>
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
  state.stretch = now.stretch;
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
  state.state = kNoName;
  put({.kind = MarkKind::kState,
       .flags = kAcrossLoss,
       .track = track,
       .time = state.last,
       .value = 0});
}

void Marking::gap(StreamState* stream, NameId name, std::int64_t begin, std::int64_t end,
                  std::uint64_t number) {
  ++timeline_.mutable_counts().gaps;
  if (quality_ == kNoTrack) {
    quality_ = add_track({.kind = TrackKind::kLanes, .name = "trace quality", .group = "quality"});
  }
  put({.kind = MarkKind::kGap,
       .track = quality_,
       .name = name,
       .time = end,
       .begin = std::min(begin, end)});
  note_loss(number);
  (stream != nullptr ? stream->losses : losses_).add({number, begin});
}

SectionEnd Marking::end_section(StreamState& stream, std::uint64_t number) {
  ++timeline_.mutable_counts().sections;
  SectionEnd ended{.tracks = std::vector<bool>(timeline_.track_count() + 1),
                   .slices = std::vector<bool>(open_.size())};
  const auto end = [&](OpenId id, std::int64_t time) {
    ended.slices[id] = true;
    const OpenSlice& slice = open_[id];
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
    std::vector<OpenId> open;
    for (OpenId id = state.innermost; id != 0; id = open_[id].outer) {
      if (end_of(id) == kNoTime) open.push_back(id);
    }
    for (const OpenId id : open) end(id, state.last);
    if (state.state == kNoName) continue;
    state.state = kNoName;
    put({.kind = MarkKind::kState, .track = track, .time = state.last, .value = 0});
  }
  for (const OpenId id : std::vector<OpenId>(unplaced_.begin(), unplaced_.end())) {
    if (ended.has_track(open_[id].track)) end(id, stream.latest);
  }
  // What else is known by the stream's events is not any more.
  note_loss(number);
  stream.losses.add({number, stream.latest});
  return ended;
}

}  // namespace tracedeck::timeline
