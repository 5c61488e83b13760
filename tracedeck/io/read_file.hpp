// Files that are read as a whole.
#pragma once

#include <cstdint>
#include <expected>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"

namespace tracedeck::io {

// Reads a file, decompressed. Errors: those of `open_input` and of reading; kLimitExceeded: it has
// more than `most` bytes.
[[nodiscard]] Result<std::vector<std::uint8_t>> read_file(const std::string& path,
                                                          std::uint64_t most, std::stop_token stop);

// That error, of a file that is read in another way.
[[nodiscard]] std::unexpected<Error> exceeds_state(const std::string& path, std::uint64_t most);

}  // namespace tracedeck::io
