// Events that say when in UTC the time of a trace's clock was.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracedeck/model/record.hpp"

namespace tracedeck {

// Between two such events a clock and UTC may drift apart so far, in ns. Beyond that the wall clock
// was set, or the machine was suspended.
inline constexpr std::int64_t kMostClockDrift = 1'000'000;

// The value of the top-level field `name` of an event's payload, if it is an unsigned integer.
[[nodiscard]] inline std::optional<std::uint64_t> unsigned_member(const Event& event,
                                                                  std::string_view name) {
  const auto* const payload = event.event_class->payload->as<StructureClass>();
  const std::span<const Slot> slots = event.payload();
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const Member& member : payload->members) {
    if (slot == end) break;
    if (member.name == name && slot->kind == SlotKind::kUnsigned) return slot->bits;
    slot = slot->next();
  }
  return std::nullopt;
}

}  // namespace tracedeck
