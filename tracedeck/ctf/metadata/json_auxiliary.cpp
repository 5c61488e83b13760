#include "tracedeck/ctf/metadata/json_auxiliary.hpp"

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
    description.add_environment({.key = std::string(value.key().string()),
                                 .value = is_string ? std::string(value.string()) : value.compact(),
                                 .is_json = !is_string});
  }
}

void read_element(const JsonText& text, JsonFindings& findings, TraceDescription& description) {
  for (const JsonRef value : text.repeated())
    findings.report(MetadataRule::kRepeatedKey, value,
                    "found a property of a name that occurred before");
  const JsonRef root = text.root();
  const JsonRef space = root.is(JsonKind::kObject) ? root.first_child() : JsonRef();
  if (!space || space.next_sibling()) {
    findings.expect(MetadataRule::kAuxiliary, root, "an object with one property, its namespace");
    return;
  }
  if (space.key().string() != "std" || !space.is(JsonKind::kObject)) return;
  const JsonRef environment = find_child(space, "environment");
  if (!environment) return;
  if (environment.is(JsonKind::kObject)) {
    read_environment(environment, description);
  } else {
    findings.expect(MetadataRule::kAuxiliaryEnvironment, environment, "an object");
  }
}

}  // namespace

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
