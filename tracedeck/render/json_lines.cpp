#include "tracedeck/render/json_lines.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

// What every line of an event class has in common.
struct JsonLine {
  explicit JsonLine(const EventClass&) {}

  std::optional<JsonEventParts<JsonStyle>> parts = {};  // made with the first event
  NarrowClock clock = {};
  Literal head = {};  // `,"name":"a","id":3`
};

class JsonLinesWriter final : public Writer {
 public:
  JsonLinesWriter(io::Output& output, const JsonLinesOptions& options)
      : out_(&output),
        options_(options),
        tools_(options.large_integers_as_strings),
        tags_(options.trace_names, json_tag) {}

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) {
      event(record.event);
    } else {
      other(record);
    }
    if (out_.failed()) return out_.drain();
    return {};
  }
  Result<void> describe(const TraceDescription& trace) override {
    left_out_.see(trace);
    return {};
  }
  Result<void> flush() override { return out_.drain(); }
  Result<void> finish() override { return out_.drain(); }
  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = json_receipt(tools_.values.style().faults());
    std::ranges::move(left_out_.receipt(), std::back_inserter(receipt));
    return receipt;
  }

 private:
  void other(const Record& record);
  void event(const Event& event);
  void described_event(JsonLine& line, const Event& event);
  JsonLine& line_of(const Event& event);
  // Each begins the line when nothing else did, and returns what the next key is preceded by.
  char tag(const Event& event);
  char times(const NarrowClock& narrow, const Event& event, char separator);
  void append(const Nanoseconds& value);
  char head(const JsonLine& line, char separator);

  TextBuffer out_;
  JsonLinesOptions options_;
  JsonTools<JsonStyle> tools_;
  TraceTags tags_;
  ClassCache<JsonLine> lines_;
  DecimalTimes times_;
  LeftOut left_out_{options_.all_records, options_.receipt};
};

void JsonLinesWriter::other(const Record& record) {
  left_out_.see(record);
  if (!options_.all_records || !is_json_record(record.kind)) return;
  append_record_object(out_, tools_.values, record, tags_ ? tags_.of(record) : std::string_view());
  out_.append('\n');
}

JsonLine& JsonLinesWriter::line_of(const Event& event) {
  const EventClass& event_class = *event.event_class;
  JsonLine& line = lines_[event_class];
  if (line.parts) [[likely]]
    return line;
  left_out_.see(event);
  line.parts.emplace(event_class, tools_);
  if (event_class.clock != nullptr) line.clock = NarrowClock(*event_class.clock);
  TextBuffer text(nullptr, 1024);
  if (event_class.name) {
    text.append(",\"name\":");
    append_json_string(text, *event_class.name);
  }
  if (event_class.id) {
    text.append(",\"id\":");
    append_decimal(text, *event_class.id);
  }
  line.head = Literal(text.view());
  return line;
}

void JsonLinesWriter::described_event(JsonLine& line, const Event& event) {
  out_.append(times(line.clock, event, tag(event)));
  out_.append("\"name\":");
  append_json_string(out_, described_name(event));
  if (event.stream != nullptr) {
    out_.append(",\"stream\":");
    line.parts->stream(out_, event);
  }
  out_.append(",\"fields\":");
  append_described_fields(out_, tools_.values, event);
  out_.append("}\n");
}

void JsonLinesWriter::event(const Event& event) {
  static const Literal kStream("\"stream\":");
  static const Literal kContext("\"context\":");
  static const Literal kFields("\"fields\":");
  JsonLine& line = line_of(event);
  if (event.event_class->self_described && !event.payload().empty()) [[unlikely]]
    return described_event(line, event);
  JsonEventParts<JsonStyle>& parts = *line.parts;
  char separator = head(line, times(line.clock, event, tag(event)));
  const auto key = [&](const Literal& text) {
    out_.append(std::exchange(separator, ','));
    text.append(out_);
  };
  if (event.stream != nullptr) {
    key(kStream);
    parts.stream(out_, event);
  }
  if (parts.has_context(event)) {
    key(kContext);
    parts.context(out_, event);
  }
  if (parts.has_fields()) {
    key(kFields);
    parts.fields(out_, event);
  }
  if (separator == '{') out_.append('{');
  out_.append("}\n");
}

char JsonLinesWriter::tag(const Event& event) {
  if (!tags_) [[likely]]
    return '{';
  const std::string_view tag = tags_.of(*event.event_class);
  if (tag.empty()) return '{';
  out_.append('{');
  out_.append(tag);
  return ',';
}

char JsonLinesWriter::times(const NarrowClock& narrow, const Event& event, char separator) {
  static const Literal kFirst("{\"time\":");
  static const Literal kLater(",\"time\":");
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) return separator;
  (separator == '{' ? kFirst : kLater).append(out_);
  const auto time = narrow.time_of(*clock, event.time);
  if (time && !options_.large_integers_as_strings) {
    times_.append(out_, *time);
  } else {
    append(clock->to_nanoseconds(event.time));
  }
  if (event.event_class->has_duration) {
    out_.append(",\"duration\":");
    append(clock->interval(event.time, event.end_time));
  }
  return ',';
}

void JsonLinesWriter::append(const Nanoseconds& value) {
  if (options_.large_integers_as_strings) return append_json_integer(out_, value);
  append_decimal(out_, value);
}

char JsonLinesWriter::head(const JsonLine& line, char separator) {
  if (line.head.empty()) return separator;
  if (separator == ',') {
    line.head.append(out_);
  } else {
    out_.append(separator);
    out_.append(line.head.view().substr(1));
  }
  return ',';
}

}  // namespace

std::unique_ptr<Writer> json_lines_writer(io::Output& output, const JsonLinesOptions& options) {
  return std::make_unique<JsonLinesWriter>(output, options);
}

}  // namespace tracedeck::render
