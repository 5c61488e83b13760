#include "tracedeck/ctf/metadata/metadata_rules.hpp"

#include <array>

namespace tracedeck::ctf {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

// In the order of `MetadataRule`.
constexpr std::array<RuleText, kMetadataRuleCount> kTexts = {{
    {"ctf/json-sequence", kError, "metadata-stream", "metadata-stream", "",
     "Each JSON text of the stream follows a record separator, 1E (RFC 7464)."},
    {"ctf/json-text", kError, "metadata-stream", "metadata-stream", "",
     "Each text of the stream is one valid JSON text."},
    {"ctf/json-truncated", kError, "metadata-stream", "metadata-stream", "",
     "The last JSON text of the stream is complete."},
    {"ctf/json-padding", kWarning, "metadata-stream", "metadata-stream", "",
     "No byte order mark precedes the first record separator, and no zeros follow the last JSON "
     "text."},
    {"ctf/json-repeated-key", kError, "metadata-stream", "metadata-stream", "",
     "A JSON object names each property once."},
    {"ctf/dialect", kError, "metadata-stream", "metadata-stream", "",
     "No object says the same in the words of both documents."},
    {"ctf/other-document", kWarning, "metadata-stream", "metadata-stream", "",
     "A word of the other document is read where its meaning is plain."},
    {"ctf/preamble-first", kError, "metadata-stream", "metadata-stream", "",
     "The first fragment is a preamble."},
    {"ctf/preamble-once", kError, "metadata-stream", "metadata-stream", "",
     "There is one preamble fragment."},
    {"ctf/trace-class-once", kError, "metadata-stream", "metadata-stream", "",
     "There is at most one trace class fragment."},
    {"ctf/trace-class-order", kError, "tc-frag", "tc-frag", "",
     "The trace class fragment occurs before any data stream class fragment."},
    {"ctf/no-data-stream-class", kError, "metadata-stream", "metadata-stream", "",
     "There are one or more data stream class fragments."},
    {"ctf/fragment", kError, "frag", "frag", "",
     "A fragment is a JSON object with a `type` that the document names."},
    {"ctf/unknown-property", kWarning, "frag", "frag", "",
     "The properties of a fragment are those of its type."},
    {"ctf/unknown-field-class-property", kWarning, "fc", "fc", "",
     "The properties of a field class, a member, an option or a location are those of its type."},
    {"ctf/version", kError, "preamble-frag", "preamble-frag", "",
     "`version` is required, the integer 2."},
    {"ctf/uuid", kError, "uuid", "preamble-frag", "",
     "A UUID is an array of 16 integers from 0 to 255."},
    {"ctf/extensions", kError, "ext", "ext", "",
     "`extensions` maps namespaces to objects, and the preamble declares each by namespace and "
     "name."},
    {"ctf/attributes", kError, "user-attrs", "attrs", "",
     "Attributes are an object, one property a namespace."},
    {"ctf/field-class", kError, "fc", "fc", "",
     "A field class is an object with a `type` that the document names (CTF2-SPEC-2.0: or the name "
     "of an alias)."},
    {"ctf/root-field-class", kError, "fc", "fc", "",
     "The field class of a header, context or payload is a structure."},
    {"ctf/field-location", kError, "field-loc", "field-loc", "",
     "A field location names an origin that there is and the members on the way from it."},
    {"ctf/integer-range-set", kError, "int-range-set", "int-range-set", "",
     "An integer range set holds one or more pairs of integers, lower bound and upper bound."},
    {"ctf/roles", kError, "roles", "roles", "",
     "`roles` is an array of strings (CTF2-SPEC-2.0: of unsigned integer and static-length BLOB "
     "field classes only)."},
    {"ctf/unknown-role", kWarning, "roles", "roles", "", "A role is one that the document names."},
    {"ctf/misplaced-role", kWarning, "roles", "roles", "",
     "A role is accepted in the root field class where it stands."},
    {"ctf/packet-header-role", kError, "pkt-header-roles", "pkt-header-roles", "",
     "A field class with a role of packet headers is of the class and at the place that the role "
     "demands."},
    {"ctf/packet-context-role", kError, "pkt-ctx-roles", "pkt-ctx-roles", "",
     "A field class with a role of packet contexts is of the class that the role demands."},
    {"ctf/event-record-header-role", kError, "er-header-roles", "er-header-roles", "",
     "A field class with a role of event record headers is of the class that the role demands."},
    {"ctf/packet-header-member", kError, "tc-frag", "tc-frag", "",
     "A field class in a packet header has a role, is a structure, an optional or a variant, or "
     "selects one of these."},
    {"ctf/event-record-header-member", kError, "dsc-frag", "dsc-frag", "",
     "A field class in an event record header has a role, is a structure, an optional or a "
     "variant, or selects one of these."},
    {"ctf/event-record-header-fill", kWarning, "dsc-frag", "dsc-frag", "",
     "Fields without a role do not fill up the bytes of an event record header either. An integer "
     "of a part of a byte that nothing refers to is read over."},
    {"ctf/fixed-length", kError, "fl-ba-fc", "fl-ba-fc", "",
     "`length` of a fixed-length field class is required, an integer greater than 0."},
    {"ctf/field-byte-order", kError, "fl-ba-fc", "fl-ba-fc", "",
     "`byte-order` is required, \"big-endian\" or \"little-endian\"."},
    {"ctf/bit-order", kError, "fl-ba-fc", "fl-ba-fc", "",
     "`bit-order` is \"first-to-last\" or \"last-to-first\"."},
    {"ctf/field-alignment", kError, "fl-ba-fc", "fl-ba-fc", "",
     "`alignment` is an integer, a positive power of two."},
    {"ctf/floating-point-length", kError, "fl-fp-fc", "fl-fp-fc", "",
     "`length` of a floating point number is 16, 32, 64, 128 or a greater multiple of 32."},
    {"ctf/display-base", kError, "int-fc", "int-fc", "",
     "`preferred-display-base` is 2, 8, 10 or 16."},
    {"ctf/mappings", kError, "enum-fc-mappings", "int-fc-mappings", "",
     "`mappings` is an object that maps names to integer range sets (CTF2-SPECRC-3.0: one or "
     "more)."},
    {"ctf/mapping-range", kWarning, "enum-fc-mappings", "int-fc-mappings", "",
     "The ranges of an enumeration lie within its integer."},
    {"ctf/flags", kError, "fl-bm-fc", "fl-bm-fc", "",
     "`flags` is required, an object that maps one or more names to ranges of bit indexes."},
    {"ctf/encoding", kError, "str-fc", "str-fc", "",
     "`encoding` is \"utf-8\", \"utf-16be\", \"utf-16le\", \"utf-32be\" or \"utf-32le\"."},
    {"ctf/static-string-length", kError, "sl-str-fc", "sl-str-fc", "",
     "`length` of a static-length string is required, an integer, 0 or greater."},
    {"ctf/string-length-field", kError, "dl-str-fc", "dl-str-fc", "",
     "`length-field-location` of a dynamic-length string is required, a field location."},
    {"ctf/media-type", kError, "blob-fc", "blob-fc", "", "`media-type` is a string."},
    {"ctf/static-blob-length", kError, "sl-blob-fc", "sl-blob-fc", "",
     "`length` of a static-length BLOB is required, an integer, 0 or greater."},
    {"ctf/blob-length-field", kError, "dl-blob-fc", "dl-blob-fc", "",
     "`length-field-location` of a dynamic-length BLOB is required, a field location."},
    {"ctf/member-classes", kError, "struct-fc", "struct-fc", "",
     "`member-classes` is an array, and the names of the members are unique."},
    {"ctf/structure-alignment", kError, "struct-fc", "struct-fc", "",
     "`minimum-alignment` of a structure is an integer, a positive power of two."},
    {"ctf/member-class", kError, "struct-member-cls", "struct-member-cls", "",
     "A structure member class is an object with a `name`, a string, and a `field-class`."},
    {"ctf/element-field-class", kError, "array-fc", "array-fc", "",
     "`element-field-class` of an array is required, a field class."},
    {"ctf/array-alignment", kError, "array-fc", "array-fc", "",
     "`minimum-alignment` of an array is an integer, a positive power of two."},
    {"ctf/static-array-length", kError, "sl-array-fc", "sl-array-fc", "",
     "`length` of a static-length array is required, an integer, 0 or greater."},
    {"ctf/array-length-field", kError, "dl-array-fc", "dl-array-fc", "",
     "`length-field-location` of a dynamic-length array is required, a field location."},
    {"ctf/optional", kError, "opt-fc", "opt-fc", "",
     "An optional has a `field-class` and a `selector-field-location`."},
    {"ctf/variant", kError, "var-fc", "var-fc", "",
     "A variant has a `selector-field-location` and one or more `options`, whose names are unique "
     "and whose ranges do not intersect."},
    {"ctf/option-class", kError, "var-fc-opt", "var-fc-opt", "",
     "A variant option is an object with a `field-class` and `selector-field-ranges`."},
    {"ctf/field-class-alias", kError, "fca-frag", "fca-frag", "",
     "A field class alias has a `name` of its own and a `field-class`, and occurs before it is "
     "used."},
    {"ctf/trace-class", kError, "tc-frag", "tc-frag", "",
     "The properties of a trace class are of the type that the document says."},
    {"ctf/environment", kError, "tc-frag", "tc-frag", "",
     "`environment` is an object of integers and strings."},
    {"ctf/clock-class", kError, "cc-frag", "cc-frag", "",
     "A clock class has a name (CTF2-SPEC-2.0: an `id`) and a `frequency` greater than 0; its "
     "precision and accuracy are 0 or greater."},
    {"ctf/clock-uuid", kError, "cc-frag", "cc-frag", "",
     "`uuid` of a clock class is an array of 16 integers from 0 to 255."},
    {"ctf/clock-class-duplicate", kError, "cc-frag", "cc-frag", "",
     "No two clock classes share a name or UUID (CTF2-SPEC-2.0: an `id`)."},
    {"ctf/clock-identity", kError, "cc-frag", "clk-id", "",
     "Clock classes of the same identity have the same frequency, precision, accuracy and origin."},
    {"ctf/clock-origin", kError, "cc-frag", "clock-origin", "",
     "`origin` is \"unix-epoch\" or an object with a `name` and a `uid`."},
    {"ctf/clock-offset", kError, "clock-offset", "clock-offset", "",
     "A clock offset is `seconds`, an integer, and `cycles`, an integer from 0 to less than the "
     "frequency."},
    {"ctf/data-stream-class", kError, "dsc-frag", "dsc-frag", "",
     "`id` of a data stream class is an integer, 0 or greater; its names are strings."},
    {"ctf/data-stream-class-duplicate", kError, "dsc-frag", "dsc-frag", "",
     "No two data stream classes share an `id`."},
    {"ctf/default-clock", kError, "dsc-frag", "dsc-frag", "",
     "The default clock class of a data stream class occurs before it."},
    {"ctf/event-record-class", kError, "erc-frag", "erc-frag", "",
     "`id` and `data-stream-class-id` of an event record class are integers, 0 or greater; its "
     "names are strings."},
    {"ctf/event-record-class-duplicate", kError, "erc-frag", "erc-frag", "",
     "No two event record classes of a data stream class share an `id`."},
    {"ctf/event-record-class-parent", kError, "erc-frag", "erc-frag", "",
     "The data stream class of an event record class occurs before it."},
    {"ctf/auxiliary-stream", kError, "aux-stream", "", "",
     "An element of an auxiliary stream is an object with one property."},
    {"ctf/auxiliary-environment", kError, "env", "", "",
     "`environment` of the `std` namespace of an auxiliary stream is an object."},
    {"ctf/metadata-limit", kError, "", "", "",
     "Integers of metadata fit the reader: bit fields of 65,536 bits, range bounds of 128 bits, "
     "nesting of 256."},
}};

const RuleTable& table() {
  static const RuleTable instance(kTexts, true);
  return instance;
}

}  // namespace

const Rule& metadata_rule(MetadataRule rule, Dialect dialect) {
  return table().rule(static_cast<std::size_t>(rule), dialect);
}

std::span<const Rule> metadata_rules(Dialect dialect) { return table().rules(dialect); }

}  // namespace tracedeck::ctf
