#include "tracedeck/heph/model_classes.hpp"

#include <array>

namespace tracedeck::heph {
namespace {

FieldClassPtr unsigned_class(std::uint32_t width) {
  return make_field_class(
      IntegerClass{.layout = FixedLayout{.width = width, .byte_order = ByteOrder::kBig}});
}

FieldClassPtr make_scalar_class(ValueType type) {
  const FixedLayout layout{.width = 64, .byte_order = ByteOrder::kBig};
  switch (type) {
    case ValueType::kUnsigned:
      return unsigned_class(64);
    case ValueType::kSigned:
      return make_field_class(IntegerClass{.is_signed = true, .layout = layout});
    case ValueType::kReal:
      return make_field_class(RealClass{.layout = layout});
    case ValueType::kString:
      break;
  }
  return make_field_class(
      StringClass{.extent = LengthPrefixed{.width = 16, .byte_order = ByteOrder::kBig}});
}

// One node each, shared by all classes.
struct ValueClasses {
  std::array<FieldClassPtr, kValueTypes.size() + 1> scalars;
  std::array<FieldClassPtr, kValueTypes.size() + 1> arrays;

  ValueClasses() {
    for (const ValueTypeFacts& facts : kValueTypes) {
      const auto index = static_cast<std::size_t>(facts.type);
      scalars[index] = make_scalar_class(facts.type);
      arrays[index] = make_field_class(
          ArrayClass{.element = scalars[index],
                     .extent = LengthPrefixed{.width = 16, .byte_order = ByteOrder::kBig}});
    }
  }
};

FieldClassPtr described_payload() {
  const FieldClassPtr dynamic = make_field_class(DynamicClass{});
  return make_field_class(StructureClass{
      .members = {{.name = "description", .field_class = make_scalar_class(ValueType::kString)},
                  {.name = "attributes",
                   .field_class = make_field_class(MapClass{.key = dynamic, .value = dynamic})}}});
}

}  // namespace

FieldClassPtr common_context_class() {
  return make_field_class(StructureClass{
      .members = {{.name = std::string(kSubstreamMember), .field_class = unsigned_class(64)},
                  {.name = std::string(kCounterMember), .field_class = unsigned_class(32)}}});
}

FieldClassPtr value_class(std::uint8_t type) {
  static const ValueClasses kClasses;
  const auto index = static_cast<std::size_t>(type & ~kArrayMarker);
  return (type & kArrayMarker) != 0 ? kClasses.arrays[index] : kClasses.scalars[index];
}

FieldClassPtr value_class(SlotKind kind, bool array) {
  ValueType type = ValueType::kUnsigned;
  if (kind == SlotKind::kSigned) type = ValueType::kSigned;
  if (kind == SlotKind::kReal) type = ValueType::kReal;
  if (kind == SlotKind::kString) type = ValueType::kString;
  return value_class(type_byte(type, array));
}

EventClass event_class(const EventType& type, const DataStreamClass& stream_class) {
  EventClass result{
      .stream_class = &stream_class, .clock = stream_class.default_clock, .has_duration = true};
  if (type.is_overflow) {
    result.self_described = true;
    result.payload = described_payload();
    return result;
  }
  result.name = type.description;
  StructureClass payload;
  payload.members.reserve(type.attributes.size());
  for (const AttributeType& attribute : type.attributes) {
    payload.members.push_back({.name = attribute.name, .field_class = value_class(attribute.type)});
  }
  result.payload = make_field_class(std::move(payload));
  return result;
}

}  // namespace tracedeck::heph
