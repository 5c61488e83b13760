// The end of a file that its recorder still writes.
#pragma once

#include <optional>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/format/window_source.hpp"

namespace tracedeck::dial9 {

// Of a problem at the end of the last file of `source`, which is called `.active`: the finding that
// takes its place. Nothing: it is a problem.
[[nodiscard]] std::optional<Finding> still_written(const Finding& problem,
                                                   const WindowSource& source);

}  // namespace tracedeck::dial9
