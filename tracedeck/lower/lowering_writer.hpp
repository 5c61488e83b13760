// Lets a writer take the records of any trace: what its format cannot hold as it is comes lowered.
#pragma once

#include <memory>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// Events of classes that the target holds are handed on as they are. Others come as events of
// lowered classes, in one data stream of a trace of the target's format, with the marks from which
// `restore` makes them again. `profile` must outlive it.
[[nodiscard]] std::unique_ptr<Writer> lower_for(const TargetProfile& profile,
                                                std::unique_ptr<Writer> target);

}  // namespace tracedeck::lower
