// The reader of data streams that come without their metadata: over a wire, or as a lone file.
// barectf and Zephyr generate the metadata with the program that is traced.
#pragma once

#include <memory>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::ctf {

// Reads `input` as the packets of a trace whose metadata are `options.metadata`. Packets may be of
// several data streams. Each part of the input begins with a packet, as datagrams do. Events of a
// live input are handed on as they come. Metadata that must be rejected end the reader's first
// `next` with an error, after a batch with the other faults. Errors: kUnsupported: there are no
// metadata; kLimitExceeded: they have more than `options.max_state` bytes.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_bare_stream(std::unique_ptr<io::Input> input,
                                                               const ReadOptions& options);

}  // namespace tracedeck::ctf
