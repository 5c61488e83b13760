#include "tracedeck/dial9/schema_mapping.hpp"

#include <algorithm>

namespace tracedeck::dial9 {
namespace {

// The wire type of a class that is not optional.
struct WireType {
  bool since_0_4;

  std::optional<FieldType> operator()(const BooleanClass&) const { return FieldType::kBool; }
  std::optional<FieldType> operator()(const IntegerClass& integer) const {
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    if (fixed != nullptr && fixed->width > 64) return {};
    if (integer.is_signed) return FieldType::kI64;
    if (fixed == nullptr || fixed->width > 32) return FieldType::kVarint;
    if (fixed->width > 16) return FieldType::kU32;
    return fixed->width > 8 ? FieldType::kU16 : FieldType::kU8;
  }
  std::optional<FieldType> operator()(const RealClass& real) const {
    if (real.layout.width > 64) return {};
    return FieldType::kF64;
  }
  std::optional<FieldType> operator()(const StringClass& string) const {
    return string.interned ? FieldType::kPooledString : FieldType::kString;
  }
  std::optional<FieldType> operator()(const BlobClass&) const { return FieldType::kBytes; }
  std::optional<FieldType> operator()(const ArrayClass& array) const {
    const auto* const integer = array.element->as<IntegerClass>();
    if (integer != nullptr && integer->form == IntegerClass::Form::kAddress) {
      return array.interned && since_0_4 ? FieldType::kPooledStackFrames : FieldType::kStackFrames;
    }
    if (array.element->as<DynamicClass>() != nullptr && since_0_4) return FieldType::kDynamicList;
    return {};
  }
  std::optional<FieldType> operator()(const MapClass& map) const {
    if (map.key->as<StringClass>() != nullptr && map.value->as<StringClass>() != nullptr)
      return FieldType::kStringMap;
    if (map.key->as<DynamicClass>() != nullptr && since_0_4) return FieldType::kDynamicMap;
    return {};
  }
  std::optional<FieldType> operator()(const StructureClass&) const { return {}; }
  std::optional<FieldType> operator()(const OptionalClass&) const { return {}; }
  std::optional<FieldType> operator()(const VariantClass&) const { return {}; }
  std::optional<FieldType> operator()(const DynamicClass&) const { return {}; }
};

const FieldClass& inner_class(const FieldClass& field_class) {
  const auto* const optional = field_class.as<OptionalClass>();
  return optional == nullptr ? field_class : *optional->value;
}

}  // namespace

std::optional<FieldDefinition> field_definition(const Member& member, bool since_0_4) {
  const FieldClass& inner = inner_class(*member.field_class);
  const std::optional<FieldType> type = std::visit(WireType{since_0_4}, inner.kind);
  if (!type || member.name.size() > kMaxNameLength) return {};
  return FieldDefinition{
      .name = member.name.str(), .type = *type, .optional = &inner != member.field_class.get()};
}

SchemaMapping map_schema(const EventClass& event_class, bool since_0_4) {
  SchemaMapping mapping{.schema = {.name = event_class.name.value_or(""),
                                   .has_timestamp = event_class.clock != nullptr}};
  if (event_class.payload == nullptr) return mapping;
  const auto& members = event_class.payload->as<StructureClass>()->members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    const std::optional<FieldDefinition> field = field_definition(member, since_0_4);
    mapping.kept.push_back(field.has_value());
    if (!field) continue;
    const auto index = static_cast<std::uint16_t>(mapping.schema.fields.size());
    mapping.schema.fields.push_back(*field);
    const auto* const array = inner_class(*member.field_class).as<ArrayClass>();
    if (array != nullptr && array->interned && field->type == FieldType::kStackFrames)
      mapping.plain_stacks.push_back(i);
    if (!since_0_4) continue;
    for (const Attribute& attribute : member.attributes) {
      mapping.schema.annotations.push_back(
          {.field_index = index, .key = attribute.key, .value = attribute.value});
    }
  }
  return mapping;
}

}  // namespace tracedeck::dial9
