// Times of marks as the rows of a query show them: as they are, or in UTC.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// Of the trace of that name: how times, all moved by one offset, relate to UTC; nothing: they are
// as they are shown.
using FrameOfTrace = std::function<std::optional<flow::TimeFrame>(const std::string& trace)>;

// One thread at a time.
class ShownTimes {
 public:
  void show_utc_by(FrameOfTrace frame_of) { frame_of_ = std::move(frame_of); }

  // A time on a track, in ns from the origin of the clock that is shown.
  [[nodiscard]] Nanoseconds of(const Timeline& timeline, TrackId track, std::int64_t time) {
    const Nanoseconds absolute = timeline.absolute(time);
    if (!frame_of_) return absolute;
    const OriginId origin = timeline.track(track).origin;
    auto known = frames_.find(origin);
    if (known == frames_.end())
      known = frames_.emplace(origin, frame_of_(timeline.origin_of(track).trace)).first;
    return known->second ? flow::to_utc(absolute, *known->second) : absolute;
  }

 private:
  FrameOfTrace frame_of_ = {};
  NumberMap<OriginId, std::optional<flow::TimeFrame>> frames_ = {};
};

}  // namespace tracedeck::timeline
