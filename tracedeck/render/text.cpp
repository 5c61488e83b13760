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
  std::size_t room = 0;  // for what stands before contexts and fields, but for times and streams
  MemberProgram<TextStyle> common = {};
  MemberProgram<TextStyle> specific = {};
  MemberProgram<TextStyle> payload = {};
};

// What is known of a data stream.
struct TextStream {
  Literal tag = {};  // open where values follow
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
        faint_begin_(painted_begin(Paint::kFaint, "")),
        faint_end_(painted_end("", Paint::kFaint)),
        duration_begin_(painted_begin(Paint::kTime, "for ")),
        short_duration_(painted_begin(Paint::kTime, "for 0.")),
        duration_end_(painted_end("", Paint::kTime)),
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
  [[gnu::always_inline]] inline void event(const Event& event);
  void look_up_names(const EventClass& event_class);
  TextLine& line_of(const Event& event);
  void make(TextLine& line, const EventClass& event_class);
  // Each writes to room that `event` makes.
  char* write_times(char* to, std::uint64_t time, ClockOrigin origin);
  char* write_stream(char* to, const TextLine& line, const TextStream& stream, const Event& event);
  char* write_duration(char* to, std::uint64_t duration);
  void other_times(const Event& event);
  void other_duration(const Event& event);
  [[gnu::noinline]] void set_second(std::uint64_t time, ClockOrigin origin);
  [[gnu::noinline]] char* write_long_delta(char* to, std::uint64_t time, std::uint64_t before);
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
    char* const at = out_.reserve(kSpaces + text.size() + Literal::kPiece);
    out_.commit(text.write(write_spaces(at, std::exchange(pending_, 0))));
  }
  void spaces() { out_.commit(write_spaces(out_.reserve(kSpaces), std::exchange(pending_, 0))); }
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
  // What is known of a data stream of events of a class.
  [[nodiscard]] TextStream& stream_of(const TextLine& line, const DataStream& stream);

  [[nodiscard]] Literal painted(Paint paint, std::string_view text) const {
    TextBuffer out(nullptr, 512);
    palette_.begin(out, paint);
    out.append(text);
    palette_.end(out, paint);
    return Literal(out.view());
  }
  [[nodiscard]] Literal painted_begin(Paint paint, std::string_view text) const {
    TextBuffer out(nullptr, 512);
    palette_.begin(out, paint);
    out.append(text);
    return Literal(out.view());
  }
  [[nodiscard]] Literal painted_end(std::string_view text, Paint paint) const {
    TextBuffer out(nullptr, 512);
    out.append(text);
    palette_.end(out, paint);
    return Literal(out.view());
  }

  static constexpr std::size_t kFieldLimit = Column::kMost;
  static constexpr std::size_t kTimesRoom = 512;
  static constexpr std::uint64_t kNoTime = ~std::uint64_t{0};
  static constexpr std::uint64_t kPerSecond = 1'000'000'000;
  static constexpr std::size_t kDeltaColumns = 12;  // a sign, a digit, the point and nine digits

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
  Literal duration_begin_;
  Literal short_duration_;  // of less than a second
  Literal duration_end_;
  TraceTags tags_;
  // What was shown last of the packets of each data stream.
  std::unordered_map<EntityId, std::string, EntityIdHash> packet_contexts_;
  StreamTexts<TextStream> streams_;
  ClassCache<TextLine> lines_;
  TextBuffer scratch_{nullptr, 1024};
  std::size_t pending_ = 0;
  std::uint64_t names_of_ = EntityId::none().trace;  // the trace whose names values have
  // The time of the event before, if there was one: where 63 bits hold it, and where not.
  std::uint64_t previous_narrow_ = kNoTime;
  std::optional<Nanoseconds> previous_;
  // What stands before and behind the nanoseconds of times, and how many columns all of it takes.
  SecondPrefix second_;
  ClockOrigin second_origin_ = ClockOrigin::kUnknown;
  Literal second_end_;
  Literal between_times_;  // the same, and what a delta of less than a second begins with
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

TextLine& TextWriter::line_of(const Event& event) {
  TextLine& line = lines_[*event.event_class];
  if (!line.is_made) [[unlikely]] {
    left_out_.see(event);
    make(line, *event.event_class);
  }
  return line;
}

