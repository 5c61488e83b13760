// Lets a writer take the records of any trace: what its format cannot hold as it is comes lowered.
#pragma once

#include <memory>
#include <string_view>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// Events of classes that the target holds are handed on as they are. Others come as events of
// lowered classes, in one data stream of a trace of the target's format, with the marks from which
// `restore` makes them again. `profile` must outlive it. `names`: of several traces, which the
// marks have; they outlive it. `version`: of the target, where one was asked for.
[[nodiscard]] std::unique_ptr<Writer> lower_for(const TargetProfile& profile,
                                                std::unique_ptr<Writer> target, TraceNames names,
                                                std::string_view version = {});

}  // namespace tracedeck::lower
