#include "tracedeck/ctf/write/target_scalars.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/tsdl_metadata_writer.hpp"

namespace tracedeck::ctf {
namespace {

std::vector<Mapping> boolean_mappings() {
  return {{.label = std::string(kAbsentOption), .ranges = {{0, 0}}},
          {.label = std::string(kPresentOption), .ranges = {{1, 1}}}};
}

void set_layout(ScalarTarget& target, const FixedLayout& layout) {
  target.node.width = layout.width;
  target.node.byte_order = layout.byte_order;
  target.node.reversed = layout.reversed;
}

void map_boolean(ScalarTarget& target, const BooleanClass& boolean, Dialect dialect) {
  FixedLayout layout = boolean.layout;
  target.node.op = EncodeOp::kInteger;
  if (dialect != Dialect::kFinal) layout.reversed = false;
  if (dialect == Dialect::kCtf1) {
    layout.width = std::min<std::uint32_t>(layout.width, 64);
    target.otherwise = true;
    target.field_class.kind = IntegerClass{
        .layout = layout, .form = IntegerClass::Form::kEnumeration, .mappings = boolean_mappings()};
  } else {
    target.field_class.kind = BooleanClass{.layout = layout};
  }
  set_layout(target, layout);
}

// Numbers beyond 64 bits as bytes, the least significant first.
void map_to_bytes(ScalarTarget& target, std::uint32_t width) {
  target.otherwise = true;
  target.bytes = (width + 7) / 8;
  target.element = byte_class();
  target.is_fixed = false;
}

// CTF 1.8 has no integers beyond 64 bits.
bool is_short(const IntegerRange& range) {
  return range.lower >= -(Int128{1} << 63) && range.upper < Int128{1} << 64;
}

void map_form(ScalarTarget& target, IntegerClass& integer, Dialect dialect) {
  Attributes& attributes = target.field_class.attributes;
  const bool fixed = std::holds_alternative<FixedLayout>(integer.layout);
  if (dialect == Dialect::kCtf1) {
    if (!fixed) leave_out_beyond(integer.mappings);
    const bool known =
        integer.form == IntegerClass::Form::kNumber ||
        (integer.form == IntegerClass::Form::kEnumeration && !integer.mappings.empty());
    if (integer.form == IntegerClass::Form::kAddress)
      integer.display_base = DisplayBase::kHexadecimal;
    if (known) return;
    target.otherwise = integer.form != IntegerClass::Form::kAddress;
    integer.form = IntegerClass::Form::kNumber;
    integer.mappings.clear();
    return;
  }
  const bool rc3 = dialect == Dialect::kRc3;
  if (integer.form == IntegerClass::Form::kAddress) {
    integer.form = IntegerClass::Form::kNumber;
    integer.display_base = DisplayBase::kHexadecimal;
    add_mark(attributes, "form", "\"address\"");
  } else if (integer.form == IntegerClass::Form::kBitMap && rc3) {
    target.otherwise = true;
    integer.form = IntegerClass::Form::kBitArray;
    integer.mappings.clear();
    add_mark(attributes, "form", "\"bit-map\"");
  } else if (integer.form == IntegerClass::Form::kBitArray && !fixed && !rc3) {
    target.otherwise = true;
    integer.form = IntegerClass::Form::kNumber;
    add_mark(attributes, "form", "\"bit-array\"");
  } else if (integer.form == IntegerClass::Form::kEnumeration && integer.mappings.empty() && rc3) {
    target.otherwise = true;
    integer.form = IntegerClass::Form::kNumber;
    add_mark(attributes, "form", "\"enumeration\"");
  } else if (integer.form == IntegerClass::Form::kNumber && rc3 && !fixed &&
             has_mark(attributes, "form", "\"bit-array\"")) {
    integer.form = IntegerClass::Form::kBitArray;
  } else if (integer.form == IntegerClass::Form::kNumber && !rc3 &&
             has_mark(attributes, "form", "\"enumeration\"")) {
    integer.form = IntegerClass::Form::kEnumeration;
  }
}

void map_integer(ScalarTarget& target, IntegerClass integer, Dialect dialect) {
  target.node.op = EncodeOp::kInteger;
  target.node.is_signed = integer.is_signed;
  map_form(target, integer, dialect);
  if (auto* const fixed = std::get_if<FixedLayout>(&integer.layout)) {
    if (dialect != Dialect::kFinal) fixed->reversed = false;
    set_layout(target, *fixed);
    if (fixed->width > 64 && dialect == Dialect::kCtf1) return map_to_bytes(target, fixed->width);
  } else if (dialect == Dialect::kCtf1) {
    target.otherwise = true;
    integer.layout = FixedLayout{.width = 64};
    set_layout(target, FixedLayout{.width = 64});
    target.field_class.alignment = 8;
    target.node.saturates = true;
  } else {
    target.node.op = EncodeOp::kLeb128;
    target.is_fixed = false;
    target.field_class.alignment = 8;
  }
  target.field_class.kind = std::move(integer);
}

void map_real(ScalarTarget& target, RealClass real, Dialect dialect) {
  target.node.op = EncodeOp::kReal;
  if (dialect != Dialect::kFinal) real.layout.reversed = false;
  if (dialect == Dialect::kCtf1 && real.layout.width == 16) {
    target.otherwise = true;
    real.layout.width = 32;
  }
  set_layout(target, real.layout);
  if (dialect == Dialect::kCtf1 && real.layout.width > 64)
    return map_to_bytes(target, real.layout.width);
  target.field_class.kind = real;
}

}  // namespace

void leave_out_beyond(std::vector<Mapping>& mappings) {
  for (Mapping& mapping : mappings) {
    if (std::ranges::all_of(mapping.ranges, is_short)) continue;
    IntegerRanges kept;
    for (const IntegerRange& range : mapping.ranges)
      if (is_short(range)) kept.push_back(range);
    mapping.ranges = std::move(kept);
  }
  std::erase_if(mappings, [](const Mapping& mapping) { return mapping.ranges.empty(); });
}

ScalarTarget scalar_target(const FieldClass& source, Dialect dialect) {
  ScalarTarget target;
  target.field_class.alignment = source.alignment;
  target.field_class.roles = source.roles;
  target.field_class.attributes = source.attributes;
  if (const auto* const boolean = source.as<BooleanClass>()) map_boolean(target, *boolean, dialect);
  if (const auto* const integer = source.as<IntegerClass>()) map_integer(target, *integer, dialect);
  if (const auto* const real = source.as<RealClass>()) map_real(target, *real, dialect);
  return target;
}

void widen_size(ScalarTarget& target) {
  constexpr RoleSet kSizes = role_bit(Role::kTotalSize) | role_bit(Role::kContentSize);
  auto* const integer = std::get_if<IntegerClass>(&target.field_class.kind);
  auto* const fixed = integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
  if ((target.node.roles & kSizes) == 0 || fixed == nullptr || fixed->width >= 64) return;
  fixed->width = target.node.width = 64;
}

FieldClassPtr byte_class() {
  static const FieldClassPtr kByte = [] {
    FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = 8},
                                         .display_base = DisplayBase::kHexadecimal}};
    made.alignment = 8;
    return std::make_shared<const FieldClass>(std::move(made));
  }();
  return kByte;
}

