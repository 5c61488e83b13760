// What CTF2-SPECRC-3.0 cannot say of a clock, as a mark in its user attributes.
#pragma once

#include "tracedeck/model/clock.hpp"

namespace tracedeck::ctf {

// Namespace and name of its identity, a unique id that is no UUID, accuracy, and that its precision
// is not known. Nothing where there is nothing of it.
void add_clock_mark(ClockClass& clock);
// The inverse, for a clock as it is read.
void take_clock_mark(ClockClass& clock);

}  // namespace tracedeck::ctf
