// dial9 schemas in the terms of the model.
#pragma once

#include <string_view>
#include <unordered_map>

#include "tracedeck/dial9/event_type.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::dial9 {

// The field class of a wire type. Classes are shared: equal arguments give the same node.
[[nodiscard]] FieldClassPtr field_class(FieldType type, bool optional);

// Makes the event classes of a trace. Types with equal fields share their payload class.
class EventClasses {
 public:
  // The event class of a type, without its id in the trace; annotations become attributes of the
  // members. `type` must outlive this.
  [[nodiscard]] EventClass make(const EventType& type, const DataStreamClass& stream_class);

 private:
  FieldClassPtr payload(const EventType& type);

  std::unordered_map<std::string_view, FieldClassPtr> payloads_;  // by `EventType::field_bytes`
};

}  // namespace tracedeck::dial9
