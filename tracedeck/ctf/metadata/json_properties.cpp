#include "tracedeck/ctf/metadata/json_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/metadata/json_values.hpp"
#include "tracedeck/ctf/roles.hpp"

namespace tracedeck::ctf {
namespace {

using enum PropertyType;
using R = MetadataRule;
constexpr In kNeither = In::kNeither;
constexpr In kBoth = In::kBoth;
constexpr In kRc3 = In::kRc3;
constexpr In kFinal = In::kFinal;

template <std::size_t... Sizes>
constexpr auto join(const std::array<Property, Sizes>&... parts) {
  static_assert((Sizes + ... + 0) <= kMostProperties);
  std::array<Property, (Sizes + ... + 0)> all = {};
  auto out = all.begin();
  ((out = std::copy(parts.begin(), parts.end(), out)), ...);
  return all;
}

// What any object may have that describes something.
constexpr std::array kCommon = {
    Property{"user-attributes", kAttributes, kNeither, kRc3, R::kAttributes, "attributes"},
    Property{"attributes", kAttributes, kNeither, kFinal, R::kAttributes, "user-attributes"},
    Property{"extensions", kExtensions, kNeither, kBoth, R::kExtensions},
};
constexpr auto kAnyClass =
    join(kCommon, std::array{Property{"roles", kArray, kNeither, kBoth, R::kRoles}});

constexpr auto kFixed =
    join(kAnyClass,
         std::array{Property{"length", kInteger, kBoth, kBoth, R::kFixedLength},
                    Property{"byte-order", PropertyType::kString, kBoth, kBoth, R::kByteOrder},
                    Property{"bit-order", PropertyType::kString, kNeither, kFinal, R::kBitOrder},
                    Property{"alignment", kInteger, kNeither, kBoth, R::kAlignment}});
constexpr std::array kAnyInteger = {
    Property{"preferred-display-base", kInteger, kNeither, kBoth, R::kDisplayBase},
};
constexpr std::array kMappings = {Property{"mappings", kObject, kNeither, kFinal, R::kMappings}};
constexpr std::array kEnumeration = {Property{"mappings", kObject, kRc3, kRc3, R::kMappings}};

constexpr auto kBitMap =
    join(kFixed, std::array{Property{"flags", kObject, kFinal, kFinal, R::kFlags}});
constexpr auto kFixedInteger = join(kFixed, kAnyInteger, kMappings);
constexpr auto kFixedEnumeration = join(kFixed, kAnyInteger, kEnumeration);
constexpr auto kLebInteger = join(kAnyClass, kAnyInteger, kMappings);
constexpr auto kLebEnumeration = join(kAnyClass, kAnyInteger, kEnumeration);

constexpr auto kText =
    join(kAnyClass,
         std::array{Property{"encoding", PropertyType::kString, kNeither, kFinal, R::kEncoding}});
constexpr auto kStaticText =
    join(kText, std::array{Property{"length", kInteger, kBoth, kBoth, R::kStringLength}});
constexpr auto kDynamicText = join(
    kText,
    std::array{Property{"length-field-location", kLocation, kBoth, kBoth, R::kStringLengthField}});

constexpr auto kBlob =
    join(kAnyClass,
         std::array{Property{"media-type", PropertyType::kString, kNeither, kBoth, R::kMediaType}});
constexpr auto kStaticBlob =
    join(kBlob, std::array{Property{"length", kInteger, kBoth, kBoth, R::kBlobLength}});
constexpr auto kDynamicBlob = join(kBlob, std::array{Property{"length-field-location", kLocation,
                                                              kBoth, kBoth, R::kBlobLengthField}});

constexpr auto kStructure = join(
    kAnyClass,
    std::array{Property{"member-classes", kArray, kNeither, kBoth, R::kMembers},
               Property{"minimum-alignment", kInteger, kNeither, kBoth, R::kStructureAlignment}});
constexpr auto kArrayClass =
    join(kAnyClass,
         std::array{Property{"element-field-class", kFieldClass, kBoth, kBoth, R::kElement},
                    Property{"minimum-alignment", kInteger, kNeither, kBoth, R::kArrayAlignment}});
constexpr auto kStaticArray =
    join(kArrayClass, std::array{Property{"length", kInteger, kBoth, kBoth, R::kArrayLength}});
constexpr auto kDynamicArray = join(
    kArrayClass,
    std::array{Property{"length-field-location", kLocation, kBoth, kBoth, R::kArrayLengthField}});
constexpr auto kOptional =
    join(kAnyClass,
         std::array{Property{"field-class", kFieldClass, kBoth, kBoth, R::kOptional},
                    Property{"selector-field-location", kLocation, kBoth, kBoth, R::kOptional},
                    Property{"selector-field-ranges", kArray, kNeither, kBoth, R::kRangeSet}});
constexpr auto kVariant =
    join(kAnyClass,
         std::array{Property{"options", kArray, kBoth, kBoth, R::kVariant},
                    Property{"selector-field-location", kLocation, kBoth, kBoth, R::kVariant}});

constexpr std::array kClasses = {
    ClassInfo{"fixed-length-bit-array", ClassType::kBitArray, false, kBoth, kFixed},
    ClassInfo{"fixed-length-bit-map", ClassType::kBitMap, false, kFinal, kBitMap},
    ClassInfo{"fixed-length-boolean", ClassType::kBoolean, false, kBoth, kFixed},
    ClassInfo{"fixed-length-unsigned-integer", ClassType::kInteger, false, kBoth, kFixedInteger},
    ClassInfo{"fixed-length-signed-integer", ClassType::kInteger, true, kBoth, kFixedInteger},
    ClassInfo{"fixed-length-unsigned-enumeration", ClassType::kEnumeration, false, kRc3,
              kFixedEnumeration},
    ClassInfo{"fixed-length-signed-enumeration", ClassType::kEnumeration, true, kRc3,
              kFixedEnumeration},
    ClassInfo{"fixed-length-floating-point-number", ClassType::kReal, true, kBoth, kFixed},
    ClassInfo{"variable-length-bit-array", ClassType::kLebBitArray, false, kRc3, kAnyClass},
    ClassInfo{"variable-length-unsigned-integer", ClassType::kLebInteger, false, kBoth,
              kLebInteger},
    ClassInfo{"variable-length-signed-integer", ClassType::kLebInteger, true, kBoth, kLebInteger},
    ClassInfo{"variable-length-unsigned-enumeration", ClassType::kLebEnumeration, false, kRc3,
              kLebEnumeration},
    ClassInfo{"variable-length-signed-enumeration", ClassType::kLebEnumeration, true, kRc3,
              kLebEnumeration},
    ClassInfo{"null-terminated-string", ClassType::kString, false, kBoth, kText},
    ClassInfo{"static-length-string", ClassType::kStaticString, false, kBoth, kStaticText},
    ClassInfo{"dynamic-length-string", ClassType::kDynamicString, false, kBoth, kDynamicText},
    ClassInfo{"static-length-blob", ClassType::kStaticBlob, false, kBoth, kStaticBlob},
    ClassInfo{"dynamic-length-blob", ClassType::kDynamicBlob, false, kBoth, kDynamicBlob},
    ClassInfo{"structure", ClassType::kStructure, false, kBoth, kStructure},
    ClassInfo{"static-length-array", ClassType::kStaticArray, false, kBoth, kStaticArray},
    ClassInfo{"dynamic-length-array", ClassType::kDynamicArray, false, kBoth, kDynamicArray},
    ClassInfo{"optional", ClassType::kOptional, false, kBoth, kOptional},
    ClassInfo{"variant", ClassType::kVariant, false, kBoth, kVariant},
};

constexpr auto kMember =
    join(kCommon, std::array{Property{"name", PropertyType::kString, kBoth, kBoth, R::kMember},
                             Property{"field-class", kFieldClass, kBoth, kBoth, R::kMember}});
constexpr auto kOption =
    join(kCommon,
         std::array{Property{"name", PropertyType::kString, kNeither, kBoth, R::kVariantOption},
                    Property{"field-class", kFieldClass, kBoth, kBoth, R::kVariantOption},
                    Property{"selector-field-ranges", kArray, kBoth, kBoth, R::kVariantOption}});
constexpr std::array kLocationObject = {
    Property{"origin", PropertyType::kString, kNeither, kFinal, R::kFieldLocation},
    Property{"path", kArray, kFinal, kFinal, R::kFieldLocation},
};

constexpr auto kPreamble =
    join(kCommon, std::array{Property{"version", kInteger, kBoth, kBoth, R::kVersion},
                             Property{"uuid", kArray, kNeither, kFinal, R::kUuid}});
constexpr auto kAlias =
    join(kCommon, std::array{Property{"name", PropertyType::kString, kFinal, kFinal, R::kAlias},
                             Property{"field-class", kFieldClass, kFinal, kFinal, R::kAlias}});
constexpr auto kTraceClass = join(
    kCommon,
    std::array{Property{"uuid", kArray, kNeither, kRc3, R::kUuid},
               Property{"namespace", PropertyType::kString, kNeither, kFinal, R::kTraceClass},
               Property{"name", PropertyType::kString, kNeither, kFinal, R::kTraceClass},
               Property{"uid", PropertyType::kString, kNeither, kFinal, R::kTraceClass},
               Property{"environment", kObject, kNeither, kFinal, R::kEnvironment},
               Property{"packet-header-field-class", kFieldClass, kNeither, kBoth, R::kRootClass}});
constexpr auto kClockClass = join(
    kCommon,
    std::array{Property{"id", PropertyType::kString, kFinal, kFinal, R::kClock, "name"},
               Property{"namespace", PropertyType::kString, kNeither, kFinal, R::kClock},
               Property{"name", PropertyType::kString, kRc3, kBoth, R::kClock},
               Property{"uid", PropertyType::kString, kNeither, kFinal, R::kClock},
               Property{"frequency", kInteger, kBoth, kBoth, R::kClock},
               Property{"description", PropertyType::kString, kNeither, kBoth, R::kClock},
               Property{"uuid", kArray, kNeither, kRc3, R::kClockUuid},
               Property{"origin-is-unix-epoch", PropertyType::kBoolean, kNeither, kRc3, R::kClock},
               Property{"origin", kOrigin, kNeither, kFinal, R::kClockOrigin},
               Property{"offset", kObject, kNeither, kRc3, R::kClockOffset, "offset-from-origin"},
               Property{"offset-from-origin", kObject, kNeither, kFinal, R::kClockOffset, "offset"},
               Property{"precision", kInteger, kNeither, kBoth, R::kClock},
               Property{"accuracy", kInteger, kNeither, kFinal, R::kClock}});
constexpr std::array kClockOffsetObject = {
    Property{"seconds", kInteger, kNeither, kBoth, R::kClockOffset},
    Property{"cycles", kInteger, kNeither, kBoth, R::kClockOffset},
};
constexpr std::array kClockOriginObject = {
    Property{"namespace", PropertyType::kString, kNeither, kFinal, R::kClockOrigin},
    Property{"name", PropertyType::kString, kFinal, kFinal, R::kClockOrigin},
    Property{"uid", PropertyType::kString, kFinal, kFinal, R::kClockOrigin},
};
constexpr auto kStreamClass = join(
    kCommon,
    std::array{
        Property{"id", kInteger, kNeither, kBoth, R::kStreamClass},
        Property{"namespace", PropertyType::kString, kNeither, kBoth, R::kStreamClass},
        Property{"name", PropertyType::kString, kNeither, kBoth, R::kStreamClass},
        Property{"uid", PropertyType::kString, kNeither, kFinal, R::kStreamClass},
        Property{"default-clock-class-name", PropertyType::kString, kNeither, kRc3,
                 R::kDefaultClock, "default-clock-class-id"},
        Property{"default-clock-class-id", PropertyType::kString, kNeither, kFinal,
                 R::kDefaultClock, "default-clock-class-name"},
        Property{"packet-context-field-class", kFieldClass, kNeither, kBoth, R::kRootClass},
        Property{"event-record-header-field-class", kFieldClass, kNeither, kBoth, R::kRootClass},
        Property{"event-record-common-context-field-class", kFieldClass, kNeither, kBoth,
                 R::kRootClass}});
constexpr auto kEventClass =
    join(kCommon,
         std::array{
             Property{"id", kInteger, kNeither, kBoth, R::kEventClass},
             Property{"data-stream-class-id", kInteger, kNeither, kBoth, R::kEventClass},
             Property{"namespace", PropertyType::kString, kNeither, kBoth, R::kEventClass},
             Property{"name", PropertyType::kString, kNeither, kBoth, R::kEventClass},
             Property{"uid", PropertyType::kString, kNeither, kFinal, R::kEventClass},
             Property{"specific-context-field-class", kFieldClass, kNeither, kBoth, R::kRootClass},
             Property{"payload-field-class", kFieldClass, kNeither, kBoth, R::kRootClass}});

constexpr std::array kFragments = {
    FragmentInfo{"preamble", FragmentType::kPreamble, kBoth, kPreamble},
    FragmentInfo{"field-class-alias", FragmentType::kAlias, kFinal, kAlias},
    FragmentInfo{"trace-class", FragmentType::kTraceClass, kBoth, kTraceClass},
    FragmentInfo{"clock-class", FragmentType::kClockClass, kBoth, kClockClass},
    FragmentInfo{"data-stream-class", FragmentType::kStreamClass, kBoth, kStreamClass},
    FragmentInfo{"event-record-class", FragmentType::kEventClass, kBoth, kEventClass},
};

bool has_type(JsonRef value, PropertyType type, Dialect dialect) {
  const bool final = dialect == Dialect::kFinal;
  switch (type) {
    case PropertyType::kString:
      return value.is(JsonKind::kString);
    case kInteger:
      return is_json_integer(value);
    case PropertyType::kBoolean:
      return value.is(JsonKind::kBoolean);
    case kArray:
      return value.is(JsonKind::kArray);
    case kObject:
    case kAttributes:
    case kExtensions:
      return value.is(JsonKind::kObject);
    case kFieldClass:
      return value.is(JsonKind::kObject) || (final && value.is(JsonKind::kString));
    case kLocation:
      return value.is(final ? JsonKind::kObject : JsonKind::kArray);
    case kOrigin:
      return value.is(JsonKind::kString) || value.is(JsonKind::kObject);
  }
  return false;
}

std::string_view type_words(PropertyType type, Dialect dialect) {
  const bool final = dialect == Dialect::kFinal;
  switch (type) {
    case PropertyType::kString:
      return "a string";
    case kInteger:
      return "an integer";
    case PropertyType::kBoolean:
      return "a boolean";
    case kArray:
      return "an array";
    case kObject:
    case kAttributes:
    case kExtensions:
      return "an object";
    case kFieldClass:
      return final ? "an object or the name of an alias" : "an object";
    case kLocation:
      return final ? "an object" : "an array";
    case kOrigin:
      return "\"unix-epoch\" or an object";
  }
  return {};
}

// Where a value of a wrong type breaks not what is said of the property, but of the type.
MetadataRule type_rule(const Property& property) {
  if (property.type == kFieldClass) return R::kFieldClass;
  if (property.type == kLocation) return R::kFieldLocation;
  return property.rule;
}

std::optional<Dialect> only_dialect(In in) {
  if (in == kRc3) return Dialect::kRc3;
  if (in == kFinal) return Dialect::kFinal;
  return {};
}

// Early tracers have these beside words of CTF2-SPEC-2.0.
bool distinguishes(const Property& property) {
  return property.name != "user-attributes" && (property.rule != R::kUuid || property.in != kRc3);
}

const Property* find_property(Properties properties, std::string_view name) {
  const auto found = std::ranges::find(properties, name, &Property::name);
  return found == properties.end() ? nullptr : &*found;
}

// Finds the first distinguishing word. Recursion ends with the nesting of the text.
class DialectSearch {
 public:
  static std::optional<Dialect> in_object(JsonRef object, Properties properties) {
    for (const JsonRef value : JsonChildren(object)) {
      const Property* property = find_property(properties, value.key());
      if (property == nullptr) continue;
      if (const auto dialect = only_dialect(property->in)) {
        if (distinguishes(*property)) return dialect;
        continue;
      }
      if (const auto dialect = in_property(value, *property)) return dialect;
    }
    return {};
  }

