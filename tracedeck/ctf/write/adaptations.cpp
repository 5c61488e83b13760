#include "tracedeck/ctf/write/adaptations.hpp"

namespace tracedeck::ctf {
namespace {

constexpr Adaptations::Table kAdaptations = {{
    {"fields whose byte order changes inside a byte", "aligned to a byte", false},
    {"classes whose id another class has or babeltrace2 does not read", "given another id", false},
    {"fields of heads that stand in a structure with roles, or that CTF 2 does not allow there",
     "left out", true},
    {"events without a time in a data stream with a clock",
     "written with the time of the event before", true},
    {"events earlier than the one before in their data stream", "written as they are", false},
    {"strings with a NUL character", "end there for readers", true},
    {"lost events that came after all", "counted as lost", false},
    {"ends of packets from 2^63-1 ns after the clock's origin on, which babeltrace2 does not read",
     "written as the time of the last event", true},
    {"events from 2^63-1 ns after the clock's origin on",
     "written, but babeltrace2 does not read a trace that has one", false},
}};

}  // namespace

Receipt receipt_of(const Adaptations& adaptations) { return adaptations.receipt(kAdaptations); }

}  // namespace tracedeck::ctf
