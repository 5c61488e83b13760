// Copies a Tonbandgerät trace frame by frame, as it was.
#pragma once

#include <memory>
#include <stop_token>

#include "tracedeck/format/format.hpp"

namespace tracedeck::tband {

// Copies the bytes of every readable frame; leaves damaged ranges out and reports them, and what is
// tolerated in single frames, to `notices`. Ends after a whole frame when `stop` is requested.
// Errors: those of the output.
[[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                   const ReadOptions& options, const Format::NoticeSink& notices,
                                   const std::stop_token& stop);

}  // namespace tracedeck::tband
