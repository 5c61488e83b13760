// Descriptors of tracks, each written when something first lies on it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::exporting::perfetto {

// What lies on a track of Perfetto; each has one sort of it. A track of ours with several is
// several.
enum class Content : std::uint8_t { kEvents, kStates, kCounter };

class Tracks {
 public:
  // `state_tracks`: states have tracks of their own sort, else they are slices.
  Tracks(Packets& packets, bool state_tracks) : packets_(packets), state_tracks_(state_tracks) {}

  // The order of those that have no parent.
  void start();

  // The number of a track, from 1 on. What is open is closed where its descriptor has to be written
  // first.
  [[nodiscard]] [[gnu::always_inline]] std::uint32_t uuid(const timeline::Timeline& timeline,
                                                          timeline::TrackId track,
                                                          Content content) {
    const auto kind = static_cast<std::size_t>(content);
    if (track <= uuids_.size() && uuids_[track - 1][kind] != 0) [[likely]]
      return uuids_[track - 1][kind];
    return describe(timeline, track, content);
  }

  // Another one of several that have one name, and are shown as one.
  [[nodiscard]] std::uint32_t add_lane(std::string_view name);

  // Whether a thread of that number has a descriptor.
  [[nodiscard]] bool has_thread(std::int64_t tid) const { return tids_.contains(tid); }

 private:
  [[nodiscard]] std::uint32_t describe(const timeline::Timeline& timeline, timeline::TrackId track,
                                       Content content);
  // Each writes what makes the track the sort of its content, and is false for one that is none.
  bool put_process(const timeline::Timeline& timeline, timeline::TrackId id);
  bool put_thread(const timeline::Timeline& timeline, timeline::TrackId id, std::uint32_t parent);
  void name_host(const timeline::Timeline& timeline, timeline::TrackId id);
  void put_plain(const timeline::Track& track, std::uint32_t parent, Content content);
  void put_counter(const timeline::Track& track);

  Packets& packets_;
  bool state_tracks_;
  std::uint32_t last_uuid_ = 0;
  std::vector<std::array<std::uint32_t, 3>> uuids_;  // by TrackId and Content; 0: not described
  NumberSet<std::int64_t> pids_;
  std::set<std::pair<std::int64_t, std::int64_t>> threads_;  // pid, tid
  NumberSet<std::int64_t> tids_;
};

// The number of the process that a track belongs to, where Perfetto can hold it; else 0.
[[nodiscard]] std::int32_t process_of(const timeline::Timeline& timeline, timeline::TrackId track);

}  // namespace tracedeck::exporting::perfetto
