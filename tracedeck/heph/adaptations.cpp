#include "tracedeck/heph/adaptations.hpp"

namespace tracedeck::heph {
namespace {

constexpr Adaptations::Table kAdaptations = {{
    {"booleans", "written as the unsigned integers 0 and 1", false},
    {"labels of enumerations", "left out beside the number", true},
    {"integers of more than 64 bits", "written as hexadecimal text", false},
    {"BLOBs", "written as hexadecimal text", false},
    {"reals that no 64-bit real equals", "written as the nearest", true},
    {"parts of structures, maps and arrays of such", "written as attributes of their own", false},
    {"optional fields without a value", "left out", false},
    {"references to undefined pool entries", "written as their id", true},
    {"strings and arrays of more than 65,535", "cut", true},
    {"events with a context", "written with its members as attributes", false},
    {"events with a packet context", "written without it", true},
    {"events without a time", "written with the time of the event before", true},
    {"times before the epoch or 2^64 ns after it", "written as the nearest that can be", true},
    {"times of a clock of another origin", "written as if it were the first one's", true},
    {"data streams that are not just an id", "numbered", true},
    {"entries of the environment", "written as options", false},
    {"losses that the counters cannot show, or only in part", "left out", true},
}};

}  // namespace

Receipt receipt_of(const Adaptations& adaptations) { return adaptations.receipt(kAdaptations); }

}  // namespace tracedeck::heph
