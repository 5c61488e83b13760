#include "tracedeck/ctf/metadata/json_field_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tracedeck/ctf/metadata/json_location.hpp"
#include "tracedeck/ctf/metadata/json_properties.hpp"
#include "tracedeck/ctf/metadata/json_values.hpp"
#include "tracedeck/ctf/metadata/json_words.hpp"
#include "tracedeck/ctf/metadata/range_set.hpp"
#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/model/class_nesting.hpp"

namespace tracedeck::ctf {
namespace {

using R = MetadataRule;

constexpr std::uint64_t kMostBits = 65'536;
// Scalars that are shared: how many are known at a time, and bytes of the text of one.
constexpr std::size_t kMostScalars = 256;
constexpr std::size_t kLongestScalar = 4096;
constexpr std::uint64_t kMostLength = std::numeric_limits<std::uint64_t>::max();

// The enumerator that a string stands for, else a report.
template <class T, std::size_t Size>
std::optional<T> read_word(JsonRef value, const Word<T> (&words)[Size], MetadataRule rule,
                           JsonFindings& findings) {
  std::string expected;
  for (const Word<T>& word : words) {
    if (word.word == value.string()) return word.value;
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : " or ", word.word);
  }
  findings.expect(rule, value, expected);
  return {};
}

// One field class: its properties, and what has been made of them so far.
class ClassReader {
 public:
  ClassReader(JsonRef value, const ClassInfo& info, JsonScope& scope)
      : scope_(scope),
        findings_(scope.findings),
        value_(value),
        info_(info),
        found_(find_properties(value, info.properties, dialect_with(info.in, scope.dialect),
                               R::kUnknownClassProperty, scope.findings)),
        whole_(found_.sound()) {}

  BuiltClass read() {
    FieldClass field_class{.kind = DynamicClass{}};
    field_class.attributes = read_attributes(find_attributes(found_));
    if (const JsonRef extensions = found_["extensions"]) check_extensions(extensions, scope_);
    if (const JsonRef roles = found_["roles"]) read_roles(roles, field_class.roles);
    if (const JsonRef alignment = found_["alignment"])
      keep(read_alignment(alignment, R::kAlignment, findings_), field_class.alignment);
    if (!read_kind(field_class.kind)) return {};
    if (depth_ >= kClassNesting) {
      findings_.report(R::kLimit, value_,
                       fmt::format("found field classes nested deeper than {}", kClassNesting));
      return {};
    }
    auto made = std::make_shared<const FieldClass>(std::move(field_class));
    scope_.places.emplace(made.get(), value_);
    return {.field_class = std::move(made), .depth = depth_ + 1, .sound = whole_};
  }

 private:
  // Takes a value that was read, or notes that one is amiss.
  template <class From, class To>
  bool keep(std::optional<From> from, To& to) {
    if (from) {
      to = static_cast<To>(std::move(*from));
    } else {
      whole_ = false;
    }
    return from.has_value();
  }

  // False: the class is of no use without what is amiss.
  bool read_kind(FieldClass::Kind& kind) {
    switch (info_.type) {
      case ClassType::kBitArray:
      case ClassType::kBitMap:
      case ClassType::kInteger:
      case ClassType::kEnumeration:
      case ClassType::kLebBitArray:
      case ClassType::kLebInteger:
      case ClassType::kLebEnumeration:
        return read_integer(kind.emplace<IntegerClass>());
      case ClassType::kBoolean:
        return read_layout(kind.emplace<BooleanClass>().layout);
      case ClassType::kReal:
        return read_real(kind.emplace<RealClass>());
      case ClassType::kString:
      case ClassType::kStaticString:
      case ClassType::kDynamicString:
        return read_string(kind.emplace<StringClass>());
      case ClassType::kStaticBlob:
      case ClassType::kDynamicBlob:
        return read_blob(kind.emplace<BlobClass>());
      case ClassType::kStructure:
        return read_structure(kind.emplace<StructureClass>());
      case ClassType::kStaticArray:
      case ClassType::kDynamicArray:
        return read_array(kind.emplace<ArrayClass>());
      case ClassType::kOptional:
        return read_optional(kind.emplace<OptionalClass>());
      case ClassType::kVariant:
        return read_variant(kind.emplace<VariantClass>());
    }
    return false;
  }