void TextWriter::make(TextLine& line, const EventClass& event_class) {
  line.is_made = true;
  if (event_class.clock != nullptr) line.clock = NarrowClock(*event_class.clock);
  TextBuffer text(nullptr, 1024);
  line.columns = append_class_name(text, event_class);
  line.name = painted(Paint::kName, text.view());
  line.room = line.name.size() + kSecondsSize + 3 * kSpaces + 8 * Literal::kPiece;
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
      line.room += text.size() + kIntegerSize;
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
  const EventClass& event_class = *event.event_class;
  const ClockClass* const clock = event_class.clock;
  TextLine& line = line_of(event);
  TextStream* const stream = event.stream == nullptr ? nullptr : &stream_of(line, *event.stream);
  const std::size_t room = kTimesRoom + line.room + (stream == nullptr ? 0 : stream->tag.size());
  char* at = out_.reserve(room);
  // What is not written there.
  const auto apart = [&](auto put) {
    out_.commit(at);
    put();
    at = out_.reserve(room);
  };
  const auto time =
      clock == nullptr ? std::optional<std::uint64_t>() : line.clock.time_of(*clock, event.time);
  if (time && !previous_) [[likely]] {
    at = write_times(at, *time, clock->origin);
  } else {
    apart([&] { other_times(event); });
  }
  if (tags_) [[unlikely]]
    apart([&] { put_tag(tags_.of(event_class)); });
  if (stream != nullptr) at = write_stream(at, line, *stream, event);
  const bool described = event_class.self_described && !event.payload().empty();
  if (described) [[unlikely]] {
    apart([&] {
      scratch_.clear();
      const std::size_t columns = append_visible(scratch_, event.payload().front().text());
      put(Paint::kName, scratch_.view());
      pending_ = 2 + class_column_.padding(columns);
    });
  } else {
    at = line.name.write(write_spaces(at, pending_));
    pending_ = 2 + class_column_.padding(line.columns);
  }
  if (clock != nullptr && event_class.has_duration) {
    const auto duration = line.clock.interval(*clock, event.time, event.end_time);
    if (duration) [[likely]] {
      at = write_duration(at, *duration);
    } else {
      apart([&] { other_duration(event); });
    }
  }
  out_.commit(at);
  if (event_class.entity.trace != names_of_) [[unlikely]]
    look_up_names(event_class);
  contexts(line, event);
  if (described) {
    described_fields(event.payload()[1]);
  } else {
    line.payload.run_in_columns(out_, event.payload(), values_, pending_);
  }
  out_.append('\n');
  pending_ = 0;
}

// In the trace of a class.
void TextWriter::look_up_names(const EventClass& event_class) {
  const TraceDescription* const trace = trace_of(event_class);
  values_.style().set_names(trace == nullptr ? nullptr : &trace->value_names());
  values_.style().set_symbols(trace == nullptr ? nullptr : trace->symbols());
  // A class of no description has a trace of its own.
  names_of_ = event_class.entity.trace == 0 ? EntityId::none().trace : event_class.entity.trace;
}

char* TextWriter::write_times(char* to, std::uint64_t time, ClockOrigin origin) {
  if (!second_.holds(time) || origin != second_origin_) [[unlikely]]
    set_second(time, origin);
  to = second_.write(write_spaces(to, time_column_.padding(time_columns_)), time);
  const std::uint64_t before = previous_narrow_ == kNoTime ? time : previous_narrow_;
  const std::uint64_t delta = time - before;
  if (delta < kPerSecond) [[likely]] {
    to = write_nanoseconds(between_times_.write(to), static_cast<std::uint32_t>(delta));
  } else {
    to = write_long_delta(second_end_.write(to), time, before);
  }
  pending_ = 1;
  previous_narrow_ = time;
  return palette_.color() ? faint_end_.write(to) : to;
}

