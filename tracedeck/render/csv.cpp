#include "tracedeck/render/csv.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/render/csv_cells.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {

Result<void> QuoteDoubler::write(ByteSpan bytes) {
  constexpr std::size_t kPiece = 4096;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(bytes.size(), kPiece));
    char* at = into_->reserve(2 * piece.size());
    // Quotes are so frequent in JSON that looking for them costs more than this.
    for (const std::uint8_t byte : piece) {
      at[0] = static_cast<char>(byte);
      at[1] = '"';
      at += byte == '"' ? 2 : 1;
    }
    into_->commit(at);
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

namespace {

// What every line of an event class has in common.
struct CsvLine {
  explicit CsvLine(const EventClass&) {}

  std::optional<JsonEventParts<CsvStyle>> parts = {};  // made with the first event
  NarrowClock clock = {};
  Literal name_and_id = {};  // `,NAME,ID,`
  bool replaced_name = false;
};

class CsvWriter final : public Writer {
 public:
  CsvWriter(io::Output& output, const CsvOptions& options)
      : out_(&output),
        options_(options),
        tags_(options.trace_names, [](std::string_view name) { return std::string(name); }) {
    if (tags_) out_.append("trace,");
    out_.append("time,duration,name,id,stream,context,fields\n");
  }

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
    Receipt receipt =
        json_receipt(tools_.values.style().faults() + record_values_.style().faults());
    if (replaced_names_ != 0) {
      receipt.push_back({.what = "bytes of names that are no UTF-8",
                         .done = "replaced by U+FFFD",
                         .count = replaced_names_});
    }
    std::ranges::move(left_out_.receipt(), std::back_inserter(receipt));
    return receipt;
  }

 private:
  void other(const Record& record);
  void event(const Event& event);
  CsvLine& line_of(const Event& event);
  // Time and duration, with what is between them. Writes to room of `kTimesRoom`.
  char* times(char* to, const NarrowClock& narrow, const Event& event);
  void name(TextBuffer& out, std::string_view name) {
    if (!append_csv_text(out, name)) ++replaced_names_;
  }
  void tag(std::string_view trace) {
    if (!trace.empty()) name(out_, trace);
    out_.append(',');
  }
  // A value that is the object that `append(buffer)` appends.
  template <class Append>
  void object(Append append) {
    out_.append('"');
    append(out_);
    out_.append('"');
  }

  static constexpr std::size_t kTimesRoom = DecimalTimes::kRoom + 4 * kIntegerSize;

  TextBuffer out_;
  CsvOptions options_;
  JsonTools<CsvStyle> tools_{options_.large_integers_as_strings};
  JsonValues record_values_{options_.large_integers_as_strings};
  TraceTags tags_;
  ClassCache<CsvLine> lines_;
  DecimalTimes times_;
  std::uint64_t replaced_names_ = 0;
  LeftOut left_out_{options_.all_records, options_.receipt};
};

void CsvWriter::other(const Record& record) {
  left_out_.see(record);
  if (!options_.all_records || !is_json_record(record.kind)) return;
  if (tags_) tag(tags_.of(record));
  out_.append(",,,,,,");
  object([&](TextBuffer& out) {
    tools_.values.style().json(
        out, [&](TextBuffer& json) { append_record_object(json, record_values_, record); });
  });
  out_.append('\n');
}

CsvLine& CsvWriter::line_of(const Event& event) {
  const EventClass& event_class = *event.event_class;
  CsvLine& line = lines_[event_class];
  if (line.parts) [[likely]]
    return line;
  left_out_.see(event);
  line.parts.emplace(event_class, tools_);
  if (event_class.clock != nullptr) line.clock = NarrowClock(*event_class.clock);
  TextBuffer text(nullptr, 512);
  text.append(',');
  line.replaced_name = event_class.name && !append_csv_text(text, *event_class.name);
  text.append(',');
  if (event_class.id) append_decimal(text, *event_class.id);
  text.append(',');
  line.name_and_id = Literal(text.view());
  return line;
}

void CsvWriter::event(const Event& event) {
  const EventClass& event_class = *event.event_class;
  CsvLine& line = line_of(event);
  if (tags_) tag(tags_.of(event_class));
  char* const at = out_.reserve(kTimesRoom + line.name_and_id.size() + Literal::kPiece);
  char* const behind = times(at, line.clock, event);
  const bool is_described = event_class.self_described && !event.payload().empty();
  if (is_described) [[unlikely]] {
    out_.commit(behind);
    out_.append(',');
    name(out_, described_name(event));
    out_.append(',');
    if (event_class.id) append_decimal(out_, *event_class.id);
    out_.append(',');
  } else {
    out_.commit(line.name_and_id.write(behind));
    replaced_names_ += line.replaced_name ? 1 : 0;
  }
  JsonEventParts<CsvStyle>& parts = *line.parts;
  if (event.stream != nullptr) object([&](TextBuffer& out) { parts.stream(out, event); });
  out_.append(',');
  if (parts.has_context(event)) object([&](TextBuffer& out) { parts.context(out, event); });
  out_.append(',');
  if (is_described) {
    object([&](TextBuffer& out) { append_described_fields(out, tools_.values, event); });
  } else if (parts.has_fields()) {
    out_.append("\"{");
    parts.fields(out_, event);
    return out_.append("}\"\n");
  }
  out_.append('\n');
}

char* CsvWriter::times(char* to, const NarrowClock& narrow, const Event& event) {
  const ClockClass* const clock = event.event_class->clock;
  if (clock != nullptr) {
    const auto time = narrow.time_of(*clock, event.time);
    to = time ? times_.write(to, *time) : write_decimal(to, clock->to_nanoseconds(event.time));
  }
  *to++ = ',';
  if (clock == nullptr || !event.event_class->has_duration) return to;
  const auto duration = narrow.interval(*clock, event.time, event.end_time);
  return duration ? write_decimal(to, *duration)
                  : write_decimal(to, clock->interval(event.time, event.end_time));
}

}  // namespace

bool append_csv_text(TextBuffer& out, std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of("\",\r\n") == std::string_view::npos;
  if (plain && is_valid_utf8(text)) {
    out.append(text);
    return true;
  }
  if (!plain) out.append('"');
  const ByteSpan bytes = as_bytes(text);
  const std::uint8_t* const end = bytes.data() + bytes.size();
  bool replaced = false;
  for (const std::uint8_t* at = bytes.data(); at != end;) {
    const Utf8Step step = utf8_step(at, end);
    if (*at == '"') out.append('"');
    out.append(step.valid ? as_text({at, step.length}) : kReplacementCharacter);
    replaced = replaced || !step.valid;
    at += step.length;
  }
  if (!plain) out.append('"');
  return !replaced;
}

std::unique_ptr<Writer> csv_writer(io::Output& output, const CsvOptions& options) {
  return std::make_unique<CsvWriter>(output, options);
}

}  // namespace tracedeck::render
