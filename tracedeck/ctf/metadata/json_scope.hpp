// What the fragments of a metadata stream share while it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/json_findings.hpp"
#include "tracedeck/model/attribute.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::ctf {

// A field class made of a JSON value.
struct BuiltClass {
  FieldClassPtr field_class = nullptr;  // null: nothing could be made of it
  std::uint32_t depth = 0;              // field classes within each other, 1 for a scalar
  bool sound = false;                   // else it lacks parts, whose faults are reported
};

struct JsonScope {
  explicit JsonScope(JsonFindings& collector) : findings(collector) {}

  JsonFindings& findings;
  Dialect dialect = Dialect::kRc3;

  // By name. Faulty ones are in here too, so that their use is no fault of its own.
  std::map<std::string, BuiltClass, std::less<>> aliases;
  // A fragment that cannot be read may be the alias that is missed.
  bool aliases_known = true;

  // Namespace and name. `extensions_known`: the preamble could be read.
  std::set<std::pair<std::string, std::string>> extensions;
  bool extensions_known = false;

  // Where the classes of the present fragment and of the aliases stand, but for scalars that are
  // shared; the aliases' texts are kept for that.
  std::unordered_map<const FieldClass*, JsonRef> places;
  std::unordered_map<const FieldClass*, JsonRef> alias_places;
  std::vector<std::shared_ptr<const JsonText>> alias_texts;

  // Scalar classes without roles, by their text: the same text makes the same class, of which a
  // trace has thousands. Not in headers, where faults are about one place.
  std::map<std::string, FieldClassPtr, std::less<>> scalars;
  bool shares_scalars = false;

  // Origin and last name of the locations of selectors, see `selector_key`.
  std::set<std::string, std::less<>> selectors;
  std::set<std::string, std::less<>> lengths;  // the same of lengths

  [[nodiscard]] JsonRef place(const FieldClass* field_class) const {
    if (const auto found = places.find(field_class); found != places.end()) return found->second;
    const auto found = alias_places.find(field_class);
    return found == alias_places.end() ? JsonRef() : found->second;
  }
};

[[nodiscard]] std::string selector_key(FieldLocation::Root origin, std::string_view name);

// `value` is an object. Reports extensions that the preamble does not declare.
void check_extensions(JsonRef value, const JsonScope& scope);
// `value` is an object, or none.
[[nodiscard]] Attributes read_attributes(JsonRef value);

}  // namespace tracedeck::ctf