 private:
  static std::optional<Dialect> in_property(JsonRef value, const Property& property) {
    if (property.type == kFieldClass && value.is(JsonKind::kObject)) return in_class(value);
    if (property.type == kLocation && value.is(JsonKind::kArray)) return Dialect::kRc3;
    if (property.type == kLocation && value.is(JsonKind::kObject)) return Dialect::kFinal;
    if (!value.is(JsonKind::kArray)) return {};
    for (const JsonRef element : JsonChildren(value)) {
      if (const auto dialect = in_element(element, property)) return dialect;
    }
    return {};
  }

  static std::optional<Dialect> in_element(JsonRef element, const Property& property) {
    if (property.name == "roles" && element.is(JsonKind::kString)) return of_role(element.string());
    if (!element.is(JsonKind::kObject)) return {};
    if (property.name == "member-classes") return in_object(element, kMember);
    if (property.name == "options") return in_object(element, kOption);
    return {};
  }

  static std::optional<Dialect> in_class(JsonRef value) {
    const JsonRef type = find_child(value, "type");
    if (!type || !type.is(JsonKind::kString)) return {};
    const ClassInfo* info = find_info(class_infos(), type.string());
    if (info == nullptr) return {};
    if (const auto dialect = only_dialect(info->in)) return dialect;
    return in_object(value, info->properties);
  }

