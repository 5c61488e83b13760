// Merges several sources of records by time.
#pragma once

#include <memory>
#include <vector>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/spill/record_key.hpp"

namespace tracedeck::flow {

// The records of all sources as one: of the events that come next in each, the earliest first. Each
// source keeps its own order, ties keep the order of the sources. An event without a time and every
// other record comes directly after the record before it in its source; what precedes the first
// event with a time comes first. A loss that has a place of its own goes there.
//
// `time_of`: null, or what to compare other than the exact times.
//
// Holds one batch of each source at a time, and the few that its last batch is made of. When a
// source fails, the records merged until then are delivered, then its error.
[[nodiscard]] std::unique_ptr<RecordSource> merge(
    std::vector<std::unique_ptr<RecordSource>> sources, OrderBy by = OrderBy::kRecorded,
    TimeOf time_of = nullptr);

}  // namespace tracedeck::flow
