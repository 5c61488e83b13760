#include "tracedeck/render/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/units.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/finding.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/number.hpp"
#include "tracedeck/render/palette.hpp"
#include "tracedeck/render/text_value.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/render/visible.hpp"

namespace tracedeck::render {
namespace {

// A column that widens with its content, up to a limit; what is wider stands out.
class Column {
 public:
  explicit Column(std::size_t limit) : limit_(limit) {}

  // How many spaces bring something of `width` to the column's width, which grows first.
  std::size_t padding(std::size_t width) {
    if (width > limit_) return 0;
    width_ = std::max(width_, width);
    return width_ - width;
  }

 private:
  std::size_t limit_;
  std::size_t width_ = 0;
};

constexpr std::size_t kClassLimit = 40;
constexpr std::size_t kFieldLimit = 48;

// What is known of a class: its name as shown, and how wide its fields were so far.
struct ClassLook {
  explicit ClassLook(const EventClass& event_class) : payload(event_class.payload) {
    TextBuffer text(nullptr, 1024);
    columns = append_class_name(text, event_class);
    name = text.view();
    const auto* const structure = class_as<StructureClass>(payload.get());
    fields.resize(structure == nullptr ? 0 : structure->members.size(), Column(kFieldLimit));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string_view unit = unit_of(structure->members[i].attributes);
      if (unit.empty()) continue;
      units.resize(fields.size());
      units[i] = (nanoseconds_of_unit(unit) ? "" : " ") + visible(unit);
    }
  }