  static std::optional<Dialect> of_role(std::string_view word) {
    for (const RoleInfo& info : role_table()) {
      if (info.rc3 == info.final) continue;
      if (info.rc3 == word) return Dialect::kRc3;
      if (info.final == word) return Dialect::kFinal;
    }
    return {};
  }
};

}  // namespace

std::span<const ClassInfo> class_infos() { return kClasses; }
std::span<const FragmentInfo> fragment_infos() { return kFragments; }
Properties member_properties() { return kMember; }
Properties option_properties() { return kOption; }
Properties location_properties() { return kLocationObject; }
Properties clock_offset_properties() { return kClockOffsetObject; }
Properties clock_origin_properties() { return kClockOriginObject; }

JsonRef FoundProperties::operator[](std::string_view name) const {
  const Property* property = find_property(properties_, name);
  return property == nullptr ? JsonRef()
                             : values_[static_cast<std::size_t>(property - properties_.data())];
}

void report_other_document(JsonRef word, Dialect dialect, JsonFindings& findings) {
  findings.report(R::kOtherDocument, word,
                  fmt::format("found a word of {}, expected words of {}; it is read all the same",
                              document_name(other_document(dialect)), document_name(dialect)));
}

// Finds the properties of one object.
class PropertySearch {
 public:
  PropertySearch(JsonRef object, Properties properties, Dialect dialect, JsonFindings& findings)
      : object_(object),
        properties_(properties),
        dialect_(dialect),
        findings_(findings),
        found_(properties) {}

