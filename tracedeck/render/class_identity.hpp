// Telling an event class from another that came to lie at the same address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck::render {

// What renderers prepare per class is found by the class's address, and the class may be gone with
// its trace. Holding the payload's class makes sure that no other payload has its address, so that
// few comparisons tell.
class ClassIdentity {
 public:
  explicit ClassIdentity(const EventClass& event_class)
      : payload_(event_class.payload), name_(event_class.name), id_(event_class.id) {}

  [[nodiscard]] bool matches(const EventClass& event_class) const {
    return payload_ == event_class.payload && id_ == event_class.id && name_ == event_class.name;
  }
  [[nodiscard]] const FieldClass* payload() const { return payload_.get(); }

 private:
  FieldClassPtr payload_;
  std::optional<std::string> name_;
  std::optional<std::uint64_t> id_;
};

}  // namespace tracedeck::render
