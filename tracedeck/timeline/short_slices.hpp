// Time lines without their short slices, for what would be too large with them.
//
// A slice is left out when its duration is known and less than a bound. What was left out of a
// track adds up in two counters beside it, "below 10us" (nanoseconds) and "below 10us (count)",
// which have a point for every 64 slices and one at the end. A wait that a slice ended with goes
// with it when it is shorter too. Slices of which no duration is known stay.
//
// Marks are held back for as long as the bound while it is not known whether a slice stays, so that
// what is handed on keeps its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/timeline/kept_event.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

class ShortSlices final : public MarkSink {
 public:
  struct Counts {
    std::uint64_t slices = 0;    // that are short, and left out
    std::uint64_t total = 0;     // ns of them, saturated
    std::uint64_t waits = 0;     // that went with them
    std::uint64_t not_held = 0;  // short, and handed on: what came meanwhile was too much to hold
  };

  enum class Mode : std::uint8_t {
    kLeavesOut,
    kCounts,  // all are handed on, to a sink that leaves out what is short itself
  };

  // `shortest`: ns that a slice lasts that stays; 0: all do. `timeline` is that of the marks and
  // gets the counters' tracks; it and `next` must outlive it. `memory`: bytes for what is held
  // back.
  ShortSlices(MarkSink& next, Timeline& timeline, std::int64_t shortest,
              Mode mode = Mode::kLeavesOut, std::size_t memory = std::size_t{32} << 20)
      : next_(next), timeline_(timeline), shortest_(shortest), mode_(mode), memory_(memory) {}

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Of all slices with a known duration, those that were left out too.
  [[nodiscard]] const Histogram& durations() const { return durations_; }

 private:
  enum class Fate : std::uint8_t { kOpen, kStays, kLeftOut };
  struct Held {
    Mark mark;
    Fate fate;
    std::unique_ptr<KeptEvent> event = {};  // of a batch that is gone
  };
  using Number = std::uint64_t;  // of what was held back, from the first on
  struct Sum {
    TrackId time_track = kNoTrack;
    TrackId count_track = kNoTrack;
    std::int64_t total = 0;
    std::int64_t count = 0;
    std::uint32_t since = 0;  // slices without a point
  };

  void take(const Mark& mark);
  void hold(const Mark& mark, Fate fate) { held_.push_back({.mark = mark, .fate = fate}); }
  [[nodiscard]] Held* find(Number number) {
    return number < first_ ? nullptr : &held_[static_cast<std::size_t>(number - first_)];
  }
  void end_slice(const Mark& mark);
  void leave_out(Number begin, const Mark& end);
  void count(const Mark& end);
  void add_point(Sum& sum, std::int64_t time);
  Sum& sum_of(TrackId track);
  // What began a bound before `time` stays.
  void decide(std::int64_t time);
  // Hands on what is decided up to the first that is not.
  [[nodiscard]] Result<void> hand_on(const Timeline& timeline);
  // What remains outlives its batch.
  void keep_events();

  MarkSink& next_;
  Timeline& timeline_;
  std::int64_t shortest_;
  Mode mode_;
  std::size_t memory_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();  // of the last mark in order
  Histogram durations_;
  Counts counts_;
  std::deque<Held> held_;
  Number first_ = 0;              // of `held_`
  std::deque<Number> undecided_;  // some of which are decided since
  std::size_t kept_ = 0;          // of `held_`, those from the front on whose events are kept
  std::size_t kept_bytes_ = 0;    // of them
  std::vector<std::vector<Number>> open_;  // by track
  std::vector<Sum> sums_;                  // by first lane
  std::vector<Mark> marks_;
  std::vector<std::unique_ptr<KeptEvent>> passing_;  // of `marks_`
};

// A duration as people write it, exactly: "10us", "1.5ms".
[[nodiscard]] std::string exact_duration(std::int64_t nanoseconds);

}  // namespace tracedeck::timeline