void TextWriter::set_second(std::uint64_t time, ClockOrigin origin) {
  constexpr std::size_t kDigits = 9;
  scratch_.clear();
  time_columns_ = append_time(scratch_, Nanoseconds::from_unsigned(time), origin);
  const std::string text(scratch_.view());
  const std::size_t digits = text.find('.') + 1;
  second_end_ = painted_end(std::string_view(text).substr(digits + kDigits), Paint::kTime);
  second_ = SecondPrefix();
  scratch_.clear();
  palette_.begin(scratch_, Paint::kTime);
  scratch_.append(std::string_view(text).substr(0, digits));
  second_.set(time, scratch_.view());
  second_origin_ = origin;
  scratch_.clear();
  scratch_.append(second_end_.view());
  scratch_.append(1 + delta_column_.padding(kDeltaColumns), ' ');
  palette_.begin(scratch_, Paint::kFaint);
  scratch_.append("+0.");
  between_times_ = Literal(scratch_.view());
}

// One of a second or more, or back.
char* TextWriter::write_long_delta(char* to, std::uint64_t time, std::uint64_t before) {
  const bool negative = time < before;
  const std::uint64_t delta = negative ? before - time : time - before;
  std::size_t columns = kDeltaColumns;
  for (std::uint64_t rest = delta / kPerSecond; rest >= 10; rest /= 10) ++columns;
  to = faint_begin_.write(write_spaces(to, 1 + delta_column_.padding(columns)));
  if (columns != kDeltaColumns) second_ = SecondPrefix();  // the column may be wider now
  *to++ = negative ? '-' : '+';
  return write_seconds(to, delta);
}

// Times of any size, those that follow one which was not narrow, and none.
void TextWriter::other_times(const Event& event) {
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) {
    put_right(time_column_, Paint::kTime, "-");
    put_right(delta_column_, Paint::kFaint, "-");
    return;
  }
  const Nanoseconds time = event.began_at();
  if (previous_narrow_ != kNoTime) previous_ = Nanoseconds::from_unsigned(previous_narrow_);
  scratch_.clear();
  append_time(scratch_, time, clock->origin);
  put_right(time_column_, Paint::kTime, scratch_.view());
  scratch_.clear();
  append_delta(scratch_, previous_ ? time - *previous_ : Nanoseconds(0));
  put_right(delta_column_, Paint::kFaint, scratch_.view());
  second_ = SecondPrefix();
  const auto narrow = NarrowClock::narrowed(time);
  previous_narrow_ = narrow.value_or(kNoTime);
  previous_ = narrow ? std::optional<Nanoseconds>() : time;
}

char* TextWriter::write_duration(char* to, std::uint64_t duration) {
  to = write_spaces(to, pending_);
  pending_ = 2;
  if (duration < kPerSecond) [[likely]] {
    to = write_nanoseconds(short_duration_.write(to), static_cast<std::uint32_t>(duration));
  } else {
    to = write_seconds(duration_begin_.write(to), duration);
  }
  return palette_.color() ? duration_end_.write(to) : to;
}

void TextWriter::other_duration(const Event& event) {
  put(duration_begin_);
  append_seconds(out_, event.event_class->clock->interval(event.time, event.end_time));
  duration_end_.append(out_);
  pending_ = 2;
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

TextStream& TextWriter::stream_of(const TextLine& line, const DataStream& stream) {
  TextStream& known = streams_[stream];
  if (known.tag.empty()) [[unlikely]] {
    TextBuffer text(nullptr, 512);
    palette_.begin(text, Paint::kFaint);
    known.columns = append_open_stream_tag(text, stream);
    if (line.identity.empty()) text.append(tag_end_.view());
    known.tag = Literal(text.view());
  }
  return known;
}

char* TextWriter::write_stream(char* to, const TextLine& line, const TextStream& stream,
                               const Event& event) {
  to = stream.tag.write(write_spaces(to, pending_));
  std::size_t columns = stream.columns;
  if (!line.identity.empty()) {
    const Slot* slot = event.slots;
    const Slot* const end = slot + event.common_count;
    for (const auto& [before, width] : line.identity) {
      if (slot == end) break;
      char* const digits = before.write(to);
      to = write_decimal(digits, slot->bits);
      columns += width + static_cast<std::size_t>(to - digits);
      slot = slot->next();
    }
    to = tag_end_.write(to);
  }
  pending_ = 1 + stream_column_.padding(columns);
  return to;
}

}  // namespace

std::unique_ptr<Writer> text_writer(io::Output& output, const TextOptions& options) {
  return std::make_unique<TextWriter>(output, options);
}

}  // namespace tracedeck::render