  void read_roles(JsonRef roles, RareList<std::string>& words) {
    const bool may_have_roles =
        info_.type == ClassType::kStaticBlob ||
        (!info_.is_signed &&
         (info_.type == ClassType::kInteger || info_.type == ClassType::kLebInteger ||
          info_.type == ClassType::kEnumeration || info_.type == ClassType::kLebEnumeration));
    if (scope_.dialect == Dialect::kFinal && !may_have_roles) {
      findings_.report(R::kRoles, roles, fmt::format("found roles of a \"{}\"", info_.word));
      whole_ = false;
    }
    for (const JsonRef role : JsonChildren(roles)) {
      if (!role.is(JsonKind::kString)) {
        findings_.expect(R::kRoles, role, "the name of a role");
        whole_ = false;
        continue;
      }
      const auto known = find_role(role.string());
      // Words of the other document are kept as those of this one, where it has one.
      const std::string_view word = known ? role_word(*known, scope_.dialect) : "";
      words.emplace_back(word.empty() ? role.string() : word);
      if (!known) {
        findings_.expect(R::kUnknownRole, role, "the name of a role");
      } else if (word != role.string()) {
        report_other_document(role, scope_.dialect, findings_);
      }
    }
  }

  bool read_layout(FixedLayout& layout) {
    const JsonRef length = found_["length"];
    const JsonRef byte_order = found_["byte-order"];
    bool usable = length && byte_order;
    if (length) {
      const auto width = read_natural(length, R::kFixedLength, 1, kMostBits, findings_);
      usable = keep(width, layout.width) && usable;
    }
    if (byte_order) {
      const auto order = read_word(byte_order, kByteOrders, R::kByteOrder, findings_);
      usable = keep(order, layout.byte_order) && usable;
    }
    const bool little = layout.byte_order == ByteOrder::kLittle;
    bool first_is_least = little;
    if (const JsonRef bit_order = found_["bit-order"])
      keep(read_word(bit_order, kBitOrders, R::kBitOrder, findings_), first_is_least);
    layout.reversed = first_is_least != little;
    return usable;
  }

  bool read_integer(IntegerClass& integer) {
    using Form = IntegerClass::Form;
    integer.is_signed = info_.is_signed;
    const bool variable = info_.type == ClassType::kLebBitArray ||
                          info_.type == ClassType::kLebInteger ||
                          info_.type == ClassType::kLebEnumeration;
    bool usable = true;
    if (variable) {
      integer.layout = Leb128Layout{};
    } else {
      FixedLayout layout;
      usable = read_layout(layout);
      integer.layout = layout;
    }
    if (info_.type == ClassType::kBitArray || info_.type == ClassType::kLebBitArray)
      integer.form = Form::kBitArray;
    if (const JsonRef base = found_["preferred-display-base"])
      keep(read_base(base), integer.display_base);
    const bool enumeration =
        info_.type == ClassType::kEnumeration || info_.type == ClassType::kLebEnumeration;
    if (enumeration) integer.form = Form::kEnumeration;
    if (const JsonRef mappings = found_["mappings"]) {
      integer.form = Form::kEnumeration;
      keep(read_mappings(mappings, !enumeration, R::kMappings, findings_), integer.mappings);
      check_mapping_ranges(mappings, integer);
    }
    if (info_.type == ClassType::kBitMap) integer.form = Form::kBitMap;
    if (const JsonRef flags = found_["flags"])
      keep(read_mappings(flags, false, R::kFlags, findings_), integer.mappings);
    return usable;
  }

