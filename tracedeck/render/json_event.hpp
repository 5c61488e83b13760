// What JSON lines and CSV both write as JSON objects: parts of events, and whole other records.
#pragma once

#include "tracedeck/format/writer.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/text_buffer.hpp"

namespace tracedeck::render {

// A data stream's identity: {"segment":0}.
void append_stream_object(TextBuffer& out, const DataStream& stream);

// What says where an event comes from: the identity of its stream, which must not be null, and the
// common context where that is a part of it.
void append_event_stream(TextBuffer& out, JsonValues& values, const Event& event);

// The fields of an event that describes itself, and its name.
void append_described_fields(TextBuffer& out, JsonValues& values, const Event& event);
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
[[nodiscard]] Receipt json_receipt(const JsonStyle& style);

}  // namespace tracedeck::render
