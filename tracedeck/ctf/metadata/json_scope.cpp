#include "tracedeck/ctf/metadata/json_scope.hpp"

#include <fmt/format.h>

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

Attributes read_attributes(JsonRef value) {
  Attributes attributes;
  if (!value) return attributes;
  for (const JsonRef entry : JsonChildren(value)) {
    attributes.push_back(
        {.key = std::string(entry.key()), .value = entry.compact(), .is_json = true});
  }
  return attributes;
}

}  // namespace tracedeck::ctf
