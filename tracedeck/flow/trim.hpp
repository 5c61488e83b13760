// The part of a trace between two times.
#pragma once

#include <memory>
#include <optional>

#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// ns from the clocks' origins; both ends belong to the range, an absent one does not limit it.
struct TrimRange {
  std::optional<Nanoseconds> begin = {};
  std::optional<Nanoseconds> end = {};
};

// A part of UTC, where a wall clock that was set back shows some times twice: what has one of these
// is no part of the trace between two times.
struct UtcRange {
  TrimRange range = {};
  TimeFrame frame = {};

  [[nodiscard]] bool contains(Nanoseconds time) const {
    const Nanoseconds utc = to_utc(time, frame);
    return !(range.begin && utc < *range.begin) && !(range.end && utc > *range.end);
  }
};

struct TrimOptions {
  bool keeps_describing = false;             // events that describe others stay, wherever they lie
  bool sorted = false;                       // see `select`
  std::shared_ptr<TimesSeen> left_out = {};  // gets the times of the events left out
  std::optional<UtcRange> utc = {};          // events lie in that too
};

// Leaves out the events that are not in `range`. An event with a begin and an end goes by its
// begin; one without a time by the timed event before it in its data stream, and where there is
// none it lies before every `begin`. Packets and losses whose whole interval lies outside are left
// out as well; all other records stay. Goes before stages that bring streams together or change the
// order.
[[nodiscard]] std::unique_ptr<RecordSource> trim(std::unique_ptr<RecordSource> source,
                                                 const TrimRange& range, TrimOptions options = {});

}  // namespace tracedeck::flow
