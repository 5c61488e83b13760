// What a command writes is none of what it reads.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace tracedeck::cli {

// Which file that is read a result would replace, empty or be written into, or which trace a result
// that is a directory would lie in, as a sentence; "" if none. Files are compared by what they are,
// not by their names, so links do not hide them. Everything that is read counts: TRACEs, metadata,
// tables, lists, expressions. Nothing is opened.
[[nodiscard]] std::string check_results_apart(const Options& options);

}  // namespace tracedeck::cli
