// dial9 schemas in the terms of the model.
#pragma once

#include "tracedeck/dial9/event_type.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::dial9 {

// The field class of a wire type. Classes are shared: equal arguments give the same node.
[[nodiscard]] FieldClassPtr field_class(FieldType type, bool optional);

// The event class of a type, without its id in the trace; annotations become attributes of the
// members.
[[nodiscard]] EventClass event_class(const EventType& type, const DataStreamClass& stream_class);

}  // namespace tracedeck::dial9
