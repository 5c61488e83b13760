#include "tracedeck/ctf/metadata/json_location.hpp"

#include <cstddef>
#include <string_view>

#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/ctf/metadata/json_properties.hpp"

namespace tracedeck::ctf {
namespace {

constexpr auto kRule = MetadataRule::kFieldLocation;

std::optional<FieldLocation::Root> read_origin(JsonRef value, JsonFindings& findings) {
  if (value.is(JsonKind::kString)) {
    if (const auto root = root_of_word(value.string())) return root;
  }
  findings.expect(kRule, value, "the name of a root field, like \"event-record-payload\"");
  return {};
}

// Of CTF2-SPECRC-3.0: an array of the origin and one or more names.
std::optional<FieldLocation> read_array(JsonRef value, JsonFindings& findings) {
  FieldLocation location;
  bool sound = true;
  std::size_t count = 0;
  for (const JsonRef element : JsonChildren(value)) {
    if (count++ == 0) {
      const auto origin = read_origin(element, findings);
      location.root = origin.value_or(location.root);
      sound = origin.has_value();
    } else if (element.is(JsonKind::kString)) {
      location.path.emplace_back(element.string());
    } else {
      findings.expect(kRule, element, "the name of a structure member");
      sound = false;
    }
  }
  if (count < 2) {
    findings.report(kRule, value, "found fewer than two elements");
    sound = false;
  }
  return sound ? std::optional(location) : std::nullopt;
}

// Of CTF2-SPEC-2.0: an object of an origin, or none, and a path.
std::optional<FieldLocation> read_object(JsonRef value, JsonFindings& findings) {
  const auto found = find_properties(value, location_properties(), Dialect::kFinal,
                                     MetadataRule::kUnknownClassProperty, findings);
  FieldLocation location;
  bool sound = found.sound();
  if (const JsonRef origin = found["origin"]) {
    const auto root = read_origin(origin, findings);
    location.root = root.value_or(location.root);
    sound = sound && root;
  }
  const JsonRef path = found["path"];
  if (!path) return {};
  JsonRef last;
  for (const JsonRef element : JsonChildren(path)) {
    last = element;
    if (element.is(JsonKind::kNull)) {
      location.path.emplace_back();
    } else if (element.is(JsonKind::kString)) {
      location.path.emplace_back(element.string());
    } else {
      findings.expect(kRule, element, "the name of a structure member or null");
      sound = false;
    }
  }
  if (!last) {
    findings.report(kRule, path, "found an empty path");
    sound = false;
  } else if (last.is(JsonKind::kNull)) {
    findings.expect(kRule, last, "the name of a structure member at the end of a path");
    sound = false;
  }
  return sound ? std::optional(location) : std::nullopt;
}

}  // namespace

std::optional<FieldLocation> read_location(JsonRef value, JsonScope& scope) {
  return value.is(JsonKind::kArray) ? read_array(value, scope.findings)
                                    : read_object(value, scope.findings);
}

}  // namespace tracedeck::ctf
