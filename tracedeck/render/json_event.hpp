// What JSON lines and CSV both write as JSON objects: parts of events, and whole other records.
#pragma once

#include "tracedeck/format/writer.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/stream_texts.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// A data stream's identity: {"segment":0}.
void append_stream_object(TextBuffer& out, const DataStream& stream);

// The same, open. `follows`: with what stands between it and another member.
void append_open_stream_object(TextBuffer& out, const DataStream& stream, bool follows = false);

// The fields of an event that describes itself, and its name.
template <class Style>
void append_described_fields(TextBuffer& out, StyledValues<Style>& values, const Event& event) {
  const Slot* const map = event.payload().data() + 1;
  const Slot* slot = map + 1;
  out.append('{');
  for (std::uint64_t i = 0; i < map->bits; ++i) {
    if (i != 0) out.append(',');
    values.style().key(out, *slot);
    slot = values.append(out, slot->next(), nullptr);
  }
  out.append('}');
}
[[nodiscard]] inline std::string_view described_name(const Event& event) {
  return event.payload().front().text();
}

// Whether the event has a context of any kind.
[[nodiscard]] bool has_context(const Event& event);

// {"packet":{},"common":{},"specific":{}}, each part there when its class is.
void append_context_object(TextBuffer& out, JsonValues& values, const Event& event);

// Whether records of a kind, other than events, are shown when all records are asked for.
[[nodiscard]] bool is_json_record(RecordKind kind);

// {"loss":{}} and the like, for such a record. `tag`: what stands first, see `json_tag`; or "".
void append_record_object(TextBuffer& out, JsonValues& values, const Record& record,
                          std::string_view tag = {});

// The member that says which trace something is from: `"trace":"NAME"`.
[[nodiscard]] std::string json_tag(std::string_view trace);

// What the receipt calls integers that readers which take numbers for doubles round.
inline constexpr std::string_view kLargeNumbers = "integers beyond 2^53";

// Which values did not go into JSON as they are.
[[nodiscard]] Receipt json_receipt(const JsonStyle::Faults& faults);

// The class of the context that an event's packet has, or null.
[[nodiscard]] const FieldClass* packet_context_class(const Event& event);

// What the parts of events are written with. `Style`: that of JSON, or one that spells its quotes
// otherwise.
template <class Style>
struct JsonTools {
  // Of a data stream.
  struct Known {
    Literal identity = {};  // as `append_open_stream_object` appends it, closed if nothing follows
    KnownContext context = {};
    Literal packet = {};            // of the packet whose context is known
    JsonStyle::Faults faults = {};  // of that text
  };

  explicit JsonTools(bool large_integers_as_strings) : values(large_integers_as_strings) {}

  CompiledValues<Style> values;
  StreamTexts<Known> streams = {};
  // Of the parts of contexts.
  Literal packet_key = key("packet");
  Literal common_key = key("common");
  Literal specific_key = key("specific");

 private:
  Literal key(std::string_view name) {
    TextBuffer text(nullptr, 64);
    values.style().member(text, name);
    return Literal(text.view());
  }
};

// The parts of events of one class that are objects, compiled.
template <class Style>
class JsonEventParts {
 public:
  // `tools` must outlive it.
  JsonEventParts(const EventClass& event_class, JsonTools<Style>& tools)
      : tools_(&tools),
        common_class_(event_class.stream_class == nullptr
                          ? nullptr
                          : event_class.stream_class->common_context),
        specific_class_(event_class.specific_context),
        payload_class_(event_class.payload),
        identifies_(event_class.stream_class != nullptr &&
                    event_class.stream_class->context_identifies) {
    common_.add_members(common_class_.get(), tools.values);
    specific_.add_members(specific_class_.get(), tools.values);
    payload_.add_members(payload_class_.get(), tools.values);
  }

  // What says where an event comes from: the identity of its stream, which must not be null, and
  // the common context where that is a part of it.
  void stream(TextBuffer& out, const Event& event) {
    Literal& identity = tools_->streams[*event.stream].identity;
    if (identity.empty()) [[unlikely]]
      identity = identity_of(*event.stream);
    identity.append(out);
    if (!identifies_) return;
    common_.run(out, event.common_context(), tools_->values);
    out.append('}');
  }

  // {"packet":{},"common":{},"specific":{}}, each part there when its class is.
  [[nodiscard]] bool has_context(const Event& event) const {
    return shows_common() || specific_class_ != nullptr || packet_context_class(event) != nullptr;
  }
  void context(TextBuffer& out, const Event& event) {
    char separator = '{';
    const auto part = [&](const Literal& key) {
      out.append(std::exchange(separator, ','));
      key.append(out);
    };
    if (const FieldClass* const packet = packet_context_class(event)) {
      part(tools_->packet_key);
      packet_context(out, *event.packet, packet);
    }
    const auto members = [&](const Literal& key, MemberProgram<Style>& program,
                             std::span<const Slot> slots) {
      part(key);
      out.append('{');
      program.run(out, slots, tools_->values);
      out.append('}');
    };
    if (shows_common()) members(tools_->common_key, common_, event.common_context());
    if (specific_class_ != nullptr)
      members(tools_->specific_key, specific_, event.specific_context());
    out.append('}');
  }

  [[nodiscard]] bool has_fields() const { return payload_class_ != nullptr; }
  // Without the braces around them.
  void fields(TextBuffer& out, const Event& event) {
    payload_.run(out, event.payload(), tools_->values);
  }

 private:
  [[nodiscard]] bool shows_common() const { return common_class_ != nullptr && !identifies_; }

  Literal identity_of(const DataStream& stream) {
    TextBuffer text(nullptr, 512);
    tools_->values.style().json(
        text, [&](TextBuffer& json) { append_open_stream_object(json, stream, identifies_); });
    if (!identifies_) text.append('}');
    return Literal(text.view());
  }

  void packet_context(TextBuffer& out, const Packet& packet, const FieldClass* field_class) {
    auto& known = tools_->streams[*packet.stream];
    CompiledValues<Style>& values = tools_->values;
    if (known.context.is_of(packet)) [[likely]] {
      values.style().count(known.faults);
      return known.packet.append(out);
    }
    if (!known.context.remember(packet))
      return values.append_members(out, packet.context, field_class);
    const JsonStyle::Faults before = values.style().faults();
    TextBuffer text(nullptr, 1024);
    values.append_members(text, packet.context, field_class);
    known.packet = Literal(text.view());
    known.faults = values.style().faults() - before;
    known.packet.append(out);
  }

  JsonTools<Style>* tools_;
  FieldClassPtr common_class_;  // which the programs point into, as they do into the others
  FieldClassPtr specific_class_;
  FieldClassPtr payload_class_;
  bool identifies_;  // the common context does
  MemberProgram<Style> common_;
  MemberProgram<Style> specific_;
  MemberProgram<Style> payload_;
};

}  // namespace tracedeck::render
