#include "tracedeck/render/json_event.hpp"

#include "tracedeck/render/number.hpp"

namespace tracedeck::render {
namespace {

const FieldClass* packet_context_class(const Event& event) {
  if (event.packet == nullptr || event.packet->stream == nullptr) return nullptr;
  const DataStreamClass* const stream_class = event.packet->stream->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->packet_context.get();
}

const FieldClass* common_context_class(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->common_context.get();
}

}  // namespace

void append_stream_object(TextBuffer& out, const DataStream& stream) {
  char separator = '{';
  for (const StreamKey& key : stream.keys) {
    out.append(separator);
    separator = ',';
    append_json_string(out, key.name);
    out.append(':');
    append_decimal(out, key.value);
  }
  out.append(separator == '{' ? "{}" : "}");
}

bool has_context(const Event& event) {
  return packet_context_class(event) != nullptr || common_context_class(event) != nullptr ||
         event.event_class->specific_context != nullptr;
}

void append_context_object(TextBuffer& out, JsonValues& values, const Event& event) {
  char separator = '{';
  const auto part = [&](std::string_view name, std::span<const Slot> slots,
                        const FieldClass* field_class) {
    if (field_class == nullptr) return;
    out.append(separator);
    separator = ',';
    out.append(name);
    values.append_members(out, slots, field_class);
  };
  if (const FieldClass* const packet = packet_context_class(event)) {
    part("\"packet\":", event.packet->context, packet);
  }
  part("\"common\":", event.common_context(), common_context_class(event));
  part("\"specific\":", event.specific_context(), event.event_class->specific_context.get());
  out.append('}');
}

Receipt json_receipt(const JsonStyle& style) {
  Receipt receipt;
  if (style.replaced_texts() != 0) {
    receipt.push_back({.what = "string that is no UTF-8",
                       .done = "invalid bytes written as U+FFFD",
                       .count = style.replaced_texts()});
  }
  if (style.rounded_reals() != 0) {
    receipt.push_back({.what = "real that no 64-bit real equals",
                       .done = "written as the nearest 64-bit real",
                       .count = style.rounded_reals()});
  }
  return receipt;
}

}  // namespace tracedeck::render
