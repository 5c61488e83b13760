// gzip (RFC 1952) and zstd (RFC 8878): recognised by their first bytes and decompressed as a
// stream.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

enum class Compression : std::uint8_t {
  kUndecided,  // more bytes are needed to know
  kNone,
  kGzip,
  kZstd,  // a frame, or a skippable frame before one
};

// What an input that begins with `head` is compressed with. `whole`: the input ends there, then
// never kUndecided. Four bytes always decide.
[[nodiscard]] Compression compression_of(ByteSpan head, bool whole);

// Any number of gzip members, also with zero bytes after them, as tapes and block devices pad.
// Anything else after a member is damage.
[[nodiscard]] std::unique_ptr<Input> gzip_input(std::unique_ptr<Input> compressed);

// Any number of zstd frames, skippable frames among them. A frame whose window is over 128 MiB is
// not read, so that a hostile one cannot ask for more memory than that.
[[nodiscard]] std::unique_ptr<Input> zstd_input(std::unique_ptr<Input> compressed);

}  // namespace tracedeck::io
