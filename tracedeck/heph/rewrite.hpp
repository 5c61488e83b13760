// Copies a Heph trace packet by packet.
#pragma once

#include <memory>
#include <stop_token>

#include "tracedeck/format/format.hpp"

namespace tracedeck::heph {

// See `Format::rewrite`.
[[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                   const ReadOptions& options, const Format::NoticeSink& notices,
                                   const std::stop_token& stop);

}  // namespace tracedeck::heph
