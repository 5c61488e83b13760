// Metadata that are given to the reader of data streams which come without them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "tracedeck/base/error.hpp"

namespace tracedeck {

class Format;

struct GivenMetadata {
  std::string name = {};  // that findings name as the place: the file's
  std::string text = {};  // as a metadata file holds it, decompressed
};

// Reads them from a file. Errors: kCannotOpen, kReadFailed, kCompressedDamaged; kLimitExceeded:
// they have more than `most` bytes.
[[nodiscard]] Result<std::shared_ptr<const GivenMetadata>> read_given_metadata(
    const std::string& path, std::uint64_t most, std::stop_token stop = {});

// What is wrong with metadata that are given for these traces, which are of a format, in the words
// of the command, or "".
[[nodiscard]] std::string check_given_metadata(const Format& format,
                                               std::span<const std::string> traces);

}  // namespace tracedeck
