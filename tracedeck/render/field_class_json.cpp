#include "tracedeck/render/field_class_json.hpp"

#include <utility>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::render {
namespace {

void append_integer(TextBuffer& out, const Integer& value) {
  append_decimal(out, Nanoseconds::from_unsigned(value.magnitude, value.negative));
}

void append_ranges(JsonObject& object, const IntegerRanges& ranges) {
  JsonArray array(object.key("ranges"));
  for (const IntegerRange& range : ranges) {
    JsonArray pair(array.next());
    append_integer(pair.next(), range.lower);
    append_integer(pair.next(), range.upper);
    pair.end();
  }
  array.end();
}

std::string_view root_name(FieldLocation::Root root) {
  switch (root) {
    case FieldLocation::Root::kRelative:
      return "relative";
    case FieldLocation::Root::kPacketHeader:
      return "packet-header";
    case FieldLocation::Root::kPacketContext:
      return "packet-context";
    case FieldLocation::Root::kEventHeader:
      return "event-header";
    case FieldLocation::Root::kCommonContext:
      return "common-context";
    case FieldLocation::Root::kSpecificContext:
      return "specific-context";
    case FieldLocation::Root::kPayload:
      return "payload";
  }
  return "";
}

void append_location(TextBuffer& out, const FieldLocation& location) {
  JsonObject object(out);
  object.string("root", root_name(location.root));
  JsonArray path(object.key("path"));
  for (const std::optional<std::string>& step : location.path) {
    path.next();
    if (step) {
      append_json_string(out, *step);
    } else {
      out.append("null");
    }
  }
  path.end();
  object.end();
}

std::string_view byte_order_name(ByteOrder order) {
  return order == ByteOrder::kBig ? "big" : "little";
}

void append_layout(JsonObject& object, const FixedLayout& layout) {
  object.integer("width", std::uint64_t{layout.width});
  object.string("byte_order", byte_order_name(layout.byte_order));
  object.string("bit_order", (layout.byte_order == ByteOrder::kLittle) != layout.reversed
                                 ? "first-to-last"
                                 : "last-to-first");
}

// What an extent says, in the object of "length".
struct ExtentObject {
  JsonObject& object;

  void operator()(const NullTerminated&) const { object.string("kind", "null-terminated"); }
  void operator()(const StaticLength& extent) const {
    object.string("kind", "static");
    object.integer("length", extent.length);
  }
  void operator()(const LengthPrefixed& extent) const {
    object.string("kind", "prefix");
    object.integer("width", std::uint64_t{extent.width});
    object.string("byte_order", byte_order_name(extent.byte_order));
  }
  void operator()(const LengthField& extent) const {
    object.string("kind", "field");
    append_location(object.key("location"), extent.location);
  }
  void operator()(const RestOfRecord&) const { object.string("kind", "rest"); }
};

void append_extent(JsonObject& object, const Extent& extent) {
  JsonObject length(object.key("length"));
  std::visit(ExtentObject{length}, extent);
  length.end();
}

std::string_view encoding_name(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kUtf8:
      return "utf-8";
    case TextEncoding::kUtf16Le:
      return "utf-16le";
    case TextEncoding::kUtf16Be:
      return "utf-16be";
    case TextEncoding::kUtf32Le:
      return "utf-32le";
    case TextEncoding::kUtf32Be:
      return "utf-32be";
  }
  return "";
}

void append_child(JsonObject& object, std::string_view name, const FieldClassPtr& field_class) {
  if (field_class != nullptr) append_field_class(object.key(name), *field_class);
}

// What each kind of class adds to its object.
struct KindMembers {
  JsonObject& object;

