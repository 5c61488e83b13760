// What `stats` prints.
#pragma once

#include <string>

#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// Lines for people. There may be many classes.
void append_statistics_text(TextBuffer& out, const flow::TraceStatistics& statistics);
[[nodiscard]] std::string statistics_text(const flow::TraceStatistics& statistics);

// One object on one line (docs/json/stats.schema.json).
void append_statistics_json(TextBuffer& out, const flow::TraceStatistics& statistics);
[[nodiscard]] std::string statistics_json(const flow::TraceStatistics& statistics);

}  // namespace tracedeck::render
