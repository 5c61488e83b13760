// What traces are called where there are several.
#pragma once

#include <functional>
#include <string>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {

// The name of a trace among those that are shown or written together; "" of the only one.
using TraceNames = std::function<std::string(const TraceDescription& trace)>;

}  // namespace tracedeck
