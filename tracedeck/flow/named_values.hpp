// Names beside the values of traces that were restored, where readers of their formats have them.
#pragma once

#include <cstdint>

#include "tracedeck/flow/stage.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// Whether a trace needs that: it was restored, and it names values, or others may that were brought
// into the same result.
[[nodiscard]] bool may_name_values(const TraceDescription& description);

// The records of such a trace, with the names. `again`: the same once more, to be looked through
// first; null: names hold from where they are given. `limit`: bytes that those of a trace may take.
[[nodiscard]] RecordSourcePtr named_values(RecordSourcePtr source, RecordSourcePtr again,
                                           std::uint64_t limit);

}  // namespace tracedeck::flow