  // Values that the integer cannot have are labels that no field gets.
  void check_mapping_ranges(JsonRef mappings, const IntegerClass& integer) {
    const auto* const layout = std::get_if<FixedLayout>(&integer.layout);
    if (layout == nullptr || integer.mappings.empty()) return;
    auto mapping = integer.mappings.begin();
    for (const JsonRef at : JsonChildren(mappings)) {
      if (mapping == integer.mappings.end()) return;
      const bool all = std::ranges::all_of(mapping->ranges, [&](const IntegerRange& range) {
        return holds(*layout, integer.is_signed, range);
      });
      if (!all) {
        findings_.report(
            R::kMappingRange, at,
            fmt::format("found values that {} integer of {} bits does not hold",
                        integer.is_signed ? "a signed" : "an unsigned", layout->width));
      }
      ++mapping;
    }
  }

  std::optional<DisplayBase> read_base(JsonRef value) {
    const auto base = json_integer(value);
    for (const auto known : {DisplayBase::kBinary, DisplayBase::kOctal, DisplayBase::kDecimal,
                             DisplayBase::kHexadecimal}) {
      if (base && *base == static_cast<int>(known)) return known;
    }
    findings_.expect(R::kDisplayBase, value, "2, 8, 10 or 16");
    return {};
  }

  bool read_real(RealClass& real) {
    if (!read_layout(real.layout)) return false;
    const std::uint32_t width = real.layout.width;
    if (width == 16 || width == 32 || width == 64 || width == 128) return true;
    if (width > 128 && width % 32 == 0) return true;
    findings_.expect(R::kRealLength, found_["length"],
                     "16, 32, 64, 128 or a greater multiple of 32");
    return false;
  }

  // The extent that `length` or `length-field-location` gives.
  bool read_extent(Extent& extent, MetadataRule length_rule) {
    if (const JsonRef length = found_["length"]) {
      StaticLength fixed;
      const bool usable =
          keep(read_natural(length, length_rule, 0, kMostLength, findings_), fixed.length);
      extent = fixed;
      return usable;
    }
    const JsonRef location = found_["length-field-location"];
    if (!location) return false;
    LengthField field;
    const bool usable = keep(read_location(location, scope_), field.location);
    if (usable)
      scope_.lengths.insert(selector_key(field.location.root, *field.location.path.back()));
    extent = std::move(field);
    return usable;
  }

  bool read_string(StringClass& string) {
    if (const JsonRef encoding = found_["encoding"])
      keep(read_word(encoding, kEncodings, R::kEncoding, findings_), string.encoding);
    string.extent = NullTerminated{};
    return info_.type == ClassType::kString || read_extent(string.extent, R::kStringLength);
  }

  bool read_blob(BlobClass& blob) {
    if (const JsonRef media_type = found_["media-type"]) blob.media_type = media_type.string();
    return read_extent(blob.extent, R::kBlobLength);
  }

  // A field class within this one.
  FieldClassPtr read_part(JsonRef value) {
    if (!value) return nullptr;
    BuiltClass part = read_field_class(value, scope_);
    whole_ = whole_ && part.sound;
    depth_ = std::max(depth_, part.depth);
    return std::move(part.field_class);
  }

  bool read_array(ArrayClass& array) {
    array.element = read_part(found_["element-field-class"]);
    if (const JsonRef alignment = found_["minimum-alignment"]) {
      keep(read_alignment(alignment, R::kArrayAlignment, findings_), array.minimum_alignment);
    }
    return read_extent(array.extent, R::kArrayLength) && array.element != nullptr;
  }

  bool read_structure(StructureClass& structure) {
    if (const JsonRef alignment = found_["minimum-alignment"]) {
      keep(read_alignment(alignment, R::kStructureAlignment, findings_),
           structure.minimum_alignment);
    }
    const JsonRef members = found_["member-classes"];
    if (!members) return true;
    std::vector<JsonRef> names;
    for (const JsonRef member : JsonChildren(members)) read_member(member, structure, names);
    structure.members.shrink_to_fit();
    report_repeated(names, R::kMembers, "a name that no other member has");
    return true;
  }

