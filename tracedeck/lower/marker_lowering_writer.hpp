// What comes before the writer of Tonbandgeraet, whose event classes are fixed.
#pragma once

#include <memory>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// A writer that gives `target` events of the classes that it has, those of others as markers with
// their fields as JSON, and says where cores change, how long a tick is, and what was lost. Its
// receipt says what does not come back. `profile`, whose `plain` is set, must outlive it. `target`:
// a `tband::TraceWriter`. `part_of_source`: as in `WriteOptions`.
[[nodiscard]] std::unique_ptr<Writer> lower_to_markers(const TargetProfile& profile,
                                                       std::unique_ptr<Writer> target,
                                                       bool part_of_source = false);

}  // namespace tracedeck::lower
