#include "tracedeck/ctf/metadata/json_auxiliary.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "tracedeck/ctf/metadata/json_findings.hpp"
#include "tracedeck/ctf/metadata/json_properties.hpp"
#include "tracedeck/ctf/metadata/json_sequence.hpp"

namespace tracedeck::ctf {
namespace {

void read_environment(JsonRef environment, TraceDescription& description) {
  for (const JsonRef value : JsonChildren(environment)) {
    const bool is_string = value.is(JsonKind::kString);
    description.add_environment({.key = std::string(value.key()),
                                 .value = is_string ? std::string(value.string()) : value.compact(),
                                 .is_json = !is_string});
  }
}

// The only property of an element; no value when it is no object with one property.
JsonRef only_property(JsonRef element) {
  const JsonRef value = element.is(JsonKind::kObject) ? element.first_child() : JsonRef();
  return value && value.next_sibling() ? JsonRef() : value;
}

void read_element(const JsonText& text, JsonFindings& findings, TraceDescription& description) {
  for (const JsonRef value : text.repeated())
    findings.report(MetadataRule::kRepeatedKey, value,
                    "found a property of a name that occurred before");
  const JsonRef root = text.root();
  const JsonRef space = only_property(root);
  if (!space) {
    findings.expect(MetadataRule::kAuxiliary, root, "an object with one property, its namespace");
    return;
  }
  if (space.key() != "std" || !space.is(JsonKind::kObject)) return;
  const JsonRef environment = find_child(space, "environment");
  if (!environment) return;
  if (environment.is(JsonKind::kObject)) {
    read_environment(environment, description);
  } else {
    findings.expect(MetadataRule::kAuxiliaryEnvironment, environment, "an object");
  }
}

}  // namespace

bool FirstElement::take(ByteSpan bytes) {
  for (const std::uint8_t byte : bytes) {
    const bool separator = byte == kRecordSeparator;
    if (separator && in_element_) return false;
    if (bytes_.empty() && !separator) return false;
    bytes_.push_back(byte);
    if (separator || is_json_space(byte)) continue;
    // No data stream that is not meant to look like JSON comes past this.
    if (byte < 0x20 || (!in_element_ && byte != '{')) return false;
    in_element_ = true;
  }
  return true;
}

bool begins_auxiliary_stream(ByteSpan bytes) {
  JsonFindings findings("element");
  bool begins = false;
  JsonSequence sequence(findings, [&](const std::shared_ptr<const JsonText>& text) {
    begins = static_cast<bool>(only_property(text->root()));
  });
  sequence.read(bytes, true);
  return begins && findings.errors() == 0;
}

std::vector<Finding> read_auxiliary_stream(ByteSpan bytes, Metadata& metadata) {
  JsonFindings findings("element");
  TraceDescription& description = *metadata.description();
  JsonSequence sequence(findings, [&](const std::shared_ptr<const JsonText>& text) {
    read_element(*text, findings, description);
  });
  sequence.read(bytes, true);
  return findings.take();
}

}  // namespace tracedeck::ctf
