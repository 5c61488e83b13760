// dial9 schemas in the terms of the model.
#pragma once

#include <string_view>
#include <vector>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/dial9/event_type.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::dial9 {

// What recorders write to relate their clock to UTC: the class, and its field in ns.
inline constexpr std::string_view kClockSyncEvent = "ClockSyncEvent";
inline constexpr std::string_view kClockSyncField = "realtime_ns";

// The field class of a wire type. Classes are shared: equal arguments give the same node.
[[nodiscard]] FieldClassPtr field_class(FieldType type, bool optional);

// Makes the event classes of a trace. Types with equal fields share their payload class.
class EventClasses {
 public:
  // Adds the event class of a type, which becomes its attachment, to `trace`; annotations become
  // attributes of the members. `type` and `trace` must outlive this.
  const EventClass& add(const EventType& type, const DataStreamClass& stream_class,
                        TraceDescription& trace);

 private:
  [[nodiscard]] FieldClassPtr payload(const EventType& type) const;

  std::vector<const EventType*> types_;  // without annotations, the first of each with its fields
  NameIndex by_fields_;
};

}  // namespace tracedeck::dial9
