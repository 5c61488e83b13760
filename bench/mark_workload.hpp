// The workload `polls`: slices without arguments on 16 tracks, of 40 names in one category, a mark
// every 2.5 us, as workers of a busy runtime make them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bench/tband_workload.hpp"
#include "tracedeck/export/exporter.hpp"

namespace tracedeck::bench {

class PollMarks {
 public:
  static constexpr std::size_t kTracks = 16;
  static constexpr std::uint32_t kNames = 40;

  PollMarks() {
    for (std::size_t i = 0; i < kTracks; ++i) {
      timeline_.add_track(
          {.kind = timeline::TrackKind::kPlain, .name = "worker " + std::to_string(i)});
    }
    for (std::uint32_t i = 0; i < kNames; ++i)
      timeline_.add_name("poll", "src/main.rs:" + std::to_string(100 + i));
    timeline_.note_time(time_);
  }

  // Gives `sink` that many slices, and the end. False when it failed.
  bool give(timeline::MarkSink& sink, std::uint64_t slices) {
    for (std::uint64_t left = 2 * slices; left != 0;) {
      const std::size_t count =
          left < marks_.size() ? static_cast<std::size_t>(left) : marks_.size();
      for (std::size_t i = 0; i < count; ++i) next(marks_[i]);
      if (!sink.take(timeline_, {marks_.data(), count})) return false;
      left -= count;
    }
    return sink.finish(timeline_).has_value();
  }

 private:
  struct Open {
    timeline::NameId name = timeline::kNoName;
    std::int64_t begin = 0;
  };

  void next(timeline::Mark& mark) {
    const std::uint32_t random = random_(std::uint32_t{1} << 31);
    time_ += random % 5000;
    Open& open = open_[random >> 27];
    mark.track = (random >> 27) + 1;
    mark.time = time_;
    if (open.name == timeline::kNoName) {
      open = {.name = 1 + (random >> 12) % kNames, .begin = time_};
      mark.kind = timeline::MarkKind::kSliceBegin;
      mark.begin = 0;
    } else {
      mark.kind = timeline::MarkKind::kSliceEnd;
      mark.begin = open.begin;
    }
    mark.name = open.name;
    if (mark.kind == timeline::MarkKind::kSliceEnd) open.name = timeline::kNoName;
  }

  timeline::Timeline timeline_;
  std::array<timeline::Mark, 1024> marks_ = {};
  std::array<Open, kTracks> open_ = {};
  std::int64_t time_ = 503'226'032'430'072;
  Lcg random_;
};

}  // namespace tracedeck::bench
