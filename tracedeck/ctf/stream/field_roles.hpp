// What fields with roles say to a reader while they are decoded (CTF2-SPECRC-3.0, pkt-header-roles,
// pkt-ctx-roles, er-header-roles).
#pragma once

#include "tracedeck/ctf/stream/machine.hpp"

namespace tracedeck::ctf {

// Takes the value of the field that a `kRole` step follows: it moves the clock, or is the id of an
// event record class or what `state.packet` wants to know. `slot`: an unsigned integer of any size,
// or the bytes of a UUID.
void take_role(const Step& step, const Slot& slot, DecodeState& state);

}  // namespace tracedeck::ctf