  FieldClassPtr payload;
  std::string name;
  std::size_t columns = 0;
  std::vector<Column> fields;
  std::vector<std::string> units;  // what stands behind numbers of the fields; or none has one
};

class TextWriter final : public Writer {
 public:
  TextWriter(io::Output& output, const TextOptions& options)
      : out_(&output),
        options_(options),
        palette_(options.color),
        values_(palette_),
        tags_(options.trace_names, [](std::string_view name) { return visible(name); }) {}

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) {
      event(record.event);
    } else {
      left_out_.see(record);
      if (record.kind == RecordKind::kStreamEnd) packet_contexts_.erase(record.stream->entity);
      if (options_.all_records) other(record);
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
  [[nodiscard]] Receipt receipt() const override { return left_out_.receipt(); }

 private:
  void event(const Event& event);
  void times(const Event& event);
  void contexts(const Event& event);
  void packet_context(const Event& event, const FieldClass* field_class);
  void context(std::string_view name, std::span<const Slot> slots, const FieldClass* field_class);
  void fields(ClassLook& look, std::span<const Slot> slots);
  void described_fields(const Slot& map);

  void other(const Record& record);
  void packet(const Packet& packet, bool begin);
  void loss(const Loss& loss);
  void time_of(const DataStream* stream, Nanoseconds time);

  // Text with spaces before it; so no line ends in spaces.
  void put(Paint paint, std::string_view text) {
    spaces();
    palette_.begin(out_, paint);
    out_.append(text);
    palette_.end(out_, paint);
  }
  void spaces() { out_.append(std::exchange(pending_, 0), ' '); }
  // Like `put`, at the right side of a column.
  void put_right(Column& column, Paint paint, std::string_view text) {
    pending_ += column.padding(text.size());
    put(paint, text);
    pending_ = 1;
  }
  void put_number(std::string_view before, const std::optional<std::uint64_t>& number,
                  std::string_view after = {});
  void put_tag(std::string_view tag) {
    put(Paint::kFaint, tag.empty() ? "-" : tag);
    pending_ = 1 + tag_column_.padding(std::max<std::size_t>(tag.size(), 1));
  }
  // Returns how many columns that took.
  std::size_t put_stream(const DataStream& stream);
  std::size_t put_event_stream(const Event& event);

  TextBuffer out_;
  TextOptions options_;
  Palette palette_;
  TextValues values_;
  TraceTags tags_;
  // What was shown last of the packets of each data stream.
  std::unordered_map<EntityId, std::string, EntityIdHash> packet_contexts_;
  ClassCache<ClassLook> looks_;
  TextBuffer scratch_{nullptr, 1024};
  std::size_t pending_ = 0;
  std::optional<Nanoseconds> previous_;
  LeftOut left_out_{options_.all_records, options_.receipt};
  Column time_column_{kFieldLimit};
  Column delta_column_{kFieldLimit};
  Column tag_column_{kFieldLimit};
  Column stream_column_{kFieldLimit};
  Column class_column_{kClassLimit};
};

const TraceDescription* trace_of(const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  return stream_class == nullptr ? nullptr : stream_class->trace;
}

void TextWriter::event(const Event& event) {
  left_out_.see(event);
  times(event);
  if (tags_) put_tag(tags_.of(*event.event_class));
  if (event.stream != nullptr) {
    const std::size_t columns = put_event_stream(event);
    pending_ = 1 + stream_column_.padding(columns);
  }
  ClassLook& look = looks_[*event.event_class];
  const bool described = event.event_class->self_described && !event.payload().empty();
  if (described) {
    scratch_.clear();
    const std::size_t columns = append_visible(scratch_, event.payload().front().text());
    put(Paint::kName, scratch_.view());
    pending_ = 2 + class_column_.padding(columns);
  } else {
    put(Paint::kName, look.name);
    pending_ = 2 + class_column_.padding(look.columns);
  }
  if (event.has_time() && event.event_class->has_duration) {
    scratch_.clear();
    scratch_.append("for ");
    append_seconds(scratch_, event.event_class->clock->interval(event.time, event.end_time));
    put(Paint::kTime, scratch_.view());
    pending_ = 2;
  }
  const TraceDescription* const trace = trace_of(*event.event_class);
  values_.style().set_names(trace == nullptr ? nullptr : &trace->value_names());
  values_.style().set_symbols(trace == nullptr ? nullptr : trace->symbols());
  contexts(event);
  if (described) {
    described_fields(event.payload()[1]);
  } else {
    fields(look, event.payload());
  }
  out_.append('\n');
  pending_ = 0;
}

void TextWriter::times(const Event& event) {
  if (!event.has_time()) {
    put_right(time_column_, Paint::kTime, "-");
    put_right(delta_column_, Paint::kFaint, "-");
    return;
  }
  const Nanoseconds time = event.began_at();
  scratch_.clear();
  append_time(scratch_, time, event.event_class->clock->origin);
  put_right(time_column_, Paint::kTime, scratch_.view());
  scratch_.clear();
  append_delta(scratch_, previous_ ? time - *previous_ : Nanoseconds(0));
  put_right(delta_column_, Paint::kFaint, scratch_.view());
  previous_ = time;
}

void TextWriter::contexts(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (event.packet != nullptr && stream_class != nullptr)
    packet_context(event, stream_class->packet_context.get());
  if (stream_class != nullptr && !stream_class->context_identifies)
    context("common", event.common_context(), stream_class->common_context.get());
  context("specific", event.specific_context(), event.event_class->specific_context.get());
}

void TextWriter::packet_context(const Event& event, const FieldClass* field_class) {
  if (field_class == nullptr || event.packet->context.empty() || event.packet->stream == nullptr)
    return;
  scratch_.clear();
  values_.append_members(scratch_, event.packet->context, field_class);
  std::string& shown = packet_contexts_[event.packet->stream->entity];
  if (shown == scratch_.view()) return;
  shown = scratch_.view();
  put(Paint::kFaint, "packet");
  out_.append(shown);
  pending_ = 2;
}

void TextWriter::context(std::string_view name, std::span<const Slot> slots,
                         const FieldClass* field_class) {
  if (field_class == nullptr || slots.empty()) return;
  put(Paint::kFaint, name);
  values_.append_members(out_, slots, field_class);
  pending_ = 2;
}

void TextWriter::fields(ClassLook& look, std::span<const Slot> slots) {
  const auto* const structure = class_as<StructureClass>(look.payload.get());
  if (structure == nullptr) return;
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (std::size_t i = 0; i < structure->members.size() && slot != end; ++i) {
    spaces();
    const std::size_t before = values_.style().columns();
    values_.style().member(out_, structure->members[i].name);
    const bool is_absent = slot->kind == SlotKind::kOptional && slot->bits == 0;
    slot = values_.append(out_, slot, structure->members[i].field_class.get());
    if (!look.units.empty() && !is_absent) values_.style().put(out_, Paint::kPlain, look.units[i]);
    pending_ = 2 + look.fields[i].padding(values_.style().columns() - before);
  }
}

void TextWriter::described_fields(const Slot& map) {
  const Slot* slot = &map + 1;
  for (std::uint64_t i = 0; i < map.bits; ++i) {
    spaces();
    values_.style().member(out_, slot->text());
    slot = values_.append(out_, slot->next(), nullptr);
    pending_ = 2;
  }
}

void TextWriter::other(const Record& record) {
  switch (record.kind) {
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      put(Paint::kFaint, "-- ");
      put_stream(*record.stream);
      put(Paint::kFaint, record.kind == RecordKind::kStreamBegin ? " begins" : " ends");
      break;
    case RecordKind::kPacketBegin:
      packet(*record.packet, true);
      break;
    case RecordKind::kPacketEnd:
      packet(*record.packet, false);
      break;
    case RecordKind::kLoss:
      loss(*record.loss);
      break;
    case RecordKind::kProblem:
      put(Paint::kError, "-- ");
      put(Paint::kError, finding_line(*record.notice));
      break;
    case RecordKind::kEvent:
    case RecordKind::kDescription:
    case RecordKind::kFinding:
      return;
  }
  out_.append('\n');
}

void TextWriter::packet(const Packet& packet, bool begin) {
  put(Paint::kFaint, "-- ");
  if (packet.stream != nullptr) {
    put_stream(*packet.stream);
    out_.append(' ');
  }
  put(Paint::kFaint, begin ? "packet begins" : "packet ends");
  const std::optional<std::uint64_t>& time = begin ? packet.begin : packet.end;
  const DataStreamClass* const stream_class =
      packet.stream == nullptr ? nullptr : packet.stream->stream_class;
  if (time && stream_class != nullptr && stream_class->default_clock != nullptr) {
    out_.append(" at ");
    time_of(packet.stream, stream_class->default_clock->to_nanoseconds(*time));
  }
  put_number(", sequence number ", packet.sequence);
  put_number(", ", packet.total_size, " bytes");
  put_number(", content ", packet.content_size, " bits");
  if (stream_class != nullptr && stream_class->packet_context != nullptr &&
      !packet.context.empty()) {
    out_.append(", ");
    values_.append_members(out_, packet.context, stream_class->packet_context.get());
  }
}

void TextWriter::loss(const Loss& loss) {
  put(Paint::kWarning, "-- ");
  if (loss.stream != nullptr) {
    put_stream(*loss.stream);
    out_.append(' ');
  }
  put(Paint::kWarning, loss.taken_back ? "came after all" : "lost");
  put_number(" events: ", loss.events);
  put_number(" packets: ", loss.packets);
  if (!loss.events && !loss.packets) out_.append(" something");
  if (loss.begin) {
    out_.append(" from ");
    time_of(loss.stream, *loss.begin);
  }
  if (loss.end) {
    out_.append(" to ");
    time_of(loss.stream, *loss.end);
  }
}

void TextWriter::time_of(const DataStream* stream, Nanoseconds time) {
  const DataStreamClass* const stream_class = stream == nullptr ? nullptr : stream->stream_class;
  const ClockClass* const clock = stream_class == nullptr ? nullptr : stream_class->default_clock;
  scratch_.clear();
  append_time(scratch_, time, clock == nullptr ? ClockOrigin::kUnknown : clock->origin);
  put(Paint::kTime, scratch_.view());
}

void TextWriter::put_number(std::string_view before, const std::optional<std::uint64_t>& number,
                            std::string_view after) {
  if (!number) return;
  out_.append(before);
  append_decimal(out_, *number);
  out_.append(after);
}

std::size_t TextWriter::put_stream(const DataStream& stream) {
  spaces();
  palette_.begin(out_, Paint::kFaint);
  const std::size_t columns = append_stream_tag(out_, stream);
  palette_.end(out_, Paint::kFaint);
  return columns;
}

std::size_t TextWriter::put_event_stream(const Event& event) {
  spaces();
  palette_.begin(out_, Paint::kFaint);
  const std::size_t columns = append_event_tag(out_, event);
  palette_.end(out_, Paint::kFaint);
  return columns;
}

}  // namespace

std::unique_ptr<Writer> text_writer(io::Output& output, const TextOptions& options) {
  return std::make_unique<TextWriter>(output, options);
}

}  // namespace tracedeck::render
