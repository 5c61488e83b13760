// Where the descriptions of two traces differ: classes, clocks, environment.
#pragma once

#include <string>
#include <string_view>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::comparison {

// The name of an event class, "#ID" of one that has none.
[[nodiscard]] std::string class_name(const EventClass& event_class);

// Whether two event classes, or data stream classes, which may be null, go by the same name and id:
// then one stands for the other, and what else they differ in is worth reporting.
[[nodiscard]] bool same_identity(const EventClass& left, const EventClass& right);
[[nodiscard]] bool same_identity(const DataStreamClass* left, const DataStreamClass* right);
// What goes into the identity, as a text that others do not have.
[[nodiscard]] std::string identity_of(const EventClass& event_class);
[[nodiscard]] std::string identity_of(const DataStreamClass* stream_class);

// These add what they find to `found`. Byte and bit order, alignment, event headers and members of
// packet headers and contexts that have roles are not compared, nor is how clocks were shifted for
// the user.
void compare_event_classes(const EventClass& left, const EventClass& right, Differences& found);
// One of them may be null.
void compare_stream_classes(const DataStreamClass* left, const DataStreamClass* right,
                            Differences& found);
void compare_clocks(const ClockClass* left, const ClockClass* right, Differences& found);
// The identity of the traces, their environment, and what packet headers hold.
void compare_traces(const TraceDescription& left, const TraceDescription& right,
                    Differences& found);

}  // namespace tracedeck::comparison
