#include "tracedeck/tband/model_classes.hpp"

#include <utility>

namespace tracedeck::tband {
namespace {

FieldClassPtr make_queue_kind() {
  IntegerClass kind{.layout = FixedLayout{.width = 8}, .form = IntegerClass::Form::kEnumeration};
  Int128 value = 0;
  for (const std::string_view label : kQueueKinds) {
    kind.mappings.push_back({.label = std::string(label), .ranges = {{value, value}}});
    ++value;
  }
  return make_field_class(std::move(kind));
}

}  // namespace

FieldClassPtr field_class(const EventFacts& event, const FieldFacts& field) {
  static const FieldClassPtr kKind = make_queue_kind();
  static const FieldClassPtr kByte =
      make_field_class(IntegerClass{.layout = FixedLayout{.width = 8}});
  static const FieldClassPtr kUnsigned = make_field_class(IntegerClass{.layout = Leb128Layout{}});
  static const FieldClassPtr kSigned =
      make_field_class(IntegerClass{.is_signed = true, .layout = Leb128Layout{}});
  static const FieldClassPtr kText = make_field_class(StringClass{.extent = RestOfRecord{}});
  switch (field.type) {
    case FieldType::kU8:
      return event.id == kQueueKind ? kKind : kByte;
    case FieldType::kU32:
    case FieldType::kU64:
      return kUnsigned;
    case FieldType::kS64:
      return kSigned;
    case FieldType::kString:
      return kText;
  }
  return nullptr;
}

EventClass event_class(const EventFacts& event, const DataStreamClass& stream_class) {
  StructureClass payload;
  for (const FieldFacts& field : event.used_fields()) {
    payload.members.push_back(
        {.name = std::string(field.name), .field_class = field_class(event, field)});
  }
  return {.id = event.id,
          .name = std::string(event.name),
          .stream_class = &stream_class,
          .clock = event.metadata ? nullptr : stream_class.default_clock,
          .describes_others = event.metadata,
          .payload = make_field_class(std::move(payload))};
}

}  // namespace tracedeck::tband
