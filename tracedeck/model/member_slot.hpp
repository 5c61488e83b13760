// Members of an event's payload by their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck {

// The number of a member; the count of members where none is called so.
[[nodiscard]] inline std::size_t member_number(const StructureClass& payload,
                                               std::string_view name) {
  const auto found = std::ranges::find_if(
      payload.members, [&](const Member& member) { return member.name == name; });
  return static_cast<std::size_t>(found - payload.members.begin());
}

// The slot of that member, of an optional one that is there its value. Null: there is no such.
[[nodiscard]] inline const Slot* member_slot(const Event& event, std::size_t number) {
  const std::span<const Slot> slots = event.payload();
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (; number != 0 && slot != end; --number) slot = slot->next();
  if (slot == end) return nullptr;
  return slot->kind == SlotKind::kOptional && slot->bits != 0 ? slot + 1 : slot;
}

}  // namespace tracedeck
