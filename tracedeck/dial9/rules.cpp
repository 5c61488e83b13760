#include "tracedeck/dial9/rules.hpp"

#include <array>

namespace tracedeck::dial9 {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;
constexpr auto kNote = Severity::kNote;

constexpr std::array<Rule, kRuleCount> kRules = {{
    {"dial9/header-magic", kError, "Header",
     "A stream begins with the 5 bytes TRC\\0 and the version."},
    {"dial9/header-version", kError, "Header", "The version byte is 1."},
    {"dial9/frame-tag", kError, "Frames", "A frame begins with a known tag, 1 to 6."},
    {"dial9/frame-truncated", kError, "Frames", "A frame is complete before the input ends."},
    {"dial9/event-type", kError, "Event Frame",
     "An event's type_id was registered by a schema frame before it."},
    {"dial9/schema-conflict", kError, "Schema Frame",
     "A type_id is not registered again with a different schema."},
    {"dial9/field-type", kError, "Field Types",
     "A field's type tag, without the optional bit, is known."},
    {"dial9/varint-length", kError, "LEB128", "A varint takes at most 10 bytes."},
    {"dial9/timestamp-overflow", kError, "Timestamp Encoding",
     "An event's timestamp is at most 2^64-1 ns."},
    {"dial9/dynamic-tag", kError, "Field Types (0.4)",
     "The tag of a value in a list or map is known and has no optional bit."},
    {"dial9/dynamic-nesting", kError, "Field Types (0.4)",
     "Lists and maps are nested at most 1,024 deep."},
    {"dial9/limit", kError, "Limits of tracedeck",
     "A frame, the live pools and the distinct schemas fit into --max-state."},
    {"dial9/bool-value", kWarning, "Field Types",
     "A Bool is 0 or 1; any other byte is read as true."},
    {"dial9/presence-value", kWarning, "Optional Field Modifier",
     "A presence byte is 0 or 1; any other byte is read as present."},
    {"dial9/varint-overlong", kWarning, "LEB128",
     "A varint takes no more bytes than it needs and no bits above 64."},
    {"dial9/has-timestamp-value", kWarning, "Schema Frame",
     "has_timestamp is 0 or 1; any other byte is read as 1."},
    {"dial9/pool-unresolved", kWarning, "String Pool Frame",
     "A pool id is defined before it is referenced."},
    {"dial9/pool-redefined", kWarning, "String Pool Frame",
     "A pool id is defined once; the last definition holds from there on."},
    {"dial9/utf8", kWarning, "Field Types", "Names, strings, keys and pool entries are UTF-8."},
    {"dial9/schema-repeated", kWarning, "Schema Frame",
     "A schema is registered once; identical repetition is accepted."},
    {"dial9/name-empty", kWarning, "Schema Frame", "Event types and fields have names."},
    {"dial9/name-duplicate", kWarning, "Schema Frame",
     "Names of event types in a segment, and of fields in a schema, differ."},
    {"dial9/annotation-type", kWarning, "Schema Annotations (0.4)",
     "Annotations belong to a registered type_id."},
    {"dial9/annotation-field", kWarning, "Schema Annotations (0.4)",
     "An annotation's field_index is one of its schema."},
    {"dial9/clock-step", kNote, "In the model",
     "Times and UTC differ by the same at all ClockSyncEvents, but for a drift of at most 1 ms."},
    {"dial9/still-written", kNote, "Files",
     "A file that is not called .active was written to its end."},
}};

}  // namespace

std::span<const Rule, kRuleCount> rules() { return kRules; }

const Rule& rule(RuleId id) { return kRules[static_cast<std::size_t>(id)]; }

}  // namespace tracedeck::dial9
