// Copies a CTF trace packet by packet, as it was.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "tracedeck/format/format.hpp"

namespace tracedeck::ctf {

// Metadata, auxiliary streams and data stream files keep their names and, packet by packet, their
// bytes. A packet that cannot be read whole is left out, and reported as a kProblem notice. gzip
// and zstd files come out decompressed. Errors: those of opening the trace and of the output;
// kMustReject.
[[nodiscard]] Result<void> rewrite(std::span<const std::string> directories,
                                   io::OutputDirectory& output, const ReadOptions& options,
                                   const Format::NoticeSink& notices, std::stop_token stop);

}  // namespace tracedeck::ctf
