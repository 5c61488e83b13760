// What `schema` prints: the event classes of a trace and their field classes.
#pragma once

#include <string>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// Lines for people. Classes that look alike (the same schema in several segments) are shown once.
void append_schema_text(TextBuffer& out, const TraceDescription& description);
[[nodiscard]] std::string schema_text(const TraceDescription& description);

// One object on one line (docs/json/schema.schema.json), every class as the trace describes it.
void append_schema_json(TextBuffer& out, const TraceDescription& description);
[[nodiscard]] std::string schema_json(const TraceDescription& description);

}  // namespace tracedeck::render
