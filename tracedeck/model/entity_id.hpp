// Identity of what the traces of a process consist of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tracedeck {

// Which class, clock or data stream of which trace. Distinguished by this and never by their
// address, because a consumer may keep state about a trace that is gone, and another may lie where
// it lay.
struct EntityId {
  std::uint64_t trace = 0;    // `TraceDescription::number`; 0: it belongs to no description
  std::uint64_t ordinal = 0;  // counts those of its kind in the trace from 0

  // The id of nothing: for who remembers the last one and has none yet.
  [[nodiscard]] static constexpr EntityId none() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
  friend constexpr bool operator==(const EntityId&, const EntityId&) = default;
};

struct EntityIdHash {
  [[nodiscard]] std::size_t operator()(const EntityId& id) const {
    return std::hash<std::uint64_t>()((id.trace * 0x9E3779B97F4A7C15U) ^ id.ordinal);
  }
};

}  // namespace tracedeck
