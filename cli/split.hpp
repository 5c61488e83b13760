// Results that are divided into parts: --split-size and --split-duration.
#pragma once

#include <cstddef>
#include <string>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {

[[nodiscard]] bool is_split(const Options& options);

// What is wrong with dividing the result, of that kind, or "".
[[nodiscard]] std::string check_split(const Options& options, const OutputKind& kind);

// Notes that behind the last of `parts` parts there is one that is none of this result.
void report_other_parts(const Options& options, Session& session, std::size_t parts);

}  // namespace tracedeck::cli
