// The reader of CTF traces.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::ctf {

// Opens the directories of one logical trace. Metadata that must be rejected ends the reader's
// first `next` with an error, after a batch with the other faults. Errors: kCannotOpen,
// kReadFailed, kLimitExceeded.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(std::span<const std::string> directories,
                                                          const ReadOptions& options,
                                                          std::stop_token stop);

}  // namespace tracedeck::ctf
