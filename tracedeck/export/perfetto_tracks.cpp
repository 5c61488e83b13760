#include "tracedeck/export/perfetto_tracks.hpp"

#include <fmt/format.h>

#include <limits>

#include "tracedeck/export/host_numbers.hpp"

namespace tracedeck::exporting::perfetto {
namespace {

using timeline::Timeline;
using timeline::Track;
using timeline::TrackId;
using timeline::TrackKind;

constexpr std::size_t kMostAncestors = 64;

struct Unit {
  std::string_view name;
  std::uint64_t number;
};
constexpr std::array kUnits = {Unit{"ns", 1}, Unit{"count", 2}, Unit{"bytes", 3}};

bool is_pid(const std::optional<std::int64_t>& pid) {
  return pid && *pid > 0 && *pid <= std::numeric_limits<std::int32_t>::max();
}

// Several of these may have one name, and belong together then.
bool is_lane(const Track& track) { return track.kind == TrackKind::kLanes || track.lane != 0; }

}  // namespace

std::int32_t process_of(const Timeline& timeline, TrackId track) {
  std::int32_t pid = 0;
  for (std::size_t i = 0; track != timeline::kNoTrack && i < kMostAncestors; ++i) {
    const Track& at = timeline.track(track);
    // Perfetto takes equal numbers for one process.
    if (at.kind == TrackKind::kProcess && at.earlier != 0) return 0;
    if (pid == 0 && is_pid(at.pid))
      pid = static_cast<std::int32_t>(number_on_host(timeline, track, *at.pid));
    track = at.parent;
  }
  return pid;
}

void Tracks::start() {
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t descriptor = writer.open(packet_field::kTrackDescriptor);
  writer.integer(track_field::kUuid, 0);
  writer.integer(track_field::kChildOrdering, kOrderExplicitly);
  writer.integer(track_field::kProcessOrdering, kOrderByRank);
  writer.integer(track_field::kThreadOrdering, kOrderByRank);
  writer.close(descriptor);
  packets_.end();
}

std::uint32_t Tracks::describe(const Timeline& timeline, TrackId id, Content content) {
  if (id > uuids_.size()) uuids_.resize(timeline.track_count());
  const std::uint32_t uuid = ++last_uuid_;
  uuids_[id - 1][static_cast<std::size_t>(content)] = uuid;
  const Track& track = timeline.track(id);
  const std::uint32_t parent =
      track.parent == timeline::kNoTrack ? 0 : this->uuid(timeline, track.parent, Content::kEvents);

  name_host(timeline, id);
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t descriptor = writer.open(packet_field::kTrackDescriptor);
  writer.integer(track_field::kUuid, uuid);
  if (content != Content::kEvents ||
      !(put_process(timeline, id) || put_thread(timeline, id, parent)))
    put_plain(track, parent, content);
  writer.integer(track_field::kSiblingOrderRank, track.rank);
  writer.close(descriptor);
  packets_.end();
  return uuid;
}

// Of a process that has no track of its own.
void Tracks::name_host(const Timeline& timeline, TrackId id) {
  const std::string_view host = timeline.shown_origin(id);
  const std::int32_t pid = process_of(timeline, id);
  if (host.empty() || pid == 0 || timeline.track(id).kind == TrackKind::kProcess) return;
  if (!pids_.insert(pid).second) return;
  const std::int64_t number = pid - number_on_host(timeline, id, 0);
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t descriptor = writer.open(packet_field::kTrackDescriptor);
  writer.integer(track_field::kUuid, ++last_uuid_);
  const std::size_t process = writer.open(track_field::kProcess);
  writer.signed_integer(process_field::kPid, pid);
  packets_.text(process_field::kName, fmt::format("{}: process {}", host, number));
  writer.close(process);
  writer.close(descriptor);
  packets_.end();
}

// A second track of one process is a plain one: Perfetto takes equal numbers for one process.
bool Tracks::put_process(const Timeline& timeline, TrackId id) {
  const Track& track = timeline.track(id);
  if (track.kind != TrackKind::kProcess || !is_pid(track.pid)) return false;
  const std::int64_t pid = number_on_host(timeline, id, *track.pid);
  if (!pids_.insert(pid).second) return false;
  ProtobufWriter& writer = packets_.writer();
  const std::size_t process = writer.open(track_field::kProcess);
  writer.signed_integer(process_field::kPid, pid);
  packets_.text(process_field::kName, track.name);
  writer.close(process);
  return true;
}

// The same of threads, whose slices would close each other, and of one whose number another one
// had before. Perfetto wants both numbers.
bool Tracks::put_thread(const Timeline& timeline, TrackId id, std::uint32_t parent) {
  const Track& track = timeline.track(id);
  if ((track.kind != TrackKind::kThread && track.kind != TrackKind::kTask) || is_lane(track) ||
      track.earlier != 0)
    return false;
  const std::int32_t pid = process_of(timeline, id);
  if (pid == 0 || !track.tid || *track.tid <= 0) return false;
  const std::int64_t tid = number_on_host(timeline, id, *track.tid);
  if (!threads_.insert({pid, tid}).second) return false;
  tids_.insert(tid);
  ProtobufWriter& writer = packets_.writer();
  if (parent != 0 && timeline.track(track.parent).kind == TrackKind::kProcess)
    writer.integer(track_field::kParentUuid, parent);
  const std::size_t thread = writer.open(track_field::kThread);
  writer.signed_integer(thread_field::kPid, pid);
  writer.signed_integer(thread_field::kTid, tid);
  packets_.text(thread_field::kName, track.name);
  writer.close(thread);
  return true;
}

void Tracks::put_plain(const Track& track, std::uint32_t parent, Content content) {
  ProtobufWriter& writer = packets_.writer();
  packets_.text(track_field::kName, track.name);
  if (parent != 0) writer.integer(track_field::kParentUuid, parent);
  if (track.kind == TrackKind::kGroup || track.kind == TrackKind::kProcess ||
      track.kind == TrackKind::kThread)
    writer.integer(track_field::kChildOrdering, kOrderExplicitly);
  if (content == Content::kCounter) put_counter(track);
  if (content == Content::kStates && state_tracks_) writer.empty_message(track_field::kStateV57);
  if (is_lane(track) && content == Content::kEvents) {
    writer.integer(track_field::kSiblingMergeBehavior, kMergeByKey);
    writer.integer(track_field::kSiblingMergeKeyInt, track.first_lane);
  } else {
    writer.integer(track_field::kSiblingMergeBehavior, kMergeNone);
  }
}

void Tracks::put_counter(const Track& track) {
  ProtobufWriter& writer = packets_.writer();
  const std::size_t counter = writer.open(track_field::kCounter);
  const auto* const unit = std::ranges::find(kUnits, std::string_view(track.unit), &Unit::name);
  if (unit != kUnits.end()) {
    writer.integer(counter_field::kUnit, unit->number);
  } else if (!track.unit.empty()) {
    packets_.text(counter_field::kUnitName, track.unit);
  }
  writer.close(counter);
}

std::uint32_t Tracks::add_lane(std::string_view name) {
  const std::uint32_t uuid = ++last_uuid_;
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t descriptor = writer.open(packet_field::kTrackDescriptor);
  writer.integer(track_field::kUuid, uuid);
  packets_.text(track_field::kName, name);
  writer.close(descriptor);
  packets_.end();
  return uuid;
}

}  // namespace tracedeck::exporting::perfetto
