#include "tracedeck/render/json_lines.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
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
  // Each begins the line when nothing else did, and leaves in `separator` what the next key is
  // preceded by.
  void tag(const Event& event, char& separator);
  void head(const JsonLine& line, const Event& event, char& separator);
  // Writes to room of `kTimesRoom`.
  char* times(char* to, const NarrowClock& narrow, const Event& event, char& separator);

  static constexpr std::size_t kTimesRoom =
      2 * (Literal::kPiece + kJsonIntegerSize) + DecimalTimes::kRoom;

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
  char separator = '{';
  tag(event, separator);
  out_.commit(times(out_.reserve(kTimesRoom), line.clock, event, separator));
  out_.append(separator);
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
  JsonLine& line = line_of(event);
  if (event.event_class->self_described && !event.payload().empty()) [[unlikely]]
    return described_event(line, event);
  JsonEventParts<JsonStyle>& parts = *line.parts;
  char separator = '{';
  tag(event, separator);
  head(line, event, separator);
  const auto key = [&](std::string_view text) {
    char* const at = out_.reserve(1 + text.size());
    *at = std::exchange(separator, ',');
    std::memcpy(at + 1, text.data(), text.size());
    out_.commit(at + 1 + text.size());
  };
  if (event.stream != nullptr) {
    key("\"stream\":");
    parts.stream(out_, event);
  }
  if (parts.has_context(event)) {
    key("\"context\":");
    parts.context(out_, event);
  }
  if (parts.has_fields()) {
    key("\"fields\":{");
    parts.fields(out_, event);
    return out_.append("}}\n");
  }
  if (separator == '{') out_.append('{');
  out_.append("}\n");
}

void JsonLinesWriter::tag(const Event& event, char& separator) {
  if (!tags_) [[likely]]
    return;
  const std::string_view tag = tags_.of(*event.event_class);
  if (tag.empty()) return;
  out_.append('{');
  out_.append(tag);
  separator = ',';
}

void JsonLinesWriter::head(const JsonLine& line, const Event& event, char& separator) {
  char* at = out_.reserve(kTimesRoom + line.head.size() + Literal::kPiece);
  at = times(at, line.clock, event, separator);
  char* const begin = at;
  at = line.head.write(at);
  // It begins with a separator, if there is any.
  if (at != begin) *begin = std::exchange(separator, ',');
  out_.commit(at);
}

char* JsonLinesWriter::times(char* to, const NarrowClock& narrow, const Event& event,
                             char& separator) {
  static constexpr std::string_view kTime = "\"time\":";
  static constexpr std::string_view kDuration = ",\"duration\":";
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) return to;
  *to = std::exchange(separator, ',');
  std::memcpy(to + 1, kTime.data(), kTime.size());
  to += 1 + kTime.size();
  const bool as_strings = options_.large_integers_as_strings;
  const auto exact = [&](const Nanoseconds& value) {
    return as_strings ? write_json_integer(to, value) : write_decimal(to, value);
  };
  const auto time = narrow.time_of(*clock, event.time);
  to = time && !as_strings ? times_.write(to, *time) : exact(clock->to_nanoseconds(event.time));
  if (!event.event_class->has_duration) return to;
  std::memcpy(to, kDuration.data(), kDuration.size());
  to += kDuration.size();
  const auto duration = narrow.interval(*clock, event.time, event.end_time);
  return duration && !as_strings ? write_decimal(to, *duration)
                                 : exact(clock->interval(event.time, event.end_time));
}

}  // namespace

std::unique_ptr<Writer> json_lines_writer(io::Output& output, const JsonLinesOptions& options) {
  return std::make_unique<JsonLinesWriter>(output, options);
}

}  // namespace tracedeck::render
