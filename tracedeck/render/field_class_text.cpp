#include "tracedeck/render/field_class_text.hpp"

#include <fmt/format.h>

#include "tracedeck/text/number.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

constexpr std::size_t kStep = 2;

std::string ranges_text(const IntegerRanges& ranges) {
  std::string text;
  for (const IntegerRange& range : ranges) {
    if (!text.empty()) text += ", ";
    text += range.lower.to_string();
    if (range.upper != range.lower) text += fmt::format("..{}", range.upper.to_string());
  }
  return text;
}

std::string location_text(const FieldLocation& location) {
  std::string text;
  for (const std::optional<std::string>& step : location.path) {
    if (!text.empty()) text += '.';
    text += step ? visible(*step) : "^";
  }
  return text;
}

std::string layout_text(const FixedLayout& layout) {
  return fmt::format("{} bit{}{}", layout.width, layout.width == 1 ? "" : "s",
                     layout.byte_order == ByteOrder::kBig ? " big-endian" : "");
}

struct ExtentText {
  std::string operator()(const NullTerminated&) const { return "null-terminated"; }
  std::string operator()(const StaticLength& extent) const {
    return fmt::format("length {}", extent.length);
  }
  std::string operator()(const LengthPrefixed& extent) const {
    return fmt::format("length in {} bits before it", extent.width);
  }
  std::string operator()(const LengthField& extent) const {
    return fmt::format("length in {}", location_text(extent.location));
  }
  std::string operator()(const RestOfRecord&) const { return "to the end of its record"; }
};

// What follows the word for a class.
struct Details {
  std::string operator()(const BooleanClass& boolean) const {
    return fmt::format(", {}", layout_text(boolean.layout));
  }
  std::string operator()(const RealClass& real) const {
    return fmt::format(", {}", layout_text(real.layout));
  }
  std::string operator()(const IntegerClass& integer) const {
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    std::string text = fmt::format(", {}", fixed != nullptr ? layout_text(*fixed) : "LEB128");
    std::string_view before = ": ";
    for (const Mapping& mapping : integer.mappings) {
      text += fmt::format("{}{} = {}", before, visible(mapping.label), ranges_text(mapping.ranges));
      before = "; ";
    }
    return text;
  }
  std::string operator()(const StringClass& string) const {
    if (string.interned) return ", interned";
    return fmt::format(", {}", std::visit(ExtentText{}, string.extent));
  }
  std::string operator()(const BlobClass& blob) const {
    return fmt::format(", {}", std::visit(ExtentText{}, blob.extent));
  }
  std::string operator()(const ArrayClass& array) const {
    return fmt::format(" of {}; {}",
                       array.element == nullptr ? "nothing" : field_class_text(*array.element),
                       array.interned ? "interned" : std::visit(ExtentText{}, array.extent));
  }
  std::string operator()(const StructureClass&) const { return ""; }
  std::string operator()(const MapClass& map) const {
    return fmt::format(" of {} to {}", map.key == nullptr ? "nothing" : kind_name(*map.key),
                       map.value == nullptr ? "nothing" : kind_name(*map.value));
  }
  std::string operator()(const OptionalClass& optional) const {
    std::string text;
    if (optional.value != nullptr) text = fmt::format(" {}", field_class_text(*optional.value));
    if (optional.presence.selector)
      text += fmt::format("; present by {}", location_text(*optional.presence.selector));
    return text;
  }
  std::string operator()(const VariantClass& variant) const {
    return variant.selector ? fmt::format(", chosen by {}", location_text(*variant.selector)) : "";
  }
  std::string operator()(const DynamicClass&) const { return ""; }
};

void add_attributes(TextTable& table, const Attributes& attributes, std::size_t indent) {
  for (const Attribute& attribute : attributes) {
    table.add(
        {fmt::format("{:{}}@{}", "", indent, visible(attribute.key)), visible(attribute.value)});
  }
}

void add_named(TextTable& table, std::string_view name, const FieldClassPtr& field_class,
               const Attributes& attributes, std::size_t indent);

// Lines for what is inside a class.
struct Inside {
  TextTable& table;
  std::size_t indent;

  void operator()(const ArrayClass& array) const { look_into(array.element); }
  void operator()(const OptionalClass& optional) const { look_into(optional.value); }
  void operator()(const MapClass& map) const {
    look_into(map.key);
    look_into(map.value);
  }
  void operator()(const StructureClass& structure) const {
    for (const Member& member : structure.members) {
      add_named(table, visible(member.name), member.field_class, member.attributes, indent);
    }
  }
  void operator()(const VariantClass& variant) const {
    for (const VariantOption& option : variant.options) {
      add_named(table, fmt::format("{} [{}]", visible(option.name), ranges_text(option.ranges)),
                option.field_class, option.attributes, indent);
    }
  }
  template <class Scalar>
  void operator()(const Scalar&) const {}

 private:
  void look_into(const FieldClassPtr& field_class) const {
    if (field_class != nullptr) std::visit(*this, field_class->kind);
  }
};

void add_named(TextTable& table, std::string_view name, const FieldClassPtr& field_class,
               const Attributes& attributes, std::size_t indent) {
  if (field_class == nullptr) return;
  table.add({fmt::format("{:{}}{}", "", indent, name), field_class_text(*field_class)});
  add_attributes(table, attributes, indent + kStep);
  add_attributes(table, field_class->attributes, indent + kStep);
  std::visit(Inside{table, indent + kStep}, field_class->kind);
}

}  // namespace

std::string field_class_text(const FieldClass& field_class) {
  return std::string(kind_name(field_class)) + std::visit(Details{}, field_class.kind);
}

void add_members(TextTable& table, const FieldClass& structure, std::size_t indent) {
  std::visit(Inside{table, indent}, structure.kind);
}

}  // namespace tracedeck::render
