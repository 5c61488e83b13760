#include "tracedeck/render/csv.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/render/csv_cells.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/number.hpp"

namespace tracedeck::render {

Result<void> QuoteDoubler::write(ByteSpan bytes) {
  constexpr std::size_t kPiece = 4096;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(bytes.size(), kPiece));
    char* at = into_.reserve(2 * piece.size());
    // Quotes are so frequent in JSON that looking for them costs more than this.
    for (const std::uint8_t byte : piece) {
      at[0] = static_cast<char>(byte);
      at[1] = '"';
      at += byte == '"' ? 2 : 1;
    }
    into_.commit(at);
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

namespace {

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
    Receipt receipt = json_receipt(values_.style());
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
  void name(std::string_view name);
  void tag(std::string_view trace) {
    if (!trace.empty()) name(trace);
    out_.append(',');
  }

  TextBuffer out_;
  CsvOptions options_;
  CsvJson json_{out_};
  JsonValues values_{options_.large_integers_as_strings};
  TraceTags tags_;
  std::uint64_t replaced_names_ = 0;
  LeftOut left_out_{options_.all_records, options_.receipt};
};

void CsvWriter::other(const Record& record) {
  left_out_.see(record);
  if (!options_.all_records || !is_json_record(record.kind)) return;
  if (tags_) tag(tags_.of(record));
  out_.append(",,,,,,");
  json_([&](TextBuffer& json) { append_record_object(json, values_, record); });
  out_.append('\n');
}

void CsvWriter::event(const Event& event) {
  left_out_.see(event);
  const EventClass& event_class = *event.event_class;
  if (tags_) tag(tags_.of(event_class));
  if (event_class.clock != nullptr) append_decimal(out_, event.began_at());
  out_.append(',');
  if (event_class.clock != nullptr && event_class.has_duration) {
    append_decimal(out_, event_class.clock->interval(event.time, event.end_time));
  }
  out_.append(',');
  if (event_class.self_described && !event.payload().empty()) {
    name(described_name(event));
  } else if (event_class.name) {
    name(*event_class.name);
  }
  out_.append(',');
  if (event_class.id) append_decimal(out_, *event_class.id);
  out_.append(',');
  if (event.stream != nullptr)
    json_([&](TextBuffer& json) { append_event_stream(json, values_, event); });
  out_.append(',');
  if (has_context(event))
    json_([&](TextBuffer& json) { append_context_object(json, values_, event); });
  out_.append(',');
  if (event_class.self_described && !event.payload().empty()) {
    json_([&](TextBuffer& json) { append_described_fields(json, values_, event); });
  } else if (event_class.payload != nullptr) {
    json_([&](TextBuffer& json) {
      values_.append_members(json, event.payload(), event_class.payload.get());
    });
  }
  out_.append('\n');
}

void CsvWriter::name(std::string_view name) {
  if (!append_csv_text(out_, name)) ++replaced_names_;
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
