// What `stats` prints.
#pragma once

#include <string>

#include "tracedeck/flow/statistics.hpp"

namespace tracedeck::render {

// Lines for people.
[[nodiscard]] std::string statistics_text(const flow::TraceStatistics& statistics);

// One object on one line (docs/json/stats.schema.json).
[[nodiscard]] std::string statistics_json(const flow::TraceStatistics& statistics);

}  // namespace tracedeck::render
