// Files that nobody else sees and that are gone when they are closed.
#pragma once

#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

// Where temporary files go: `wish`, if that is empty $TMPDIR, and if that is not set /tmp.
[[nodiscard]] std::string directory_for_temporary_files(const std::string& wish = {});

// A file without a name, to be written and read, in `directory`. Error: kWriteFailed.
[[nodiscard]] Result<FileDescriptor> open_temporary(const std::string& directory);

}  // namespace tracedeck::io
