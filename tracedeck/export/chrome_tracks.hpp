// Where tracks are in Chrome's trace viewer: each has a process and a thread, by number.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::exporting::chrome {

struct Place {
  std::int64_t pid = -1;  // -1: not known yet
  std::int64_t tid = 0;   // also the number of asynchronous slices
  bool is_async = false;  // slices may overlap those of other lanes
};

// What a place is called, to be written when something first is there.
struct Introduction {
  bool process = false;  // of its process too
  std::string process_name = {};
  std::string thread_name = {};
  std::uint32_t rank = 0;
};

class Places {
 public:
  // Numbers from here on are none of the trace: no process of Linux has one.
  static constexpr std::int64_t kMadeUp = std::int64_t{1} << 22;
  // And from here on those of states on tracks that hold slices too.
  static constexpr std::int64_t kMadeUpStates = std::int64_t{1} << 33;

  struct Found {
    const Place& place;
    bool is_new;
  };
  [[nodiscard]] Found find(const timeline::Timeline& timeline, timeline::TrackId track,
                           bool for_states) {
    if (track > places_.size()) [[unlikely]]
      places_.resize(timeline.track_count());
    Place& place = places_[track - 1][for_states ? 1 : 0];
    if (place.pid >= 0) [[likely]]
      return {place, false};
    settle(timeline, track, for_states, place);
    return {place, true};
  }
  // Of a track whose place was just found.
  [[nodiscard]] Introduction introduce(const timeline::Timeline& timeline, timeline::TrackId track,
                                       const Place& place);

 private:
  void settle(const timeline::Timeline& timeline, timeline::TrackId track, bool for_states,
              Place& place);

  std::vector<std::array<Place, 2>> places_;               // by TrackId: of slices, of states
  std::set<std::pair<std::int64_t, std::int64_t>> taken_;  // pid, tid
  std::set<std::int64_t> introduced_;                      // pid
};

}  // namespace tracedeck::exporting::chrome
