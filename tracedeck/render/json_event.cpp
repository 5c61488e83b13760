#include "tracedeck/render/json_event.hpp"

#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

const FieldClass* common_context_class(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (stream_class == nullptr || stream_class->context_identifies) return nullptr;
  return stream_class->common_context.get();
}

// Bytes that some bits reach into.
std::uint64_t bytes_of_bits(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

void append_time(JsonObject& object, const JsonValues& values, std::string_view key,
                 Nanoseconds time) {
  TextBuffer& out = object.key(key);
  if (values.style().large_as_strings()) return append_json_integer(out, time);
  append_decimal(out, time);
}

void append_stream_event(JsonObject& object, const DataStream& stream, std::string_view what) {
  JsonObject body(object.key("stream"));
  body.string("event", what);
  append_stream_object(body.key("stream"), stream);
  body.end();
}

void append_packet_event(JsonObject& object, JsonValues& values, const Packet& packet, bool begin) {
  const DataStreamClass* const stream_class =
      packet.stream == nullptr ? nullptr : packet.stream->stream_class;
  const ClockClass* const clock = stream_class == nullptr ? nullptr : stream_class->default_clock;
  const std::optional<std::uint64_t>& time = begin ? packet.begin : packet.end;
  JsonObject body(object.key("packet"));
  body.string("event", begin ? "begin" : "end");
  if (packet.stream != nullptr) append_stream_object(body.key("stream"), *packet.stream);
  if (time && clock != nullptr) append_time(body, values, "time", clock->to_nanoseconds(*time));
  body.integer_if("sequence", packet.sequence);
  body.integer_if("size", packet.total_size);
  if (packet.content_size) body.integer("content", bytes_of_bits(*packet.content_size));
  if (stream_class != nullptr && stream_class->packet_context != nullptr) {
    values.append_members(body.key("context"), packet.context, stream_class->packet_context.get());
  }
  body.end();
}

void append_loss(JsonObject& object, const JsonValues& values, const Loss& loss) {
  JsonObject body(object.key("loss"));
  if (loss.stream != nullptr) append_stream_object(body.key("stream"), *loss.stream);
  const auto count = [&](std::string_view key, const std::optional<std::uint64_t>& number) {
    if (number) body.integer(key, Nanoseconds::from_unsigned(*number, loss.taken_back));
  };
  count("events", loss.events);
  count("packets", loss.packets);
  if (loss.begin) append_time(body, values, "begin", *loss.begin);
  if (loss.end) append_time(body, values, "end", *loss.end);
  body.end();
}

void append_problem(JsonObject& object, const Notice& notice) {
  const Finding& finding = notice.finding;
  JsonObject body(object.key("problem"));
  body.string("file", notice.input);
  body.integer("offset", finding.offset);
  body.integer("length", finding.length);
  body.string("rule", finding.rule == nullptr ? std::string_view{} : finding.rule->id);
  body.string("text", finding.text);
  body.end();
}

}  // namespace

const FieldClass* packet_context_class(const Event& event) {
  if (event.packet == nullptr || event.packet->stream == nullptr) return nullptr;
  const DataStreamClass* const stream_class = event.packet->stream->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->packet_context.get();
}

void append_open_stream_object(TextBuffer& out, const DataStream& stream, bool follows) {
  out.append('{');
  for (const StreamKey& key : stream.keys) {
    if (&key != stream.keys.data()) out.append(',');
    append_json_string(out, key.name);
    out.append(':');
    if (key.digits.empty()) {
      append_decimal(out, key.value);
    } else {
      out.append(key.digits);
    }
  }
  if (follows && !stream.keys.empty()) out.append(',');
}

void append_stream_object(TextBuffer& out, const DataStream& stream) {
  append_open_stream_object(out, stream);
  out.append('}');
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

bool is_json_record(RecordKind kind) {
  switch (kind) {
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
    case RecordKind::kLoss:
    case RecordKind::kProblem:
      return true;
    case RecordKind::kEvent:
    case RecordKind::kDescription:
    case RecordKind::kFinding:
      return false;
  }
  return false;
}

std::string json_tag(std::string_view trace) {
  TextBuffer text(nullptr, 512);
  text.append("\"trace\":");
  append_json_string(text, trace);
  return std::string(text.view());
}

void append_record_object(TextBuffer& out, JsonValues& values, const Record& record,
                          std::string_view tag) {
  JsonObject object(out);
  object.member(tag);
  switch (record.kind) {
    case RecordKind::kStreamBegin:
      append_stream_event(object, *record.stream, "begin");
      break;
    case RecordKind::kStreamEnd:
      append_stream_event(object, *record.stream, "end");
      break;
    case RecordKind::kPacketBegin:
      append_packet_event(object, values, *record.packet, true);
      break;
    case RecordKind::kPacketEnd:
      append_packet_event(object, values, *record.packet, false);
      break;
    case RecordKind::kLoss:
      append_loss(object, values, *record.loss);
      break;
    case RecordKind::kProblem:
      append_problem(object, *record.notice);
      break;
    case RecordKind::kEvent:
    case RecordKind::kDescription:
    case RecordKind::kFinding:
      break;
  }
  object.end();
}

Receipt json_receipt(const JsonStyle::Faults& faults) {
  Receipt receipt;
  if (faults.replaced_texts != 0) {
    receipt.push_back({.what = "bytes of strings that are no UTF-8",
                       .done = "replaced by U+FFFD",
                       .count = faults.replaced_texts});
  }
  if (faults.rounded_reals != 0) {
    receipt.push_back({.what = "reals that no 64-bit real equals",
                       .done = "replaced by the nearest 64-bit real",
                       .count = faults.rounded_reals});
  }
  if (faults.large_numbers != 0) {
    receipt.push_back({.what = std::string(kLargeNumbers),
                       .done = "written as numbers, which jq, JavaScript and pandas round; --int64 "
                               "string writes texts",
                       .count = faults.large_numbers,
                       .lossy = false});
  }
  return receipt;
}

}  // namespace tracedeck::render
