#include "tracedeck/render/text.hpp"

#include <algorithm>
#include <cstring>
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
#include "tracedeck/render/member_program.hpp"
#include "tracedeck/render/palette.hpp"
#include "tracedeck/render/stream_texts.hpp"
#include "tracedeck/render/text_value.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

constexpr std::size_t kClassLimit = 40;

// What every line of an event class has in common.
struct TextLine {
  explicit TextLine(const EventClass&) {}

  bool is_made = false;
  FieldClassPtr common_class = {};  // which the programs point into, as they do into the others
  FieldClassPtr specific_class = {};
  FieldClassPtr payload_class = {};
  NarrowClock clock = {};
  Literal name = {};
  std::size_t columns = 0;  // of the name
  // Before the values of a context that identifies, and the columns that these take.
  std::vector<std::pair<Literal, std::size_t>> identity = {};
  MemberProgram<TextStyle> common = {};
  MemberProgram<TextStyle> specific = {};
  MemberProgram<TextStyle> payload = {};
};

// What is known of a data stream.
struct TextStream {
  Literal tag = {};  // open
  std::size_t columns = 0;
  KnownContext context = {};  // of the packet whose context was shown last
};

class TextWriter final : public Writer {
 public:
  TextWriter(io::Output& output, const TextOptions& options)
      : out_(&output),
        options_(options),
        palette_(options.color),
        values_(palette_),
        packet_name_(painted(Paint::kFaint, "packet")),
        common_name_(painted(Paint::kFaint, "common")),
        specific_name_(painted(Paint::kFaint, "specific")),
        tag_end_(painted_end("]", Paint::kFaint)),
        faint_begin_(painted_begin(Paint::kFaint)),
        faint_end_(painted_end("", Paint::kFaint)),
        tags_(options.trace_names, [](std::string_view name) { return visible(name); }) {}

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) {
      event(record.event);
    } else {
      left_out_.see(record);
      if (record.kind == RecordKind::kStreamEnd) {
        packet_contexts_.erase(record.stream->entity);
        streams_[*record.stream].context.forget();
      }
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
  TextLine& line_of(const EventClass& event_class);
  void make(TextLine& line, const EventClass& event_class);
  void times(const NarrowClock& narrow, const Event& event);
  void exact_times(const Nanoseconds& time, ClockOrigin origin);
  // Each writes to room of at least half of `kTimesRoom`.
  char* write_time(char* to, std::uint64_t time, ClockOrigin origin);
  void set_second(std::uint64_t time, ClockOrigin origin);
  char* write_delta(char* to, std::uint64_t time);
  void contexts(TextLine& line, const Event& event);
  void packet_context(const Event& event, const FieldClass* field_class);
  void context(const Literal& name, std::span<const Slot> slots, MemberProgram<TextStyle>& program);
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
  void put(const Literal& text) {
    spaces();
    text.append(out_);
  }
  void spaces() {
    if (pending_ > kSpaces) [[unlikely]]
      return out_.append(std::exchange(pending_, 0), ' ');
    char* const at = out_.reserve(kSpaces);
    std::memset(at, ' ', kSpaces);
    out_.commit(at + std::exchange(pending_, 0));
  }
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
  std::size_t put_event_stream(const TextLine& line, const Event& event);

  [[nodiscard]] Literal painted(Paint paint, std::string_view text) const {
    TextBuffer out(nullptr, 512);
    palette_.begin(out, paint);
    out.append(text);
    palette_.end(out, paint);
    return Literal(out.view());
  }
  [[nodiscard]] Literal painted_begin(Paint paint) const {
    TextBuffer out(nullptr, 512);
    palette_.begin(out, paint);
    return Literal(out.view());
  }
  [[nodiscard]] Literal painted_end(std::string_view text, Paint paint) const {
    TextBuffer out(nullptr, 512);
    out.append(text);
    palette_.end(out, paint);
    return Literal(out.view());
  }

  static constexpr std::size_t kFieldLimit = Column::kMost;
  static constexpr std::size_t kSpaces = 64;  // which are written at once
  static constexpr std::size_t kTimesRoom = 512;
  static constexpr std::uint64_t kNoTime = ~std::uint64_t{0};

  TextBuffer out_;
  TextOptions options_;
  Palette palette_;
  CompiledValues<TextStyle> values_;
  Literal packet_name_;
  Literal common_name_;
  Literal specific_name_;
  Literal tag_end_;
  Literal faint_begin_;
  Literal faint_end_;
  TraceTags tags_;
  // What was shown last of the packets of each data stream.
  std::unordered_map<EntityId, std::string, EntityIdHash> packet_contexts_;
  StreamTexts<TextStream> streams_;
  ClassCache<TextLine> lines_;
  TextBuffer scratch_{nullptr, 1024};
  std::size_t pending_ = 0;
  // The time of the event before, if there was one: where 63 bits hold it, and where not.
  std::uint64_t previous_narrow_ = kNoTime;
  std::optional<Nanoseconds> previous_;
  // What stands before and behind the nanoseconds of times, and how many columns all of it takes.
  SecondPrefix second_;
  ClockOrigin second_origin_ = ClockOrigin::kUnknown;
  Literal second_end_;
  std::size_t time_columns_ = 0;
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

TextLine& TextWriter::line_of(const EventClass& event_class) {
  TextLine& line = lines_[event_class];
  if (!line.is_made) [[unlikely]]
    make(line, event_class);
  return line;
}

void TextWriter::make(TextLine& line, const EventClass& event_class) {
  line.is_made = true;
  if (event_class.clock != nullptr) line.clock = NarrowClock(*event_class.clock);
  TextBuffer text(nullptr, 1024);
  line.columns = append_class_name(text, event_class);
  line.name = painted(Paint::kName, text.view());
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class != nullptr) line.common_class = stream_class->common_context;
  line.specific_class = event_class.specific_context;
  line.payload_class = event_class.payload;
  const auto* const common = class_as<StructureClass>(line.common_class.get());
  if (stream_class != nullptr && stream_class->context_identifies && common != nullptr) {
    for (const Member& member : common->members) {
      text.clear();
      text.append(", ");
      const std::size_t columns = append_visible(text, member.name) + 3;
      text.append(' ');
      line.identity.emplace_back(text.view(), columns);
    }
  } else {
    line.common.add_members(line.common_class.get(), values_);
  }
  line.specific.add_members(line.specific_class.get(), values_);
  const auto* const payload = class_as<StructureClass>(line.payload_class.get());
  if (payload == nullptr) return;
  for (const Member& member : payload->members) {
    const std::string behind = visible(behind_number(unit_of(member.attributes)));
    text.clear();
    const std::size_t before = values_.style().columns();
    values_.style().member(text, member.name);
    line.payload.add(text.view(), values_.style().columns() - before, member.field_class.get(),
                     values_, behind);
  }
}

