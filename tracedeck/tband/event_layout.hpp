// A table of events in the form that decoding and encoding take it in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/tband/event_table.hpp"

namespace tracedeck::tband {

// The sequences of fields that most events have, each decoded by code of its own.
enum class EventShape : std::uint8_t {
  kUnknown,  // no event has this id
  kOne,      // ts, u32
  kTwo,      // ts, u32, u32
  kOther,    // any other
};

struct EventLayout {
  EventShape shape = EventShape::kUnknown;
  bool timed = false;
  bool has_string = false;       // the last field is the rest of the payload
  bool bears_on_others = false;  // says something about other events, see `TraceState`
  std::uint8_t required = 0;     // fields that are always there
  std::uint8_t count = 0;        // fields, optional ones included
  std::array<FieldType, kMaxFields> types = {};
  const EventFacts* facts = nullptr;
};

// The facts must outlive it.
[[nodiscard]] constexpr EventLayout layout_of(const EventFacts& facts) {
  EventLayout layout{.shape = EventShape::kOther, .timed = !facts.metadata, .facts = &facts};
  bool plain = layout.timed;
  layout.bears_on_others = facts.id <= kResolution || facts.id == kTaskSwitchedIn ||
                           facts.id == kQueueKind || facts.names != Naming::kNone;
  for (const FieldFacts& field : facts.used_fields()) {
    layout.types[layout.count++] = field.type;
    if (!field.optional) layout.required = layout.count;
    layout.has_string = field.type == FieldType::kString;
    plain = plain && field.type == FieldType::kU32 && !field.optional;
  }
  if (plain && layout.count == 1) layout.shape = EventShape::kOne;
  if (plain && layout.count == 2) layout.shape = EventShape::kTwo;
  return layout;
}

// Layouts by id. The facts must outlive it.
class EventTable {
 public:
  constexpr explicit EventTable(std::span<const EventFacts> events) {
    for (const EventFacts& facts : events) layouts_[facts.id] = layout_of(facts);
  }

  [[nodiscard]] constexpr const EventLayout& operator[](std::uint8_t id) const {
    return layouts_[id];
  }

 private:
  std::array<EventLayout, 256> layouts_ = {};
};

// That of `kEvents`.
inline constexpr EventTable kEventTable{kEvents};

}  // namespace tracedeck::tband
