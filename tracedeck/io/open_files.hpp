// The limit of open files.
#pragma once

#include <cstddef>

namespace tracedeck::io {

// Raises the limit of open files, which is low for the sake of old programs, so that `count` more
// can be open, as far as the system lets us. Where that is not far enough, opening a file says so.
// Returns the limit.
std::size_t allow_open_files(std::size_t count);

}  // namespace tracedeck::io