void TextWriter::event(const Event& event) {
  left_out_.see(event);
  const EventClass& event_class = *event.event_class;
  TextLine& line = line_of(event_class);
  times(line.clock, event);
  if (tags_) put_tag(tags_.of(event_class));
  if (event.stream != nullptr) {
    const std::size_t columns = put_event_stream(line, event);
    pending_ = 1 + stream_column_.padding(columns);
  }
  const bool described = event_class.self_described && !event.payload().empty();
  if (described) {
    scratch_.clear();
    const std::size_t columns = append_visible(scratch_, event.payload().front().text());
    put(Paint::kName, scratch_.view());
    pending_ = 2 + class_column_.padding(columns);
  } else {
    put(line.name);
    pending_ = 2 + class_column_.padding(line.columns);
  }
  if (event_class.clock != nullptr && event_class.has_duration) {
    spaces();
    palette_.begin(out_, Paint::kTime);
    out_.append("for ");
    append_seconds(out_, event_class.clock->interval(event.time, event.end_time));
    palette_.end(out_, Paint::kTime);
    pending_ = 2;
  }
  const TraceDescription* const trace = trace_of(event_class);
  values_.style().set_names(trace == nullptr ? nullptr : &trace->value_names());
  values_.style().set_symbols(trace == nullptr ? nullptr : trace->symbols());
  contexts(line, event);
  if (described) {
    described_fields(event.payload()[1]);
  } else {
    line.payload.run_in_columns(out_, event.payload(), values_, pending_);
  }
  out_.append('\n');
  pending_ = 0;
}

void TextWriter::times(const NarrowClock& narrow, const Event& event) {
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) {
    put_right(time_column_, Paint::kTime, "-");
    put_right(delta_column_, Paint::kFaint, "-");
    return;
  }
  const auto time = narrow.time_of(*clock, event.time);
  if (!time || previous_) return exact_times(event.began_at(), clock->origin);
  char* at = write_time(out_.reserve(kTimesRoom), *time, clock->origin);
  out_.commit(write_delta(at, *time));
  pending_ = 1;
  previous_narrow_ = *time;
}

char* TextWriter::write_time(char* to, std::uint64_t time, ClockOrigin origin) {
  if (!second_.holds(time) || origin != second_origin_) [[unlikely]]
    set_second(time, origin);
  std::memset(to, ' ', kSpaces);
  to = second_.write(to + time_column_.padding(time_columns_), time);
  return second_end_.write(to);
}