  void read_member(JsonRef value, StructureClass& structure, std::vector<JsonRef>& names) {
    const auto found = find_part(value, member_properties(), R::kMember);
    if (!found) return;
    Member member;
    member.attributes = read_part_attributes(*found);
    const JsonRef name = (*found)["name"];
    if (name) {
      names.push_back(name);
      member.name = name.string();
    }
    member.field_class = read_part((*found)["field-class"]);
    if (name && member.field_class) structure.members.push_back(std::move(member));
  }

  // The properties of a member or option.
  std::optional<FoundProperties> find_part(JsonRef value, Properties properties,
                                           MetadataRule rule) {
    if (!value.is(JsonKind::kObject)) {
      findings_.expect(rule, value, "an object");
      whole_ = false;
      return {};
    }
    auto found =
        find_properties(value, properties, scope_.dialect, R::kUnknownClassProperty, findings_);
    whole_ = whole_ && found.sound();
    return found;
  }

  Attributes read_part_attributes(const FoundProperties& found) {
    if (const JsonRef extensions = found["extensions"]) check_extensions(extensions, scope_);
    return read_attributes(find_attributes(found));
  }

  void report_repeated(std::vector<JsonRef>& names, MetadataRule rule, std::string_view expected) {
    std::ranges::sort(names, {},
                      [](JsonRef name) { return std::pair(name.string(), name.offset()); });
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (names[i - 1].string() != names[i].string()) continue;
      findings_.expect(rule, names[i], expected);
      whole_ = false;
    }
  }

  bool read_selector(std::optional<FieldLocation>& selector) {
    const JsonRef value = found_["selector-field-location"];
    if (!value) return false;
    selector = read_location(value, scope_);
    if (!selector) return whole_ = false;
    scope_.selectors.insert(selector_key(selector->root, *selector->path.back()));
    return true;
  }

  bool read_optional(OptionalClass& optional) {
    if (const JsonRef ranges = found_["selector-field-ranges"])
      keep(read_ranges(ranges, findings_), optional.presence.ranges);
    optional.value = read_part(found_["field-class"]);
    return read_selector(optional.presence.selector) && optional.value != nullptr;
  }

  bool read_variant(VariantClass& variant) {
    const bool has_selector = read_selector(variant.selector);
    const JsonRef options = found_["options"];
    if (!options) return false;
    if (!options.first_child()) {
      findings_.report(R::kVariant, options, "found no option, expected one or more");
      return whole_ = false;
    }
    std::vector<JsonRef> names;
    std::vector<OptionRanges> ranges;
    const std::size_t count = count_children(options);
    variant.options.reserve(count);
    names.reserve(count);
    ranges.reserve(count);
    for (const JsonRef option : JsonChildren(options)) read_option(option, variant, names, ranges);
    report_repeated(names, R::kVariant, "a name that no other option has");
    report_intersections(ranges);
    return has_selector;
  }

  struct OptionRanges {
    IntegerRanges ranges;
    JsonRef option;
  };
  struct OptionRange {
    IntegerRange range;
    JsonRef option;
  };

  void read_option(JsonRef value, VariantClass& variant, std::vector<JsonRef>& names,
                   std::vector<OptionRanges>& all_ranges) {
    const auto found = find_part(value, option_properties(), R::kVariantOption);
    if (!found) return;
    VariantOption option;
    option.attributes = read_part_attributes(*found);
    if (const JsonRef name = (*found)["name"]) {
      names.push_back(name);
      option.name = name.string();
    }
    if (const JsonRef ranges = (*found)["selector-field-ranges"]) {
      if (keep(read_ranges(ranges, findings_), option.ranges)) {
        all_ranges.push_back({option.ranges, value});
      }
    }
    option.field_class = read_part((*found)["field-class"]);
    if (option.field_class) variant.options.push_back(std::move(option));
  }

