// Reads a dial9 trace as records of the model.
//
// Every segment is a data stream. Events lie on the tape of their batch and point into the input's
// window; pooled strings and stacks are resolved with what is defined when the event is read.
// Without `ReadOptions::values` events are checked and examined for findings all the same, but not
// stored.
#pragma once

#include <memory>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::dial9 {

// Errors: kMustReject when the input has no valid header.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                                          const ReadOptions& options);

}  // namespace tracedeck::dial9