  FoundProperties find(MetadataRule unknown) {
    bool has_others = false;
    for (const JsonRef value : JsonChildren(object_)) {
      const Property* const property = find_property(properties_, value.key());
      if (property == nullptr) {
        if (value.key() != "type")
          findings_.report(unknown, value, "found a property that the document does not name");
      } else if (is_in(property->in, dialect_)) {
        take(value, *property);
      } else {
        has_others = true;
      }
    }
    if (has_others) take_others();
    report_missing();
    return found_;
  }

 private:
  [[nodiscard]] std::size_t index_of(const Property& property) const {
    return static_cast<std::size_t>(&property - properties_.data());
  }
  [[nodiscard]] const Property* twin_of(const Property& property) const {
    return property.twin.empty() ? nullptr : find_property(properties_, property.twin);
  }

  // Of repeated ones the first counts.
  void take(JsonRef value, const Property& property) {
    const std::size_t index = index_of(property);
    if (std::exchange(seen_[index], true)) return;
    if (has_type(value, property.type, dialect_)) {
      found_.values_[index] = value;
    } else if (is_of_other_document(value, property.type)) {
      report_other_document(value, dialect_, findings_);
      found_.values_[index] = value;
    } else {
      has_wrong_type(value, property, dialect_);
    }
  }

