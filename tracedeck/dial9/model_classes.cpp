#include "tracedeck/dial9/model_classes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tracedeck::dial9 {
namespace {

FieldClassPtr unsigned_class(std::uint32_t width) {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = width}});
}

FieldClassPtr stack_class(bool interned) {
  const FieldClassPtr address =
      make_field_class(IntegerClass{.layout = FixedLayout{.width = 64},
                                    .form = IntegerClass::Form::kAddress,
                                    .display_base = DisplayBase::kHexadecimal});
  return make_field_class(
      ArrayClass{.element = address, .extent = LengthPrefixed{}, .interned = interned});
}

FieldClassPtr make_plain_class(FieldType type) {
  switch (type) {
    case FieldType::kI64:
      return make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
    case FieldType::kF64:
      return make_field_class(RealClass{});
    case FieldType::kBool:
      return make_field_class(BooleanClass{});
    case FieldType::kString:
      return make_field_class(StringClass{.extent = LengthPrefixed{}});
    case FieldType::kBytes:
      return make_field_class(BlobClass{.extent = LengthPrefixed{}});
    case FieldType::kPooledStackFrames:
      return stack_class(true);
    case FieldType::kPooledString:
      return make_field_class(StringClass{.extent = LengthPrefixed{}, .interned = true});
    case FieldType::kStackFrames:
      return stack_class(false);
    case FieldType::kVarint:
      return make_field_class(IntegerClass{.layout = Leb128Layout{}});
    case FieldType::kStringMap: {
      const FieldClassPtr text = make_field_class(StringClass{.extent = LengthPrefixed{}});
      return make_field_class(MapClass{.key = text, .value = text});
    }
    case FieldType::kU8:
      return unsigned_class(8);
    case FieldType::kU16:
      return unsigned_class(16);
    case FieldType::kU32:
      return unsigned_class(32);
    case FieldType::kDynamicList:
      return make_field_class(
          ArrayClass{.element = make_field_class(DynamicClass{}), .extent = LengthPrefixed{}});
    case FieldType::kDynamicMap: {
      const FieldClassPtr any = make_field_class(DynamicClass{});
      return make_field_class(MapClass{.key = any, .value = any});
    }
  }
  return nullptr;
}

struct SharedClasses {
  SharedClasses() {
    for (std::size_t i = 0; i < kFieldTypes.size(); ++i) {
      plain[i] = make_plain_class(kFieldTypes[i].type);
      optional[i] = make_field_class(OptionalClass{.value = plain[i], .presence = {}});
    }
  }
  std::array<FieldClassPtr, kMaxFieldType> plain;
  std::array<FieldClassPtr, kMaxFieldType> optional;
};

// What recorders of dial9 write about a trace, not about something that happened: the timestamp is
// 0, or that of the moment of writing.
constexpr std::array<std::string_view, 3> kAboutTheTrace = {"SymbolTableEntry", "SegmentMetadata",
                                                            "SegmentMetadataEvent"};

bool has_nominal_time(std::string_view name) {
  return std::ranges::find(kAboutTheTrace, name) != kAboutTheTrace.end();
}

}  // namespace

FieldClassPtr field_class(FieldType type, bool optional) {
  static const SharedClasses kClasses;
  const std::size_t index = static_cast<std::size_t>(type) - 1;
  return optional ? kClasses.optional[index] : kClasses.plain[index];
}

namespace {

// What recorders of dial9 write for others to be understood.
constexpr std::array<std::string_view, 4> kDescribing = {"SymbolTableEntry", "SegmentMetadata",
                                                         "SegmentMetadataEvent", kClockSyncEvent};

FieldClassPtr payload_class(const Schema& schema) {
  StructureClass payload;
  payload.members.reserve(schema.fields.size());
  for (const FieldDefinition& field : schema.fields) {
    payload.members.push_back({.name = field.name,
                               .field_class = field_class(field.type, field.optional),
                               .attributes = {}});
  }
  for (const Annotation& annotation : schema.annotations) {
    if (annotation.field_index < payload.members.size()) {
      payload.members[annotation.field_index].attributes.push_back(
          {.key = annotation.key, .value = annotation.value});
    }
  }
  return make_field_class(std::move(payload));
}

}  // namespace

FieldClassPtr EventClasses::payload(const EventType& type) const {
  if (!type.has_annotations()) {
    const auto fields_of = [this](std::size_t i) { return types_[i]->field_bytes(); };
    const std::size_t known = by_fields_.find(type.field_bytes(), fields_of);
    if (known != NameIndex::kNone)
      return static_cast<const EventClass*>(types_[known]->attachment)->payload;
  }
  return payload_class(type.read_schema());
}

const EventClass& EventClasses::add(const EventType& type, const DataStreamClass& stream_class,
                                    TraceDescription& trace) {
  const std::string_view name = type.name();
  const EventClass& added = trace.add_event_class(
      {.id = type.id,
       .name = std::string(name),
       .name_space = {},
       .uid = {},
       .stream_class = &stream_class,
       .clock = type.has_timestamp() ? stream_class.default_clock : nullptr,
       .nominal_time = type.has_timestamp() && has_nominal_time(name),
       .describes_others = std::ranges::find(kDescribing, name) != kDescribing.end(),
       .payload = payload(type)});
  type.attachment = &added;
  if (!type.has_annotations()) {
    types_.push_back(&type);
    const auto fields_of = [this](std::size_t i) { return types_[i]->field_bytes(); };
    if (by_fields_.add(types_.size() - 1, fields_of) + 1 != types_.size()) types_.pop_back();
  }
  return added;
}

}  // namespace tracedeck::dial9
