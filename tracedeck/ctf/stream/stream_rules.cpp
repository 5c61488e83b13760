#include "tracedeck/ctf/stream/stream_rules.hpp"

#include <array>

#include "tracedeck/ctf/rule_table.hpp"

namespace tracedeck::ctf {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;
constexpr auto kNote = Severity::kNote;
constexpr std::string_view kScopes = "7.3.2 Static and dynamic scopes";
constexpr std::string_view kPacketHeader = "5.1 Event packet header";
constexpr std::string_view kPacketContext = "5.2 Event packet context";
constexpr std::string_view kEvents = "6 Event structure";
constexpr std::string_view kOurs = "limits of tracedeck";

constexpr std::array<RuleText, kStreamRuleCount> kTexts = {{
    {"ctf/location-root", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "The root of a field location is decoded before the field that refers to it."},
    {"ctf/location-member", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "Each name of a field location is a member of the structure it is looked up in."},
    {"ctf/location-order", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "A field location leads to a field that is already decoded."},
    {"ctf/location-array", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "A field location leads into an array only from inside the array."},
    {"ctf/location-target", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "A field location ends at a boolean or an integer, and passes through structures."},
    {"ctf/array-length", kError, "dl-array-fc", "dl-array-fc", "4.2.4 Sequences",
     "The length of a dynamic-length array is an unsigned integer."},
    {"ctf/string-length", kError, "dl-str-fc", "dl-str-fc", "4.2.4 Sequences",
     "The length of a dynamic-length string is an unsigned integer."},
    {"ctf/blob-length", kError, "dl-blob-fc", "dl-blob-fc", "4.2.4 Sequences",
     "The length of a dynamic-length BLOB is an unsigned integer."},
    {"ctf/optional-selector", kError, "opt-fc", "opt-fc", kScopes,
     "The possible selectors of an optional are all booleans, all unsigned or all signed "
     "integers."},
    {"ctf/optional-ranges", kError, "opt-fc", "opt-fc", kScopes,
     "An optional whose selector is an integer has selector ranges."},
    {"ctf/variant-selector", kError, "var-fc", "var-fc", "4.2.2 Variants",
     "The possible selectors of a variant are all unsigned or all signed integers."},
    {"ctf/packet-magic", kError, "pkt-dec", "pkt-dec", kPacketHeader,
     "A packet begins with the magic number C1FC1FC1."},
    {"ctf/packet-uuid", kError, "pkt-dec", "pkt-dec", kPacketHeader,
     "The UUID of a packet is that of the metadata.", kWarning},
    {"ctf/stream-class", kError, "pkt-dec", "pkt-dec", kPacketHeader,
     "There is a data stream class with the id of the packet."},
    {"ctf/packet-size", kError, "pkt-ctx-roles", "pkt-ctx-roles", kPacketContext,
     "The total size of a packet is a multiple of 8 bits, not less than its content size."},
    {"ctf/content-size", kError, "pkt-dec", "pkt-dec", kPacketContext,
     "The content size of a packet covers its header and context."},
    {"ctf/packet-empty", kError, "pkt", "pkt", kPacketContext,
     "A packet contains one or more bytes."},
    {"ctf/packet-cut", kError, "pkt-dec", "pkt-dec", kPacketContext,
     "A packet is complete before its data stream ends."},
    {"ctf/packet-times", kError, "pkt-ctx-roles", "pkt-ctx-roles", kPacketContext,
     "A packet begins no later than it ends.", kWarning},
    {"ctf/event-class", kError, "er-dec", "er-dec", kEvents,
     "There is an event record class with the id of the event record."},
    {"ctf/event-empty", kError, "er", "er", kEvents, "An event record takes one or more bits."},
    {"ctf/event-cut", kError, "er-dec", "er-dec", kEvents,
     "An event record ends within the content of its packet."},
    {"ctf/event-order", kWarning, "er", "er", kEvents,
     "An event record is no earlier than the one before it in its data stream."},
    {"ctf/event-time", kError, "pkt-ctx-roles", "pkt-ctx-roles", kPacketContext,
     "An event record lies between the begin and the end time of its packet.", kWarning},
    {"ctf/byte-order", kError, "fl-ba-field-dec", "fl-ba-field-dec", "4.1.2 Integers",
     "No byte holds bits of two fixed-length fields of different byte order."},
    {"ctf/location-value", kError, "field-loc-dec", "field-loc-dec", kScopes,
     "The field that a field location leads to is there."},
    {"ctf/variant-option", kError, "var-field-dec", "var-field-dec", "4.2.2 Variants",
     "The selector of a variant is in the ranges of one of its options."},
    {"ctf/utf8", kWarning, "str-fc", "nt-str-fc", "4.2.5 Strings", "Strings are valid UTF-8."},
    {"ctf/text-length", kError, "sl-str-fc", "sl-str-fc", "4.2.5 Strings",
     "The bytes of a string are whole code units of its encoding."},
    {"ctf/class-cut", kError, "metadata-stream", "metadata-stream", "7.1 Meta-data",
     "The classes that packets and event records need are not in what is cut off the metadata.",
     std::nullopt, true},
    {"ctf/limit-integer", kError, kOurs, kOurs, kOurs,
     "An integer or bit array takes at most 65,536 bits."},
    {"ctf/limit-nesting", kError, kOurs, kOurs, kOurs, "Classes are nested at most 256 deep."},
    {"ctf/limit-elements", kError, kOurs, kOurs, kOurs,
     "A data stream file has at most 65,536 elements that take no bits, and 64 for each of its "
     "bytes."},
    {"ctf/limit-program", kError, kOurs, kOurs, kOurs,
     "Classes that are shared, and field locations in them, do not multiply beyond measure."},
    {"ctf/limit-state", kError, kOurs, kOurs, kOurs,
     "An event, or a packet's header, fits into --max-state."},
    {"ctf/discarded-back", kWarning, "disc-er-counter", "disc-er-counter", kPacketContext,
     "The counter of discarded event records does not go back."},
    {"ctf/first-packet", kNote, "pkt-ctx-roles", "pkt-ctx-roles", kPacketContext,
     "The first packet of a data stream has the sequence number 0."},
}};

const RuleTable& table() {
  static const RuleTable kTable(kTexts);
  return kTable;
}

}  // namespace

const Rule& stream_rule(StreamRule rule, Dialect dialect) {
  return table().rule(static_cast<std::size_t>(rule), dialect);
}

bool is_tolerated(const Rule& rule) {
  return rule.severity != Severity::kError ||
         rule.id == kTexts[static_cast<std::size_t>(StreamRule::kPacketTimes)].id ||
         rule.id == kTexts[static_cast<std::size_t>(StreamRule::kEventTime)].id;
}

std::span<const Rule> stream_rules(Dialect dialect) { return table().rules(dialect); }

}  // namespace tracedeck::ctf
