// The traces of operands one after the other, for who looks at each by itself.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "tracedeck/flow/live.hpp"
#include "tracedeck/flow/pipeline.hpp"

namespace tracedeck::flow {

// Looks at one trace, or at why it cannot be read. Returns whether to go on.
using LookAtTrace = std::function<bool(const TracePlace&, Result<std::unique_ptr<SingleTrace>>)>;

// Opens the traces one after the other and hands each to `look`. Live ones are opened as they come,
// one place after the other. Of a listener several are looked at, on threads of their own, but only
// while one waits for its input do others go on: `look` needs no locks.
void for_each_trace(PipelineOptions options, PipelineObserver& observer, std::stop_token stop,
                    std::vector<TracePlace> places, const LookAtTrace& look);

}  // namespace tracedeck::flow