  // Reports options whose ranges meet those of another option.
  void report_intersections(const std::vector<OptionRanges>& options) {
    if (are_in_order(options)) return;
    std::vector<OptionRange> ranges;
    for (const OptionRanges& option : options) {
      for (const IntegerRange& range : option.ranges) ranges.push_back({range, option.option});
    }
    std::ranges::sort(ranges, {}, [](const OptionRange& entry) {
      return std::pair(entry.range.lower, entry.option.offset());
    });
    // Of the ranges so far: the one that reaches farthest, and the farthest of another option.
    const OptionRange* far = nullptr;
    const OptionRange* other = nullptr;
    for (const OptionRange& entry : ranges) {
      const bool own = far != nullptr && far->option.offset() == entry.option.offset();
      const OptionRange* rival = own ? other : far;
      if (rival != nullptr && rival->range.upper >= entry.range.lower) {
        findings_.report(
            R::kVariant, entry.option,
            fmt::format("found ranges that intersect those of {}", rival->option.pointer()));
        whole_ = false;
      }
      if (far == nullptr || entry.range.upper > far->range.upper) {
        if (!own) other = far;
        far = &entry;
      } else if (!own && (other == nullptr || entry.range.upper > other->range.upper)) {
        other = &entry;
      }
    }
  }

  JsonScope& scope_;
  JsonFindings& findings_;
  JsonRef value_;
  const ClassInfo& info_;
  FoundProperties found_;
  bool whole_;
  std::uint32_t depth_ = 0;  // of the classes within
};

BuiltClass read_alias(JsonRef name, const JsonScope& scope) {
  const auto found = scope.aliases.find(name.string());
  if (found != scope.aliases.end()) return found->second;
  if (scope.dialect != Dialect::kFinal) {
    scope.findings.expect(R::kFieldClass, name, "an object");
  } else if (scope.aliases_known) {
    scope.findings.expect(R::kAlias, name, "the name of an alias that occurs before");
  }
  return {};
}

BuiltClass read_class(JsonRef value, JsonRef type, const ClassInfo& info, JsonScope& scope) {
  if (!is_in(info.in, scope.dialect)) report_other_document(type, scope.dialect, scope.findings);
  return ClassReader(value, info, scope).read();
}

// Whether nothing but its own text says what it is.
bool is_plain_scalar(const ClassInfo& info) {
  switch (info.type) {
    case ClassType::kBitArray:
    case ClassType::kBoolean:
    case ClassType::kInteger:
    case ClassType::kEnumeration:
    case ClassType::kReal:
    case ClassType::kLebBitArray:
    case ClassType::kLebInteger:
    case ClassType::kLebEnumeration:
    case ClassType::kString:
    case ClassType::kStaticString:
      return true;
    default:
      return false;
  }
}

}  // namespace

BuiltClass read_field_class(JsonRef value, JsonScope& scope) {
  JsonFindings& findings = scope.findings;
  if (value.is(JsonKind::kString)) return read_alias(value, scope);
  if (!value.is(JsonKind::kObject)) {
    findings.expect(R::kFieldClass, value, "an object");
    return {};
  }
  const JsonRef type = find_child(value, "type");
  if (!type) {
    findings.report(R::kFieldClass, value, "found no `type`, which is required");
    return {};
  }
  const ClassInfo* info =
      type.is(JsonKind::kString) ? find_info(class_infos(), type.string()) : nullptr;
  if (info == nullptr) {
    findings.expect(R::kFieldClass, type, "a type of field class");
    return {};
  }
  const std::string_view text =
      scope.shares_scalars && is_plain_scalar(*info) ? value.raw() : std::string_view();
  if (text.empty() || text.size() > kLongestScalar) return read_class(value, type, *info, scope);
  if (const auto known = scope.scalars.find(text); known != scope.scalars.end())
    return {.field_class = known->second, .depth = 1, .sound = true};
  const std::uint64_t reported = findings.reported();
  BuiltClass made = read_class(value, type, *info, scope);
  // What was reported once is reported of each.
  if (made.sound && findings.reported() == reported && made.field_class->roles.empty()) {
    if (scope.scalars.size() == kMostScalars) scope.scalars.clear();
    scope.scalars.emplace(text, made.field_class);
  }
  return made;
}

}  // namespace tracedeck::ctf
