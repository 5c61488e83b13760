// Where the last events of some traces begin, found without reading what is before them.
#pragma once

#include <optional>
#include <span>

#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/trace_place.hpp"

namespace tracedeck::flow {

// A time from which on these traces have at least `Selection::tail` of the events that the
// selection wants; ns from the clocks' origins. Packets are looked at from their ends: those of
// more and more bytes are read until there are enough events. Nothing: all has to be read, because
// the order is that on disk, a trace is not of a format with `FormatInfo::packets_apart` or comes
// through a pipe, its packets do not say their times or overlap, or there are not so many events.
[[nodiscard]] std::optional<Nanoseconds> begin_of_tail(const PipelineContext& context,
                                                       std::span<const TracePlace> places);

}  // namespace tracedeck::flow
