// What `info` prints.
#pragma once

#include <string>

#include "tracedeck/flow/summary.hpp"

namespace tracedeck::render {

// Lines for people.
[[nodiscard]] std::string summary_text(const flow::TraceSummary& summary);

// One object on one line (docs/json/info.schema.json).
[[nodiscard]] std::string summary_json(const flow::TraceSummary& summary);

}  // namespace tracedeck::render
