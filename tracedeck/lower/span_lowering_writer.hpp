// What comes before the writer of a target of spans with attributes (Heph), which has no classes.
#pragma once

#include <memory>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// A writer that gives `target` what it has: spans in ns since one epoch, on numbered data streams
// of counted events, with attributes. Its receipt says what does not come back. `profile`, whose
// `plain` is set, must outlive it. `target`: a `heph::TraceWriter`. `part_of_source`: as in
// `WriteOptions`.
[[nodiscard]] std::unique_ptr<Writer> lower_to_spans(const TargetProfile& profile,
                                                     std::unique_ptr<Writer> target,
                                                     bool part_of_source = false);

}  // namespace tracedeck::lower
