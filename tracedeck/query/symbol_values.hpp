// Addresses as the functions that their trace says are there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// Null: it is of no trace.
[[nodiscard]] const TraceDescription* trace_of(const Event& event);

// The function at an address, the innermost where functions were inlined there; unknown where the
// trace, which may be null, has no name for it.
[[nodiscard]] Value symbol_at(std::uint64_t address, const TraceDescription* trace);

// Calls `visit` for each of a list of addresses. Returns whether it is such a list.
bool for_each_address(const Slot& list, const std::function<void(std::uint64_t address)>& visit);

// "app::parse < app::handle < 0x2000", the innermost first; nothing: it is no list of addresses.
[[nodiscard]] std::optional<std::string> stack_at(const Slot& list, const TraceDescription* trace);

}  // namespace tracedeck::query