  void operator()(const BooleanClass& boolean) const { append_layout(object, boolean.layout); }
  void operator()(const RealClass& real) const { append_layout(object, real.layout); }
  void operator()(const IntegerClass& integer) const {
    if (const auto* const fixed = std::get_if<FixedLayout>(&integer.layout)) {
      append_layout(object, *fixed);
    } else {
      object.string("encoding", "leb128");
    }
    if (integer.display_base != DisplayBase::kDecimal) {
      object.integer("display_base", std::uint64_t{std::to_underlying(integer.display_base)});
    }
    if (integer.mappings.empty()) return;
    JsonArray mappings(object.key("mappings"));
    for (const Mapping& mapping : integer.mappings) {
      JsonObject each(mappings.next());
      each.string("label", mapping.label);
      append_ranges(each, mapping.ranges);
      each.end();
    }
    mappings.end();
  }
  void operator()(const StringClass& string) const {
    append_extent(object, string.extent);
    if (string.encoding != TextEncoding::kUtf8)
      object.string("encoding", encoding_name(string.encoding));
    if (string.interned) object.boolean("interned", true);
  }
  void operator()(const BlobClass& blob) const {
    append_extent(object, blob.extent);
    object.string("media_type", blob.media_type);
  }
  void operator()(const ArrayClass& array) const {
    append_extent(object, array.extent);
    if (array.interned) object.boolean("interned", true);
    if (array.minimum_alignment != 1)
      object.integer("minimum_alignment", std::uint64_t{array.minimum_alignment});
    append_child(object, "element", array.element);
  }
  void operator()(const StructureClass& structure) const {
    if (structure.minimum_alignment != 1) {
      object.integer("minimum_alignment", std::uint64_t{structure.minimum_alignment});
    }
    JsonArray members(object.key("members"));
    for (const Member& member : structure.members) {
      JsonObject each(members.next());
      each.string("name", member.name);
      append_child(each, "class", member.field_class);
      append_attributes(each, member.attributes);
      each.end();
    }
    members.end();
  }
  void operator()(const MapClass& map) const {
    append_child(object, "key", map.key);
    append_child(object, "value", map.value);
  }
  void operator()(const OptionalClass& optional) const {
    if (optional.presence.selector)
      append_location(object.key("selector"), *optional.presence.selector);
    if (!optional.presence.ranges.empty()) append_ranges(object, optional.presence.ranges);
    append_child(object, "value", optional.value);
  }
  void operator()(const VariantClass& variant) const {
    if (variant.selector) append_location(object.key("selector"), *variant.selector);
    JsonArray options(object.key("options"));
    for (const VariantOption& option : variant.options) {
      JsonObject each(options.next());
      each.string("name", option.name);
      append_ranges(each, option.ranges);
      append_child(each, "class", option.field_class);
      append_attributes(each, option.attributes);
      each.end();
    }
    options.end();
  }
  void operator()(const DynamicClass&) const {}
};

}  // namespace

void append_attribute_list(TextBuffer& out, const Attributes& attributes) {
  JsonArray array(out);
  for (const Attribute& attribute : attributes) {
    JsonObject each(array.next());
    each.string("key", attribute.key);
    if (is_valid_utf8(attribute.value)) {
      each.string("value", attribute.value);
    } else {
      append_json_base64(each.key("base64"), as_bytes(attribute.value));
    }
    if (attribute.is_json) each.boolean("json", true);
    each.end();
  }
  array.end();
}

void append_attributes(JsonObject& object, const Attributes& attributes) {
  if (!attributes.empty()) append_attribute_list(object.key("attributes"), attributes);
}

void append_field_class(TextBuffer& out, const FieldClass& field_class) {
  JsonObject object(out);
  object.string("type", kind_name(field_class));
  std::visit(KindMembers{object}, field_class.kind);
  if (field_class.alignment != 1) object.integer("alignment", std::uint64_t{field_class.alignment});
  if (!field_class.roles.empty()) {
    JsonArray roles(object.key("roles"));
    for (const std::string& role : field_class.roles) append_json_string(roles.next(), role);
    roles.end();
  }
  append_attributes(object, field_class.attributes);
  object.end();
}

}  // namespace tracedeck::render
