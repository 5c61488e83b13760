// The properties of the objects of metadata, as tables: name, JSON type, whether it is required, in
// which of the two documents there is one, and the rule that it must keep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/json_findings.hpp"
#include "tracedeck/text/json_access.hpp"

namespace tracedeck::ctf {

// In which documents there is something.
enum class In : std::uint8_t { kNeither = 0, kRc3 = 1, kFinal = 2, kBoth = 3 };

[[nodiscard]] constexpr bool is_in(In in, Dialect dialect) {
  const auto bit = dialect == Dialect::kFinal ? In::kFinal : In::kRc3;
  return (static_cast<unsigned>(in) & static_cast<unsigned>(bit)) != 0;
}

// The other one of the two.
[[nodiscard]] constexpr Dialect other_document(Dialect dialect) {
  return dialect == Dialect::kFinal ? Dialect::kRc3 : Dialect::kFinal;
}

enum class PropertyType : std::uint8_t {
  kString,
  kInteger,  // a JSON number without fraction and exponent
  kBoolean,
  kArray,
  kObject,
  kFieldClass,  // an object; CTF2-SPEC-2.0: or a string
  kLocation,    // an array; CTF2-SPEC-2.0: an object
  kOrigin,      // a string or an object
  kAttributes,  // an object, and the same words mean it wherever it stands
  kExtensions,
};

struct Property {
  std::string_view name;
  PropertyType type = PropertyType::kString;
  In required = In::kNeither;
  In in = In::kBoth;
  MetadataRule rule = MetadataRule::kFragment;
  // What says the same in the other document, if it is another word.
  std::string_view twin = {};
};

using Properties = std::span<const Property>;
inline constexpr std::size_t kMostProperties = 16;

// What a field class is, by its `type`.
enum class ClassType : std::uint8_t {
  kBitArray,
  kBitMap,
  kBoolean,
  kInteger,
  kEnumeration,
  kReal,
  kLebBitArray,
  kLebInteger,
  kLebEnumeration,
  kString,
  kStaticString,
  kDynamicString,
  kStaticBlob,
  kDynamicBlob,
  kStructure,
  kStaticArray,
  kDynamicArray,
  kOptional,
  kVariant,
};

struct ClassInfo {
  std::string_view word;
  ClassType type;
  bool is_signed = false;
  In in = In::kBoth;
  Properties properties = {};
};
[[nodiscard]] std::span<const ClassInfo> class_infos();

enum class FragmentType : std::uint8_t {
  kPreamble,
  kAlias,
  kTraceClass,
  kClockClass,
  kStreamClass,
  kEventClass,
};

struct FragmentInfo {
  std::string_view word;
  FragmentType type;
  In in = In::kBoth;
  Properties properties = {};
};
[[nodiscard]] std::span<const FragmentInfo> fragment_infos();

[[nodiscard]] Properties member_properties();
[[nodiscard]] Properties option_properties();
[[nodiscard]] Properties location_properties();  // CTF2-SPEC-2.0
[[nodiscard]] Properties clock_offset_properties();
[[nodiscard]] Properties clock_origin_properties();

// The entry of a table that a `type` names, if any.
template <class Info>
[[nodiscard]] const Info* find_info(std::span<const Info> infos, std::string_view word) {
  for (const Info& info : infos) {
    if (info.word == word) return &info;
  }
  return nullptr;
}

// The properties of one object that are usable: of the right type, and said once. Words of the
// other document count, under the name that the dialect has for them, if any.
class FoundProperties {
 public:
  explicit FoundProperties(Properties properties) : properties_(properties) {}

  // No value when there is no usable one. `name` is in the table.
  [[nodiscard]] JsonRef operator[](std::string_view name) const;
  // Whether all that is required is there and nothing is of a wrong type.
  [[nodiscard]] bool sound() const { return sound_; }

 private:
  friend class PropertySearch;

  Properties properties_;
  std::array<JsonRef, kMostProperties> values_ = {};
  bool sound_ = true;
};

// Reports what is missing, of a wrong type, of the other document or, with rule `unknown`, not in
// the table. `type` is known to everyone and not looked at.
[[nodiscard]] FoundProperties find_properties(JsonRef object, Properties properties,
                                              Dialect dialect, MetadataRule unknown,
                                              JsonFindings& findings);

// The attributes of an object, in the words of either document; no value when it has none.
[[nodiscard]] inline JsonRef find_attributes(const FoundProperties& found) {
  const JsonRef attributes = found["attributes"];
  return attributes ? attributes : found["user-attributes"];
}

// `dialect`, or the other document where only that has what is described.
[[nodiscard]] constexpr Dialect dialect_with(In in, Dialect dialect) {
  return is_in(in, dialect) ? dialect : other_document(dialect);
}

// Reports a word of the other document that is read all the same.
void report_other_document(JsonRef word, Dialect dialect, JsonFindings& findings);

// The dialect that the first distinguishing word of a text belongs to, if it has one. What early
// tracers put beside words of CTF2-SPEC-2.0 distinguishes nothing: `user-attributes`, and the UUID
// of a trace class.
[[nodiscard]] std::optional<Dialect> dialect_of(const JsonText& text);

}  // namespace tracedeck::ctf
