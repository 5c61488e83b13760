#include "tracedeck/export/perfetto_annotations.hpp"

namespace tracedeck::exporting::perfetto {

Annotations::Annotations(Packets& packets, Names& names, Callstacks* callstacks)
    : packets_(packets),
      names_(names),
      callstacks_(callstacks),
      visit_([this](std::string_view name, const query::Value& value) { put_value(name, value); }) {
}

std::size_t Annotations::open(std::string_view name) {
  const std::size_t annotation = packets_.writer().open(event_field::kAnnotations);
  names_.put_annotation(name);
  return annotation;
}

void Annotations::put_value(std::string_view name, const query::Value& value) {
  if (callstacks_ != nullptr && is_stack(name, value)) [[unlikely]] {
    if (callstacks_->put(value)) return;
    ++stacks_as_lists_;
  }
  const Argument argument = reader_.read(value);
  if (argument.kind == Argument::Kind::kNone) return;
  ProtobufWriter& writer = packets_.writer();
  const std::size_t annotation = open(name);
  switch (argument.kind) {
    case Argument::Kind::kNone:
      break;
    case Argument::Kind::kBoolean:
      writer.integer(annotation_field::kBool, argument.boolean ? 1 : 0);
      break;
    case Argument::Kind::kSigned:
      writer.signed_integer(annotation_field::kInt, argument.integer);
      break;
    case Argument::Kind::kUnsigned:
      writer.integer(annotation_field::kUint, argument.natural);
      break;
    case Argument::Kind::kAddress:
      writer.integer(annotation_field::kPointer, argument.natural);
      break;
    case Argument::Kind::kReal:
      writer.real(annotation_field::kDouble, argument.real);
      break;
    case Argument::Kind::kText:
      packets_.text(annotation_field::kString, argument.text);
      break;
  }
  writer.close(annotation);
}

void Annotations::put_flags(std::uint16_t flags) {
  for (const FlagName& each : kFlagNames) {
    if ((flags & each.flag) == 0) continue;
    const std::size_t annotation = open(each.name);
    packets_.writer().integer(annotation_field::kBool, 1);
    packets_.writer().close(annotation);
  }
}

void Annotations::put_integer(std::string_view name, std::int64_t value) {
  const std::size_t annotation = open(name);
  packets_.writer().signed_integer(annotation_field::kInt, value);
  packets_.writer().close(annotation);
}

void Annotations::put_text(std::string_view name, std::string_view text) {
  const std::size_t annotation = open(name);
  packets_.text(annotation_field::kString, text);
  packets_.writer().close(annotation);
}

}  // namespace tracedeck::exporting::perfetto
