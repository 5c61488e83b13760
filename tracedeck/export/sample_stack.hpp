// Stacks of samples: lists of addresses in the arguments of marks, the innermost first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::exporting {

// What an argument is called that is one.
inline constexpr std::string_view kStackArgument = "callchain";

[[nodiscard]] inline bool is_stack(std::string_view name, const query::Value& value) {
  return name == kStackArgument && value.kind == query::Value::Kind::kCompound;
}

// Calls `visit(address)` for each.
template <class Visit>
void for_each_address(const query::Value& value, const Visit& visit) {
  const auto pass = [&](const Slot& slot) {
    if (slot.kind == SlotKind::kUnsigned) visit(slot.bits);
  };
  const Slot& head = *value.slot;
  if (head.kind == SlotKind::kPackedArray) {
    for (std::size_t i = 0; i < packed_count(head); ++i) pass(packed_element(head, i));
  } else if (head.kind == SlotKind::kArray) {
    for (const Slot* at = &head + 1; at < head.next(); at = at->next()) pass(*at);
  }
}

// The trace whose addresses those of a mark are; may be null.
[[nodiscard]] inline const TraceDescription* trace_of(const timeline::Mark& mark) {
  const DataStreamClass* const stream_class =
      mark.event == nullptr ? nullptr : mark.event->event_class->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->trace;
}

// The functions at an address, the innermost first; empty where the trace has no name for it.
[[nodiscard]] inline std::span<const Function> functions_at(const TraceDescription* trace,
                                                            std::uint64_t address) {
  const Symbols* const symbols = trace == nullptr ? nullptr : trace->symbols();
  return symbols == nullptr ? std::span<const Function>() : symbols->functions_at(address);
}

// "app::parse (src/app.rs:12) < app::handle (src/app.rs:11) < 0x2000"
[[nodiscard]] std::string stack_text(const TraceDescription* trace, const query::Value& stack);

}  // namespace tracedeck::exporting
