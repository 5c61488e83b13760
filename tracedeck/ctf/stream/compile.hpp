// From field classes to decode programs.
#pragma once

#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/stream/locations.hpp"
#include "tracedeck/ctf/stream/position_state.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/ctf/stream/registers.hpp"

namespace tracedeck::ctf {

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
