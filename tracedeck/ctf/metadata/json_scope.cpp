#include "tracedeck/ctf/metadata/json_scope.hpp"

#include <fmt/format.h>

#include <utility>

#include "tracedeck/ctf/marks.hpp"
#include "tracedeck/text/json_access.hpp"
#include "tracedeck/text/json_out.hpp"

namespace tracedeck::ctf {

std::string selector_key(FieldLocation::Root origin, std::string_view name) {
  return fmt::format("{}/{}", static_cast<unsigned>(origin), name);
}

void check_extensions(JsonRef value, const JsonScope& scope) {
  for (const JsonRef space : JsonChildren(value)) {
    if (!space.is(JsonKind::kObject)) {
      scope.findings.expect(MetadataRule::kExtensions, space, "an object, the extensions by name");
      continue;
    }
    if (!scope.extensions_known) continue;
    for (const JsonRef extension : JsonChildren(space)) {
      const std::pair key(std::string(space.key()), std::string(extension.key()));
      if (scope.extensions.contains(key)) continue;
      scope.findings.report(MetadataRule::kExtensions, extension,
                            "found an extension that the preamble does not declare");
    }
  }
}

namespace {

bool is_text_pair(JsonRef value) {
  if (!value.is(JsonKind::kArray) || count_children(value) != 2) return false;
  const JsonRef key = value.first_child();
  return key.is(JsonKind::kString) && key.next_sibling().is(JsonKind::kString);
}

// Adds the attributes of plain text that ours holds, and what is left of it. False: it holds none.
bool add_annotations(JsonRef ours, Attributes& attributes) {
  if (!ours.is(JsonKind::kObject)) return false;
  const JsonRef annotations = find_child(ours, kAnnotations);
  if (!annotations || !annotations.is(JsonKind::kArray)) return false;
  for (const JsonRef each : JsonChildren(annotations)) {
    if (!is_text_pair(each)) return false;
  }
  for (const JsonRef each : JsonChildren(annotations)) {
    const JsonRef key = each.first_child();
    attributes.push_back({.key = std::string(key.string()),
                          .value = std::string(key.next_sibling().string()),
                          .is_json = false});
  }
  std::string rest;
  JsonOut out(rest);
  out.begin_object();
  for (const JsonRef each : JsonChildren(ours)) {
    if (each.key() != kAnnotations) out.key(each.key()).raw(each.compact());
  }
  out.end_object();
  if (rest != "{}")
    attributes.push_back(
        {.key = std::string(kOurNamespace), .value = std::move(rest), .is_json = true});
  return true;
}

}  // namespace

Attributes read_attributes(JsonRef value) {
  Attributes attributes;
  if (!value) return attributes;
  for (const JsonRef entry : JsonChildren(value)) {
    if (entry.key() == kOurNamespace && add_annotations(entry, attributes)) continue;
    attributes.push_back(
        {.key = std::string(entry.key()), .value = entry.compact(), .is_json = true});
  }
  return attributes;
}

}  // namespace tracedeck::ctf
