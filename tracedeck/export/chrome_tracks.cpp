#include "tracedeck/export/chrome_tracks.hpp"

#include <optional>

#include "tracedeck/export/host_numbers.hpp"

namespace tracedeck::exporting::chrome {
namespace {

using timeline::Timeline;
using timeline::Track;
using timeline::TrackId;
using timeline::TrackKind;

// The track that stands for the process: the nearest one with a number, else the topmost group.
TrackId process_track(const Timeline& timeline, TrackId track) {
  TrackId topmost = timeline::kNoTrack;
  for (; track != timeline::kNoTrack; track = timeline.track(track).parent) {
    const Track& at = timeline.track(track);
    if (at.kind != TrackKind::kProcess && at.kind != TrackKind::kGroup) continue;
    topmost = track;
    if (at.pid) break;
  }
  return topmost;
}

// The names from below the process down: "requests / GET".
std::string path_name(const Timeline& timeline, TrackId track, TrackId process) {
  std::string path = timeline.track(track).name;
  for (TrackId at = timeline.track(track).parent; at != timeline::kNoTrack && at != process;
       at = timeline.track(at).parent) {
    path.insert(0, timeline.track(at).name + " / ");
  }
  return path;
}

}  // namespace

void Places::settle(const Timeline& timeline, TrackId id, bool for_states, Place& place) {
  const Track& track = timeline.track(id);
  const TrackId process = process_track(timeline, id);
  std::optional<std::int64_t> pid = track.pid;
  if (process != timeline::kNoTrack) {
    if (!pid) pid = timeline.track(process).pid;
    if (timeline.track(process).earlier != 0) pid.reset();  // equal numbers are one process
  }
  place.pid = pid && *pid >= 0 ? number_on_host(timeline, id, *pid) : kMadeUp + process;
  place.is_async = track.kind == TrackKind::kLanes && !for_states;
  const bool is_thread =
      (track.kind == TrackKind::kThread || track.kind == TrackKind::kTask) && track.lane == 0;
  const bool own_states = track.kind == TrackKind::kState || track.kind == TrackKind::kTask;
  if (for_states && !own_states) {
    place.tid = kMadeUpStates + id;
  } else if (is_thread && track.tid && taken_.insert({place.pid, *track.tid}).second) {
    place.tid = number_on_host(timeline, id, *track.tid);
  } else {
    place.tid = kMadeUp + id;
  }
}

Introduction Places::introduce(const Timeline& timeline, TrackId track, const Place& place) {
  const TrackId process = process_track(timeline, track);
  Introduction introduction{.process = introduced_.insert(place.pid).second,
                            .thread_name = path_name(timeline, track, process),
                            .rank = timeline.track(track).rank};
  if (process != timeline::kNoTrack)
    introduction.process_name = timeline.track(process).name;
  else
    introduction.process_name = timeline.shown_origin(track);
  return introduction;
}

}  // namespace tracedeck::exporting::chrome
