// Writes records of the model as a dial9 trace.
//
// Event types keep their type_ids where they can and are registered at their first event. A data
// stream that begins when no other is open begins a new segment; streams that overlap share one.
#pragma once

#include <memory>

#include "tracedeck/format/format.hpp"

namespace tracedeck::dial9 {

// `options.version`: "0.3" or "0.4"; empty: 0.4 for what a class needs it for. Error:
// kInvalidArgument for another version.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::Output& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::dial9
