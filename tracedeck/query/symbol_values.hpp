// Addresses as the functions that their trace says are there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// Null: it is of no trace.
[[nodiscard]] const TraceDescription* trace_of(const Event& event);

// The function at an address, the innermost where functions were inlined there; unknown where the
// trace, which may be null, has no name for it.
[[nodiscard]] Value symbol_at(std::uint64_t address, const TraceDescription* trace);

// The functions at an address, the innermost first; empty where the trace, which may be null, has
// no name for it.
[[nodiscard]] std::span<const Function> functions_at(std::uint64_t address,
                                                     const TraceDescription* trace);

// What an argument is called that is a stack.
inline constexpr std::string_view kStackArgument = "callchain";
[[nodiscard]] inline bool is_stack(std::string_view name, const Value& value) {
  return name == kStackArgument && value.kind == Value::Kind::kCompound;
}

// Calls `visit(address)` for each of a list of addresses. Returns whether it holds nothing else.
template <class Visit>
bool for_each_address(const Slot& list, const Visit& visit) {
  bool is_list = true;
  const auto pass = [&](const Slot& slot) {
    if (slot.kind == SlotKind::kUnsigned)
      visit(slot.bits);
    else
      is_list = false;
  };
  if (list.kind == SlotKind::kPackedArray) {
    for (std::size_t i = 0; i < packed_count(list); ++i) pass(packed_element(list, i));
  } else if (list.kind == SlotKind::kArray) {
    for (const Slot* at = &list + 1; at < list.next(); at = at->next()) pass(*at);
  } else {
    return false;
  }
  return is_list;
}

// "app::parse < app::handle < 0x2000", the innermost first; nothing: it is no list of addresses.
[[nodiscard]] std::optional<std::string> stack_at(const Slot& list, const TraceDescription* trace);
// The first of them, as `symbol_at`, or as it stands in `stack`, which is their `stack_at`.
[[nodiscard]] Value innermost_at(const Slot& list, std::string_view stack,
                                 const TraceDescription* trace);

}  // namespace tracedeck::query