bool is_leb128(const FieldClass& field_class) {
  const auto* const integer = field_class.as<IntegerClass>();
  return integer != nullptr && std::holds_alternative<Leb128Layout>(integer->layout);
}

bool is_wide(const IntegerClass& integer) {
  const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
  return fixed != nullptr && fixed->width > 64;
}

FieldClass whole_class() {
  FieldClass length{.kind = IntegerClass{.layout = FixedLayout{.width = 32}}};
  length.alignment = 8;
  ArrayClass bytes{
      .element = byte_class(),
      .extent = LengthField{{.root = FieldLocation::Root::kRelative, .path = {"length"}}}};
  StructureClass made;
  made.members.push_back({.name = "length",
                          .field_class = std::make_shared<const FieldClass>(std::move(length)),
                          .attributes = {}});
  made.members.push_back(
      {.name = "bytes", .field_class = make_field_class(std::move(bytes)), .attributes = {}});
  return FieldClass{.kind = std::move(made)};
}

FieldClass presence_class(bool ctf1) {
  FieldClass made{.kind = BooleanClass{.layout = {.width = 8}}};
  if (ctf1) {
    made.kind = IntegerClass{.layout = FixedLayout{.width = 8},
                             .form = IntegerClass::Form::kEnumeration,
                             .mappings = boolean_mappings()};
  }
  return made;
}

VariantClass presence_variant(FieldLocation selector, FieldClassPtr value) {
  VariantClass variant{.selector = std::move(selector)};
  variant.options.push_back({.name = std::string(kAbsentOption),
                             .field_class = make_field_class(StructureClass{}),
                             .ranges = {{0, 0}},
                             .attributes = {}});
  variant.options.push_back({.name = std::string(kPresentOption),
                             .field_class = std::move(value),
                             .ranges = {{1, 1}},
                             .attributes = {}});
  return variant;
}

FieldClass tag_class(const std::vector<std::string>& names, std::uint32_t width) {
  IntegerClass tag{.layout = FixedLayout{.width = width}, .form = IntegerClass::Form::kEnumeration};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<Int128>(i);
    tag.mappings.push_back({.label = names[i], .ranges = {{value, value}}});
  }
  return FieldClass{.kind = std::move(tag)};
}

std::vector<std::string> option_names(const VariantClass& variant, bool ctf1) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (std::size_t i = 0; i < variant.options.size(); ++i) {
    std::string name = variant.options[i].name.str();
    const bool serves = !name.empty() && (!ctf1 || is_tsdl_name(name)) && !taken.contains(name);
    if (!serves) name = "option_" + std::to_string(i);
    while (!taken.insert(name).second) name.push_back('_');
    names.push_back(std::move(name));
  }
  return names;
}

bool selects_by_label(const IntegerClass& selector, const VariantClass& variant) {
  if (selector.form != IntegerClass::Form::kEnumeration) return false;
  std::unordered_map<std::string_view, IntegerRanges> labels;
  for (const Mapping& mapping : selector.mappings) {
    labels[mapping.label].append(mapping.ranges);
  }
  std::unordered_set<std::string_view> names;
  return std::ranges::all_of(variant.options, [&](const VariantOption& option) {
    const auto found = labels.find(option.name);
    return is_tsdl_name(option.name) && names.insert(option.name).second && found != labels.end() &&
           found->second == option.ranges && std::ranges::all_of(option.ranges, is_short);
  });
}

}  // namespace tracedeck::ctf
