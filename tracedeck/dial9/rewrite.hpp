// Copies a dial9 trace frame by frame, as it was.
#pragma once

#include <memory>
#include <stop_token>

#include "tracedeck/format/format.hpp"

namespace tracedeck::dial9 {

// Copies the bytes of every readable frame, so that schemas, pool entries, ids and timestamp resets
// keep their places; leaves damaged ranges out and reports them, and findings, to `notices`. Ends
// after a whole frame when `stop` is requested. Errors: kMustReject when the input has no valid
// header; those of the output.
[[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                   const ReadOptions& options, const Format::NoticeSink& notices,
                                   const std::stop_token& stop);

}  // namespace tracedeck::dial9
