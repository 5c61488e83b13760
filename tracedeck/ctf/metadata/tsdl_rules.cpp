#include "tracedeck/ctf/metadata/tsdl_rules.hpp"

#include <array>

#include "tracedeck/ctf/rule_table.hpp"

namespace tracedeck::ctf {
namespace {

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;
constexpr std::string_view kMetadata = "7.1 Meta-data";
constexpr std::string_view kExamples = "7.4 TSDL examples";
constexpr std::string_view kScope = "7.3.1 Lexical Scope";
constexpr std::string_view kGrammar = "C.2 Phrase structure grammar";
constexpr std::string_view kSpecific = "C.2.3 CTF-specific declarations";
constexpr std::string_view kOurs = "limits of tracedeck";

constexpr RuleText rule_text(std::string_view id, Severity severity, std::string_view section,
                             std::string_view summary) {
  return {id, severity, {}, {}, section, summary};
}

constexpr std::array<RuleText, kTsdlRuleCount> kTexts = {{
    rule_text("ctf/tsdl-signature", kWarning, kMetadata,
              "Metadata text begins with `/* CTF 1.8`, or with metadata packets."),
    rule_text("ctf/tsdl-packet-header", kError, kMetadata,
              "A metadata packet begins with the magic number 75D11D57 and version 1.8."),
    rule_text("ctf/tsdl-packet-sizes", kError, kMetadata,
              "The content of a metadata packet covers its header and lies within the packet; both "
              "are whole bytes."),
    rule_text("ctf/tsdl-packet-scheme", kError, kMetadata,
              "Metadata packets that are compressed, encrypted or checksummed are not supported."),
    rule_text("ctf/tsdl-packet-uuid", kError, kMetadata,
              "The UUID of each metadata packet is that of the trace."),
    rule_text("ctf/tsdl-packet-zeros", kWarning, kMetadata,
              "The stream of metadata ends behind its last packet."),
    rule_text("ctf/tsdl-padding", kWarning, kMetadata,
              "No byte order mark precedes metadata text, and no zeros follow it."),
    rule_text("ctf/tsdl-cut", kError, kMetadata,
              "The last packet and the last declaration of the metadata are complete."),
    rule_text("ctf/tsdl-lexical", kError, "C.1 Lexical grammar",
              "Metadata text consists of tokens and comments."),
    rule_text("ctf/tsdl-syntax", kError, kGrammar, "Metadata text follows the grammar."),
    rule_text("ctf/tsdl-semicolon", kWarning, kGrammar,
              "`;` stands between a type that is declared among fields and the next field."),
    rule_text("ctf/tsdl-unsupported", kError, kGrammar,
              "Where a bit field lies follows from its unit and the fields before it."),
    rule_text("ctf/tsdl-attribute-unknown", kWarning, kSpecific,
              "Blocks and types have the attributes that the specification lists."),
    rule_text("ctf/tsdl-attribute-repeated", kError, kSpecific, "An attribute is given once."),
    rule_text("ctf/tsdl-attribute-missing", kError, kSpecific,
              "Attributes without a default are given."),
    rule_text("ctf/tsdl-attribute-value", kError, kSpecific,
              "An attribute has a value of its kind."),
    rule_text("ctf/tsdl-type-unknown", kError, kScope,
              "A type is declared before it is used, in the same scope or one around it."),
    rule_text("ctf/tsdl-type-redefined", kError, kScope,
              "A type name is declared once in a scope."),
    rule_text("ctf/tsdl-field-repeated", kError, "7.3.2 Static and dynamic scopes",
              "A field name is declared once in a structure or variant."),
    rule_text("ctf/tsdl-alignment", kError, "4.1.2 Alignment", "An alignment is a power of two."),
    rule_text("ctf/tsdl-byte-order", kError, "4.1.3 Byte order",
              "A byte order is `native`, `network`, `be` or `le`; of the trace, `be` or `le`."),
    rule_text("ctf/tsdl-integer", kError, "4.1.5 Integers",
              "An integer has a size of one or more bits."),
    rule_text("ctf/tsdl-floating-point", kError, "4.1.7 Floating point",
              "A floating point number has one of the interchange formats of IEEE 754."),
    rule_text("ctf/tsdl-enumeration", kError, "4.1.8 Enumerations",
              "An enumeration maps ranges of its integer type, first to last, to labels; it has at "
              "least one."),
    rule_text("ctf/tsdl-enumeration-range", kWarning, "4.1.8 Enumerations",
              "The ranges of an enumeration lie within its integer type."),
    rule_text("ctf/tsdl-structure", kError, "5.1 Event packet header description",
              "Headers, contexts and payloads are structures."),
    rule_text("ctf/tsdl-variant", kError, "4.2.2 Variants",
              "A variant has a tag, which is an enumeration."),
    rule_text("ctf/tsdl-length", kError, "4.2.3 Arrays",
              "The length of an array is a constant, that of a sequence a field."),
    rule_text("ctf/tsdl-reserved-name", kWarning, "5.1 Event packet header description",
              "Fields with reserved names have the types that their meaning needs."),
    rule_text("ctf/tsdl-trace", kError, kExamples, "A trace has one `trace` block."),
    rule_text("ctf/tsdl-version", kError, kExamples, "The version of the specification is 1.8."),
    rule_text("ctf/tsdl-uuid", kError, kMetadata,
              "A UUID is a string of 32 hexadecimal digits in groups of 8-4-4-4-12."),
    rule_text("ctf/tsdl-clock", kError, "8. Clocks",
              "A clock has a name of its own, and what is mapped to it is found by that name."),
    rule_text("ctf/tsdl-stream", kError, kExamples,
              "Streams have ids of their own and one clock each."),
    rule_text("ctf/tsdl-event", kError, kExamples,
              "An event belongs to a stream and has an id of its own there."),
    rule_text("ctf/tsdl-log-level", kWarning, kExamples,
              "A log level is an integer from 0, an emergency, to 14, debugging."),
    rule_text("ctf/tsdl-environment", kError, kExamples,
              "Entries of the environment are integers or strings."),
    rule_text("ctf/tsdl-environment-repeated", kWarning, kExamples,
              "Entries of the environment have names of their own."),
    rule_text("ctf/tsdl-embedded-description", kWarning, "conventions of tracedeck",
              "An embedded description says which class of the trace it is of."),
    rule_text("ctf/tsdl-nesting", kError, kOurs, "Types are nested at most 256 deep."),
    rule_text("ctf/tsdl-limit", kError, kOurs,
              "Types that depend on where they are used do not multiply past what the text holds."),
}};

}  // namespace

const Rule& tsdl_rule(TsdlRule rule) { return tsdl_rules()[static_cast<std::size_t>(rule)]; }

std::span<const Rule> tsdl_rules() {
  static const RuleTable kTable(kTexts, true);
  return kTable.rules(Dialect::kCtf1);
}

}  // namespace tracedeck::ctf
