// The text of each object of a trace's description: everything that the description says about it,
// as one JSON object, which `DescriptionReader` makes the same object of.
//
// A mark in a converted trace carries the class as it was as such a text; what was done to it is
// found by lowering it again. Every member of the model's structures survives. Left out are what
// the user said (the input's name, symbols from other files), names of values, which come and go
// with batches, and members that have the value that they have in an object just made.
//
//   {"entity":"event-class","ordinal":2,
//    "fields":[{"kind":"integer","width":32},{"kind":"structure","members":[["tid",0],["cpu",0]]}],
//    "id":7,"name":"sched","stream-class":0,"clock":0,"payload":1}
//
// Field classes stand in a list, each once and behind those inside of it, and are referred to by
// their number: text and nesting stay small however often a class is used, and classes that were
// shared in an object are shared again. Objects refer to each other by ordinals. A string that is
// no UTF-8 is {"hex": "ff00"}, so a text is always JSON, in one line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// Of the trace itself: its format, the version of that, and the trace class. The first one to be
// read.
[[nodiscard]] std::string text_of(const TraceDescription& description);
// The same with another name among others; empty: there are none. `is_part`: of a divided result,
// which does not have all texts.
[[nodiscard]] std::string text_of(const TraceDescription& description,
                                  const std::string& name_among_others, bool is_part = false);
// Of entry `index` of the environment.
[[nodiscard]] std::string text_of(const Attribute& entry, std::size_t index);
[[nodiscard]] std::string text_of(const ClockClass& clock);
[[nodiscard]] std::string text_of(const DataStreamClass& stream_class);
[[nodiscard]] std::string text_of(const EventClass& event_class);
// The same, which may be long, appended.
void append_text_of(std::string& to, const EventClass& event_class);
[[nodiscard]] std::string text_of(const DataStream& stream);
// That it was recorded until `time`, a value of its default clock.
[[nodiscard]] std::string text_of_end(const DataStream& stream, std::uint64_t time);

// The texts of all that a description holds, in an order in which they can be read.
[[nodiscard]] std::vector<std::string> texts_of(const TraceDescription& description);

}  // namespace tracedeck::lower
