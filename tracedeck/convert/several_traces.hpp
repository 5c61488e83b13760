// Whether what lies in one place is shown as several traces.
#pragma once

#include <stop_token>

#include "tracedeck/flow/pipeline_options.hpp"

namespace tracedeck {

// Results may be appended to each other, and of some classes of a result no mark may say what they
// were. So a result is read as a whole; false where it can be read only once, or reading fails,
// which shows when it is read again.
[[nodiscard]] bool holds_several_traces(flow::PipelineOptions reading, const std::stop_token& stop);

}  // namespace tracedeck