  void take_others() {
    for (const JsonRef value : JsonChildren(object_)) {
      const Property* const property = find_property(properties_, value.key());
      if (property != nullptr && !is_in(property->in, dialect_)) take_other(value, *property);
    }
  }

  void take_other(JsonRef value, const Property& property) {
    if (std::exchange(seen_[index_of(property)], true)) return;
    const Property* const twin = twin_of(property);
    const bool is_said = twin != nullptr && seen_[index_of(*twin)];
    if (is_said && only_dialect(twin->in)) {
      found_.sound_ = false;
      findings_.report(R::kDialect, value,
                       fmt::format("found a word of {} beside `{}`, which says the same",
                                   document_name(other_document(dialect_)), twin->name));
      return;
    }
    if (!has_type(value, property.type, other_document(dialect_)))
      return has_wrong_type(value, property, other_document(dialect_));
    report_other_document(value, dialect_, findings_);
    const std::size_t index = index_of(twin == nullptr || is_said ? property : *twin);
    seen_[index] = true;
    found_.values_[index] = value;
  }

  // Whether a value is written as only the other document writes it: a field location, an alias.
  [[nodiscard]] bool is_of_other_document(JsonRef value, PropertyType type) const {
    return (type == kLocation || type == kFieldClass) &&
           has_type(value, type, other_document(dialect_));
  }

