#include "tracedeck/tband/rules.hpp"

#include <array>

namespace tracedeck::tband {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

constexpr std::array<Rule, kRuleCount> kRules = {{
    {"tband/cobs", kError, "Framing", "A COBS code does not run past the end of its frame."},
    {"tband/payload-empty", kError, "Framing", "A frame holds an event."},
    {"tband/event-id", kError, "Events", "An event's id is one of the table."},
    {"tband/field-missing", kError, "Trace Event Structure",
     "An event has all its required fields, each complete."},
    {"tband/surplus-bytes", kError, "Trace Event Structure", "An event ends with its last field."},
    {"tband/integer-length", kError, "Fields",
     "A u32 takes at most 5 bytes and 32 bits, a u64 or s64 at most 10 bytes and 64 bits."},
    {"tband/frame-truncated", kError, "Framing", "A frame is ended by a zero byte."},
    {"tband/limit", kError, "Limits of tracedeck", "A frame fits into --max-state."},
    {"tband/frame-empty", kWarning, "Framing",
     "Frames are not empty; a lone zero byte is skipped."},
    {"tband/utf8", kWarning, "Fields", "Names and messages are UTF-8."},
    {"tband/queue-kind", kWarning, "Events", "The kind of a queue is one of the table."},
    {"tband/time-order", kWarning, "Meaning", "The time of a core does not step back."},
    {"tband/resolution-missing", kWarning, "Meaning",
     "A trace says how long a tick is; otherwise it is read as 1 ns.", true},
    {"tband/resolution-zero", kWarning, "Meaning",
     "A tick takes some time; a length of 0 ns is ignored."},
    {"tband/resolution-changed", kWarning, "Meaning",
     "A tick has one length in the whole trace; the first holds."},
    {"tband/drop-count-decreased", kWarning, "Meaning",
     "The count of dropped events does not decrease."},
    {"tband/cores", kWarning, "Limits of tracedeck",
     "A trace has at most 4,096 cores; beyond, the cores seen before are forgotten."},
    {"tband/names", kWarning, "Limits of tracedeck",
     "The names of a trace fit into --max-state; beyond, they are not shown."},
}};

}  // namespace

std::span<const Rule, kRuleCount> rules() { return kRules; }

const Rule& rule(RuleId id) { return kRules[static_cast<std::size_t>(id)]; }

}  // namespace tracedeck::tband
