// What `info` prints.
#pragma once

#include <string>

#include "tracedeck/flow/summary.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// Lines for people.
void append_summary_text(TextBuffer& out, const flow::TraceSummary& summary);
[[nodiscard]] std::string summary_text(const flow::TraceSummary& summary);

// One object on one line (docs/json/info.schema.json).
void append_summary_json(TextBuffer& out, const flow::TraceSummary& summary);
[[nodiscard]] std::string summary_json(const flow::TraceSummary& summary);

}  // namespace tracedeck::render
