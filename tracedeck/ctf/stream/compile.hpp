// From field classes to decode programs.
#pragma once

#include <cstdint>

#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/stream/locations.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/ctf/stream/registers.hpp"

namespace tracedeck::ctf {

// What is known of the decoding position before or after a program.
struct PositionState {
  enum class Order : std::uint8_t { kNone, kLittle, kBig, kUnknown };

  std::uint64_t modulus = 1;  // the position is `offset` modulo this, a power of two
  std::uint64_t offset = 0;
  Order last_order = Order::kUnknown;  // of the last fixed-length bit array

  [[nodiscard]] bool at_byte() const { return modulus >= 8 && offset % 8 == 0; }
};

// Where a packet begins.
inline constexpr PositionState kPacketStart = {
    .modulus = std::uint64_t{1} << 62, .offset = 0, .last_order = PositionState::Order::kNone};

struct CompileContext {
  const RootScopes& scopes;
  const Registers& registers;  // with everything that locations of these scopes lead to
  const LocationChecker& locations;
  Alignments& alignments;
};

// The program of root field `root`; empty when there is none. `at`: what is known of the position,
// before and after. Requires that the classes have no faults.
[[nodiscard]] Program compile(const CompileContext& context, FieldLocation::Root root,
                              PositionState& at);

}  // namespace tracedeck::ctf
