// Outputs that compress: gzip (RFC 1952) and zstd (RFC 8878), as a stream.
#pragma once

#include <memory>
#include <string_view>

#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::io {

// What a file of that name holds: kGzip for `*.gz`, kZstd for `*.zst`, else kNone.
[[nodiscard]] Compression compression_named(std::string_view path);

// An output that hands what is written to it on to `into`, compressed; for kNone `into` itself.
// `flush` makes everything readable that was written before it, at the cost of some bytes.
[[nodiscard]] std::unique_ptr<Output> compress(std::unique_ptr<Output> into,
                                               Compression compression);

}  // namespace tracedeck::io
