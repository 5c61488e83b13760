// Lets a writer of a format with nested classes take the records of any trace.
#pragma once

#include <memory>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// For a profile with `nested`. Each class, clock and data stream that the target does not hold has
// one that stands for it, with the marks from which `restore` makes it again. Data streams that are
// not in the order of time come as several that are. Of another dialect of the target's format data
// streams and packets stay what they are. `profile` must outlive it. `single_source`: of
// `WriteOptions`. `names`: of several traces, which are then all marked; they outlive it.
[[nodiscard]] std::unique_ptr<Writer> lower_nested(const TargetProfile& profile,
                                                   std::unique_ptr<Writer> target,
                                                   bool single_source, TraceNames names,
                                                   bool part_of_source = false);

}  // namespace tracedeck::lower
