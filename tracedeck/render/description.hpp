// Parts of a trace's description that several commands show.
#pragma once

#include <cstddef>
#include <string>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::render {

// What a trace is of, and what it was restored from: "dial9 1", ", restored from ctf 1.8" or "".
// Both are safe to show.
[[nodiscard]] std::string format_text(const TraceDescription& description);
[[nodiscard]] std::string storage_text(const TraceDescription& description);
// The same as members of an object, behind the input.
void append_format(JsonObject& object, const TraceDescription& description);
// What it was called among others of one result, if it was.
void append_name(JsonObject& object, const TraceDescription& description);

// A clock as one object.
void append_clock_object(TextBuffer& out, const ClockClass& clock);
// "timestamp: 1 ns a tick, from the Unix epoch", made safe to show.
[[nodiscard]] std::string clock_text(const ClockClass& clock);

// What a class is called where it is shown: its name, or `#3` after its id. The stream: `[segment
// 0]`. Both are safe to show; the number is that of the columns they take.
std::size_t append_class_name(TextBuffer& out, const EventClass& event_class);
std::size_t append_stream_tag(TextBuffer& out, const DataStream& stream);
// The same tag, open, with the columns that it takes with its last bracket.
std::size_t append_open_stream_tag(TextBuffer& out, const DataStream& stream);
[[nodiscard]] std::string class_text(const EventClass& event_class);
[[nodiscard]] std::string stream_text(const DataStream& stream);

// The origin that all the clocks share, or unknown.
[[nodiscard]] ClockOrigin common_origin(const StableList<ClockClass>& clocks);

}  // namespace tracedeck::render
