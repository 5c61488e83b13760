#include "tracedeck/heph/rules.hpp"

#include <array>

namespace tracedeck::heph {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

constexpr std::array<Rule, kRuleCount> kRules = {{
    {"heph/magic", kError, "Overview",
     "A packet begins with the magic constant of a metadata or an event packet."},
    {"heph/packet-size", kError, "Event Packet",
     "A packet's size is at least 10 bytes of a metadata packet, 42 of an event packet."},
    {"heph/packet-truncated", kError, "Event Packet",
     "A packet is complete before the input ends."},
    {"heph/option-name", kError, "Metadata Packet", "An option's name ends in its packet."},
    {"heph/epoch-value", kError, "Options", "The value of `epoch` is 8 bytes long."},
    {"heph/description", kError, "Event Packet", "An event's description ends in its packet."},
    {"heph/attribute-name", kError, "Event Packet",
     "An attribute's name, and the type behind it, end in its packet."},
    {"heph/attribute-type", kError, "Event Packet",
     "The type of an attribute is 1 to 4, of an array with the array marker."},
    {"heph/attribute-value", kError, "Event Packet", "An attribute's value ends in its packet."},
    {"heph/limit", kError, "Limits of tracedeck", "A packet fits into --max-state."},
    {"heph/utf8", kWarning, "Event Packet", "Names, descriptions and strings are UTF-8."},
    {"heph/time-order", kWarning, "Event Packet", "An event does not end before it starts."},
    {"heph/epoch-conflict", kWarning, "Options",
     "The epoch is set once, for the whole trace; the first one holds."},
    {"heph/epoch-late", kWarning, "Options",
     "The epoch comes before events where the input cannot be read twice; it holds from there on."},
    {"heph/counter-reordered", kWarning, "Event Packet",
     "The events of a stream come in the order in which they were counted."},
    {"heph/counter-duplicate", kWarning, "Event Packet",
     "The events of a stream are counted with a number each."},
    {"heph/type-limit", kWarning, "Limits of tracedeck",
     "A trace has at most 8,192 event classes of 16 MiB; events beyond share one."},
    {"heph/stream-limit", kWarning, "Limits of tracedeck",
     "The counters of at most 16,384 streams are followed at the same time."},
    {"heph/option-limit", kWarning, "Limits of tracedeck",
     "At most 1,024 options of 1 MiB are kept; others are skipped."},
}};

}  // namespace

std::span<const Rule, kRuleCount> rules() { return kRules; }

const Rule& rule(RuleId id) { return kRules[static_cast<std::size_t>(id)]; }

}  // namespace tracedeck::heph
