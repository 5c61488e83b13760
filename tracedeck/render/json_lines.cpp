#include "tracedeck/render/json_lines.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/number.hpp"

namespace tracedeck::render {
namespace {

// What every event of a class has in common on its line.
class LineTemplate {
 public:
  struct Field {
    const FieldClass* field_class;
    std::uint32_t key = 0;  // where `,"name":` begins among the keys
    std::uint32_t key_length = 0;
    bool bare_number = false;  // an integer is its decimal digits
  };
  // Keys are copied in pieces of this size, so so many bytes past a key may be read and written.
  static constexpr std::size_t kPiece = 16;

  bool has_events = false;

  explicit LineTemplate(const EventClass& event_class) : payload_(event_class.payload) {
    TextBuffer text(nullptr, 1024);
    if (event_class.name) {
      text.append(",\"name\":");
      append_json_string(text, *event_class.name);
    }
    if (event_class.id) {
      text.append(",\"id\":");
      append_decimal(text, *event_class.id);
    }
    head_ = text.view();
    text.clear();
    add_keys(text);
    text.append(kPiece, '\0');
    keys_ = text.view();
  }

  [[nodiscard]] std::string_view head() const { return head_; }  // `,"name":"a","id":3`
  [[nodiscard]] bool has_payload() const { return payload_ != nullptr; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

  // Copies a field's key to room of `key_length + kPiece` and returns its end.
  char* write_key(char* to, const Field& field) const {
    const char* from = keys_.data() + field.key;
    std::memcpy(to, from, kPiece);
    for (std::size_t i = kPiece; i < field.key_length; i += kPiece)
      std::memcpy(to + i, from + i, kPiece);
    return to + field.key_length;
  }

 private:
  void add_keys(TextBuffer& text) {
    const auto* const structure = class_as<StructureClass>(payload_.get());
    if (structure == nullptr) return;
    for (const Member& member : structure->members) {
      const std::size_t begin = text.size();
      if (begin != 0) text.append(',');
      append_json_string(text, member.name);
      text.append(':');
      fields_.push_back({.field_class = member.field_class.get(),
                         .key = static_cast<std::uint32_t>(begin),
                         .key_length = static_cast<std::uint32_t>(text.size() - begin),
                         .bare_number = as_enumeration(member.field_class.get()) == nullptr});
    }
  }

  FieldClassPtr payload_;
  std::string head_;
  std::string keys_;
  std::vector<Field> fields_;
};

class JsonLinesWriter final : public Writer {
 public:
  JsonLinesWriter(io::Output& output, const JsonLinesOptions& options)
      : out_(&output),
        options_(options),
        values_(options.large_integers_as_strings),
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
    Receipt receipt = json_receipt(values_.style());
    std::ranges::move(left_out_.receipt(), std::back_inserter(receipt));
    return receipt;
  }

 private:
  void other(const Record& record);
  void event(const Event& event);
  void described_event(const Event& event);
  // Each begins the line when nothing else did, and returns what the next key is preceded by.
  char tag(const Event& event);
  char times(const Event& event, char separator);
  char head(const LineTemplate& line, char separator);
  void fields(const LineTemplate& line, std::span<const Slot> slots);

  TextBuffer out_;
  JsonLinesOptions options_;
  JsonValues values_;
  TraceTags tags_;
  ClassCache<LineTemplate> lines_;
  LeftOut left_out_{options_.all_records, options_.receipt};
};

void JsonLinesWriter::other(const Record& record) {
  left_out_.see(record);
  if (!options_.all_records || !is_json_record(record.kind)) return;
  append_record_object(out_, values_, record, tags_ ? tags_.of(record) : std::string_view());
  out_.append('\n');
}

void JsonLinesWriter::described_event(const Event& event) {
  out_.append(times(event, tag(event)));
  out_.append("\"name\":");
  append_json_string(out_, described_name(event));
  if (event.stream != nullptr) {
    out_.append(",\"stream\":");
    append_event_stream(out_, values_, event);
  }
  out_.append(",\"fields\":");
  append_described_fields(out_, values_, event);
  out_.append("}\n");
}

void JsonLinesWriter::event(const Event& event) {
  if (event.event_class->self_described && !event.payload().empty()) [[unlikely]] {
    left_out_.see(event);
    return described_event(event);
  }
  LineTemplate& line = lines_[*event.event_class];
  if (!std::exchange(line.has_events, true)) [[unlikely]]
    left_out_.see(event);
  char separator = head(line, times(event, tag(event)));
  const auto key = [&](std::string_view text) {
    out_.append(separator);
    separator = ',';
    out_.append(text);
  };
  if (event.stream != nullptr) {
    key("\"stream\":");
    append_event_stream(out_, values_, event);
  }
  if (has_context(event)) {
    key("\"context\":");
    append_context_object(out_, values_, event);
  }
  if (line.has_payload()) {
    key("\"fields\":{");
    fields(line, event.payload());
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

char JsonLinesWriter::times(const Event& event, char separator) {
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) return separator;
  out_.append(separator == '{' ? std::string_view("{\"time\":") : std::string_view(",\"time\":"));
  if (options_.large_integers_as_strings) [[unlikely]] {
    append_json_integer(out_, clock->to_nanoseconds(event.time));
  } else if (clock->counts_nanoseconds()) {
    append_decimal(out_, event.time);
  } else {
    append_decimal(out_, clock->to_nanoseconds(event.time));
  }
  if (event.event_class->has_duration) {
    const Nanoseconds duration = clock->interval(event.time, event.end_time);
    out_.append(",\"duration\":");
    if (options_.large_integers_as_strings) {
      append_json_integer(out_, duration);
    } else {
      append_decimal(out_, duration);
    }
  }
  return ',';
}

char JsonLinesWriter::head(const LineTemplate& line, char separator) {
  if (line.head().empty()) return separator;
  out_.append(separator);
  out_.append(line.head().substr(1));
  return ',';
}

void JsonLinesWriter::fields(const LineTemplate& line, std::span<const Slot> slots) {
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const LineTemplate::Field& field : line.fields()) {
    if (slot == end) break;
    char* const at =
        line.write_key(out_.reserve(field.key_length + LineTemplate::kPiece + kIntegerSize), field);
    if (slot->kind == SlotKind::kUnsigned && field.bare_number &&
        slot->bits <= kLargestExactInteger) {
      out_.commit(write_decimal(at, slot->bits));
      ++slot;
    } else {
      out_.commit(at);
      slot = values_.append(out_, slot, field.field_class);
    }
  }
  out_.append('}');
}

}  // namespace

std::unique_ptr<Writer> json_lines_writer(io::Output& output, const JsonLinesOptions& options) {
  return std::make_unique<JsonLinesWriter>(output, options);
}

}  // namespace tracedeck::render
