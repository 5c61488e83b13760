// Files that are read side by side, of which more may be at hand than the system lets a process
// open.
//
// A file that waits for its turn can be parked: its descriptor is closed, its place remembered, and
// the next read opens it again. All threads of a process share its descriptors, and so the pool.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// As `open_input`. A plain file is parked when too many are open that were opened so, those that
// were read longest ago first. It fails with kReadFailed when it cannot be opened again, or another
// file has its name by then.
[[nodiscard]] Result<std::unique_ptr<Input>> open_pooled_input(const std::string& path,
                                                               std::stop_token stop = {});

// How many files of the pool may be open at the same time: half of what the system allows.
[[nodiscard]] std::size_t most_pooled_files();

}  // namespace tracedeck::io
