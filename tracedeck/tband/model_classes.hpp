// The events of the table as classes of the model.
#pragma once

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/tband/event_table.hpp"

namespace tracedeck::tband {

// The class of a field, shared by all that are alike.
[[nodiscard]] FieldClassPtr field_class(const EventFacts& event, const FieldFacts& field);

// The class of an event in a data stream of that class; metadata has no clock.
[[nodiscard]] EventClass event_class(const EventFacts& event, const DataStreamClass& stream_class);

}  // namespace tracedeck::tband