  void has_wrong_type(JsonRef value, const Property& property, Dialect dialect) {
    found_.sound_ = false;
    findings_.expect(type_rule(property), value, type_words(property.type, dialect));
  }

  void report_missing() {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
      const Property& property = properties_[i];
      if (seen_[i] || !is_in(property.required, dialect_)) continue;
      const Property* const twin = twin_of(property);
      if (twin != nullptr && found_.values_[index_of(*twin)]) {
        const JsonRef value = found_.values_[i] = found_.values_[index_of(*twin)];
        findings_.report(
            R::kOtherDocument, value,
            fmt::format("found no `{}`; `{}` is read in its place, as in {}", property.name,
                        twin->name, document_name(other_document(dialect_))));
        continue;
      }
      found_.sound_ = false;
      findings_.report(property.rule, object_,
                       fmt::format("found no `{}`, expected {}", property.name,
                                   type_words(property.type, dialect_)));
    }
  }

  JsonRef object_;
  Properties properties_;
  Dialect dialect_;
  JsonFindings& findings_;
  FoundProperties found_;
  std::array<bool, kMostProperties> seen_ = {};
};

FoundProperties find_properties(JsonRef object, Properties properties, Dialect dialect,
                                MetadataRule unknown, JsonFindings& findings) {
  return PropertySearch(object, properties, dialect, findings).find(unknown);
}

std::optional<Dialect> dialect_of(const JsonText& text) {
  const JsonRef root = text.root();
  if (!root.is(JsonKind::kObject)) return {};
  const JsonRef type = find_child(root, "type");
  if (!type || !type.is(JsonKind::kString)) return {};
  const FragmentInfo* info = find_info(fragment_infos(), type.string());
  if (info == nullptr) return {};
  if (const auto dialect = only_dialect(info->in)) return dialect;
  return DialectSearch::in_object(root, info->properties);
}

}  // namespace tracedeck::ctf
