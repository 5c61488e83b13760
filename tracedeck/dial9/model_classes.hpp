// dial9 schemas in the terms of the model.
#pragma once

#include <string_view>
#include <vector>

#include "tracedeck/base/name_index.hpp"
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

  struct Payload {
    std::string_view fields;  // `EventType::field_bytes`
    FieldClassPtr field_class;
  };
  std::vector<Payload> payloads_;
  NameIndex by_fields_;
};

}  // namespace tracedeck::dial9