void TextWriter::set_second(std::uint64_t time, ClockOrigin origin) {
  constexpr std::size_t kDigits = 9;
  scratch_.clear();
  time_columns_ = append_time(scratch_, Nanoseconds::from_unsigned(time), origin);
  const std::string_view text = scratch_.view();
  const std::size_t digits = text.find('.') + 1;
  second_end_ = painted_end(text.substr(digits + kDigits), Paint::kTime);
  const std::string before(text.substr(0, digits));
  scratch_.clear();
  palette_.begin(scratch_, Paint::kTime);
  scratch_.append(before);
  second_.set(time, scratch_.view());
  second_origin_ = origin;
}

char* TextWriter::write_delta(char* to, std::uint64_t time) {
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  const std::uint64_t before = previous_narrow_ == kNoTime ? time : previous_narrow_;
  const bool negative = time < before;
  const std::uint64_t delta = negative ? before - time : time - before;
  const std::uint64_t seconds = delta / kPerSecond;
  std::size_t columns = 12;  // a sign, a digit, the point and nine digits
  for (std::uint64_t rest = seconds; rest >= 10; rest /= 10) ++columns;
  std::memset(to, ' ', kSpaces);
  to = faint_begin_.write(to + 1 + delta_column_.padding(columns));
  *to++ = negative ? '-' : '+';
  to = write_decimal(to, seconds);
  *to++ = '.';
  to = write_nanoseconds(to, static_cast<std::uint32_t>(delta - seconds * kPerSecond));
  return faint_end_.write(to);
}

// Times of any size, and those that follow one which was not narrow.
void TextWriter::exact_times(const Nanoseconds& time, ClockOrigin origin) {
  if (previous_narrow_ != kNoTime) previous_ = Nanoseconds::from_unsigned(previous_narrow_);
  scratch_.clear();
  append_time(scratch_, time, origin);
  put_right(time_column_, Paint::kTime, scratch_.view());
  scratch_.clear();
  append_delta(scratch_, previous_ ? time - *previous_ : Nanoseconds(0));
  put_right(delta_column_, Paint::kFaint, scratch_.view());
  const auto narrow = NarrowClock::narrowed(time);
  previous_narrow_ = narrow.value_or(kNoTime);
  previous_ = narrow ? std::optional<Nanoseconds>() : time;
}

void TextWriter::contexts(TextLine& line, const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (event.packet != nullptr && stream_class != nullptr)
    packet_context(event, stream_class->packet_context.get());
  if (line.common_class != nullptr && !stream_class->context_identifies)
    context(common_name_, event.common_context(), line.common);
  if (line.specific_class != nullptr)
    context(specific_name_, event.specific_context(), line.specific);
}

void TextWriter::packet_context(const Event& event, const FieldClass* field_class) {
  const Packet& packet = *event.packet;
  if (field_class == nullptr || packet.context.empty() || packet.stream == nullptr) return;
  KnownContext& known = streams_[*packet.stream].context;
  if (known.is_of(packet)) [[likely]]
    return;
  known.remember(packet);
  scratch_.clear();
  values_.append_members(scratch_, packet.context, field_class);
  std::string& shown = packet_contexts_[packet.stream->entity];
  if (shown == scratch_.view()) return;
  shown = scratch_.view();
  put(packet_name_);
  out_.append(shown);
  pending_ = 2;
}

void TextWriter::context(const Literal& name, std::span<const Slot> slots,
                         MemberProgram<TextStyle>& program) {
  if (slots.empty()) return;
  put(name);
  out_.append('{');
  program.run(out_, slots, values_);
  out_.append('}');
  pending_ = 2;
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

std::size_t TextWriter::put_event_stream(const TextLine& line, const Event& event) {
  TextStream& known = streams_[*event.stream];
  if (known.tag.empty()) [[unlikely]] {
    TextBuffer text(nullptr, 512);
    palette_.begin(text, Paint::kFaint);
    known.columns = append_open_stream_tag(text, *event.stream);
    known.tag = Literal(text.view());
  }
  put(known.tag);
  std::size_t columns = known.columns;
  const Slot* slot = event.slots;
  const Slot* const end = slot + event.common_count;
  for (const auto& [before, width] : line.identity) {
    if (slot == end) break;
    before.append(out_);
    char* const digits = out_.reserve(kIntegerSize);
    char* const behind = write_decimal(digits, slot->bits);
    out_.commit(behind);
    columns += width + static_cast<std::size_t>(behind - digits);
    slot = slot->next();
  }
  tag_end_.append(out_);
  return columns;
}

}  // namespace

std::unique_ptr<Writer> text_writer(io::Output& output, const TextOptions& options) {
  return std::make_unique<TextWriter>(output, options);
}

}  // namespace tracedeck::render
