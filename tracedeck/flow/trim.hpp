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

// Leaves out the events that are not in `range`. An event with a begin and an end goes by its
// begin; one without a time by the timed event before it in its data stream, and where there is
// none it lies before every `begin`. Events that describe others stay. Packets and losses whose
// whole interval lies outside are left out as well; all other records stay. Goes before stages that
// bring streams together or change the order. `left_out`: null, or gets the times of the events
// left out.
[[nodiscard]] std::unique_ptr<RecordSource> trim(std::unique_ptr<RecordSource> source,
                                                 const TrimRange& range,
                                                 std::shared_ptr<TimesSeen> left_out = {});

}  // namespace tracedeck::flow
