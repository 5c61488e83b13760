// How a trace's own clock relates to UTC, by the anchors that the trace has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracedeck/base/time.hpp"

namespace tracedeck::flow {

// Times are ns of the trace's clock as it was recorded, UTC is in ns since the Unix epoch. Between
// two anchors that differ by at most `kMostClockDrift` the wall clock drifts evenly. Between others
// it was set, or the machine was suspended: it steps at the later anchor. Before the first anchor
// and behind the last one, the nearest anchor holds.
class WallClock {
 public:
  // The wall clock was set, or stood still, at an unknown time between two anchors.
  struct Step {
    Nanoseconds after;  // the anchor before it
    Nanoseconds at;     // the anchor behind it
    Nanoseconds by;     // how far UTC times between them may be off
  };

  // Anchors come in any order. Of two at one time the last one holds from there on.
  void add(Nanoseconds time, Nanoseconds utc);
  // No more anchors come.
  void finish();

  // The rest needs an anchor, and `finish`.
  [[nodiscard]] bool empty() const { return anchors_.empty(); }
  [[nodiscard]] Nanoseconds utc(Nanoseconds time) const { return time + offset_at(time); }
  [[nodiscard]] Nanoseconds offset_at(Nanoseconds time) const;
  // The earliest time whose UTC is not before `utc`, and the latest whose UTC is not behind it.
  [[nodiscard]] Nanoseconds first_at(Nanoseconds utc) const;
  [[nodiscard]] Nanoseconds last_at(Nanoseconds utc) const;

  // Times one behind the other; a bound that is absent does not limit them.
  struct Part {
    std::optional<Nanoseconds> begin = {};
    std::optional<Nanoseconds> end = {};
    bool came_before = false;  // UTC is within the bounds before the first anchor, too
    bool comes_again = false;  // UTC is within the bounds once more behind it
  };
  // The first times whose UTC is not before `least` and not behind `most`, up to where it leaves
  // these bounds; nothing if there are none. Those before the first anchor, where a trace mostly
  // begins, only if there are no others.
  [[nodiscard]] std::optional<Part> first_within(std::optional<Nanoseconds> least,
                                                 std::optional<Nanoseconds> most) const;

  // Of the first anchor; and the least and the greatest of all. To be added to get UTC.
  [[nodiscard]] Nanoseconds offset() const { return anchors_.front().offset; }
  [[nodiscard]] Nanoseconds least_offset() const { return least_; }
  [[nodiscard]] Nanoseconds greatest_offset() const { return greatest_; }
  [[nodiscard]] std::vector<Step> steps() const;
  // Whether it was set back, so that it shows some times twice.
  [[nodiscard]] bool goes_back() const;

 private:
  struct Anchor {
    Nanoseconds time;
    Nanoseconds offset;
  };

  [[nodiscard]] static bool drifts(const Anchor& from, const Anchor& to);
  [[nodiscard]] static Nanoseconds between(const Anchor& from, const Anchor& to, Nanoseconds time);
  // The same of the times before anchor `i` and not before the one before it.
  [[nodiscard]] std::optional<Part> within(std::size_t i, std::optional<Nanoseconds> least,
                                           std::optional<Nanoseconds> most) const;
  // The first time from `low` to `high` whose UTC is at least `utc`. UTC does not fall in between,
  // and is at least that at `high`.
  [[nodiscard]] Nanoseconds first_between(Nanoseconds low, Nanoseconds high, Nanoseconds utc) const;
  void thin_out();

  std::vector<Anchor> anchors_;
  Nanoseconds least_;
  Nanoseconds greatest_;
};

}  // namespace tracedeck::flow
