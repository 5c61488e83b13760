#include "tracedeck/render/babeltrace.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/render/babeltrace_line.hpp"
#include "tracedeck/render/babeltrace_loss.hpp"
#include "tracedeck/render/babeltrace_value.hpp"
#include "tracedeck/render/stream_texts.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

constexpr std::string_view kNegativeTime =
    "[warning] Fallback to [sec.ns] to print negative time value. Use --clock-seconds.\n";

class BabeltraceWriter final : public Writer {
 public:
  BabeltraceWriter(io::Output& output, BabeltraceOptions options)
      : out_(&output),
        options_(std::move(options)),
        palette_(options_.color),
        time_({.gmt = options_.clock_gmt,
               .seconds = options_.clock_seconds,
               .date = options_.clock_date}),
        values_(palette_),
        losses_(palette_, options_.path_of) {}

  Result<void> write(const Record& record) override {
    if (held_ && record.kind != RecordKind::kLoss) [[unlikely]]
      release();
    switch (record.kind) {
      case RecordKind::kEvent:
        event(record.event);
        break;
      case RecordKind::kStreamBegin:
        losses_.begin(*record.stream);
        break;
      case RecordKind::kStreamEnd:
        losses_.end(*record.stream);
        break;
      case RecordKind::kPacketBegin:
        for (const Loss& before : losses_.before_first(*record.packet)) loss(before);
        break;
      case RecordKind::kLoss:
        if (!losses_.keep_until_first(*record.loss)) loss(*record.loss);
        break;
      default:
        break;
    }
    if (out_.failed()) return out_.drain();
    return {};
  }
  Result<void> flush() override { return out_.drain(); }
  Result<void> finish() override {
    for (const Loss& each : losses_.without_packet()) loss(each);
    release();
    say_warnings(std::numeric_limits<std::int64_t>::max());
    if (palette_.color()) {
      // In case that it was interrupted, babeltrace2 leaves both outputs plain.
      out_.append(BabeltracePalette::kReset);
      say(BabeltracePalette::kReset);
    }
    return out_.drain();
  }
  [[nodiscard]] Receipt receipt() const override { return {}; }

 private:
  // Found by the class; a line stays where it is.
  struct Place {
    explicit Place(const EventClass&) {}
    std::unique_ptr<BabeltraceLine> line = {};
  };

  void event(const Event& event);
  void times(const Event& event, const BabeltraceLine& line);
  void named_times(std::string_view time);
  char* write_delta(char* to) const;
  // What stands before a time, and between it and what follows.
  [[nodiscard]] Literal time_begin() const;
  [[nodiscard]] Literal time_end() const;
  char* write_time(char* to, const Event& event, const BabeltraceLine& line);
  void packet_context(BabeltracePackets& packets, const Packet& packet);
  void fields(BabeltraceLine& line, const Event& event);
  void loss(const Loss& loss);
  void release();
  void say_warnings(std::int64_t until);
  void say(std::string_view text);

  BabeltraceLine& line_of(const EventClass& event_class) {
    Place& place = lines_[event_class];
    if (place.line == nullptr) [[unlikely]]
      place.line = make_line(event_class);
    return *place.line;
  }
  std::unique_ptr<BabeltraceLine> make_line(const EventClass& event_class);
  std::shared_ptr<BabeltracePackets> packets_of(const EventClass& event_class);

  TextBuffer out_;
  BabeltraceOptions options_;
  BabeltracePalette palette_;
  BabeltraceTime time_;
  Literal time_begin_ = time_begin();
  Literal time_end_ = time_end();
  BabeltraceDelta delta_;
  BabeltraceValues values_;
  BabeltraceLosses losses_;
  // By the begin of the interval, the id of the data stream, and events before packets, which is
  // the order in which babeltrace2 says them: not that of the records, whose place is after their
  // stream's last event.
  using WarningKey = std::tuple<std::int64_t, std::uint64_t, bool>;
  // Beyond it the earliest ones do not wait for an event.
  static constexpr std::size_t kMostWarnings = 16384;
  std::multimap<WarningKey, std::string> warnings_;
  // A warning of packets without an interval: that of events from the same place comes before it.
  std::optional<std::string> held_;
  ClassCache<Place> lines_;
  // Of data streams, the context that was written last.
  struct KnownPacket {
    KnownContext context = {};
    Literal text = {};
  };
  StreamTexts<KnownPacket> known_packets_;
  // Of each data stream class that a line is kept of.
  std::unordered_map<EntityId, std::shared_ptr<BabeltracePackets>, EntityIdHash> packets_;
};

std::unique_ptr<BabeltraceLine> BabeltraceWriter::make_line(const EventClass& event_class) {
  BabeltraceLine::Form form{
      .palette = palette_, .names = options_.names, .fields = options_.fields, .trace = {}};
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (form.fields.trace)
    form.trace = losses_.name_of(stream_class == nullptr ? nullptr : stream_class->trace);
  return std::make_unique<BabeltraceLine>(event_class, packets_of(event_class), form, values_);
}

std::shared_ptr<BabeltracePackets> BabeltraceWriter::packets_of(const EventClass& event_class) {
  // The line at hand is the first since the others were forgotten.
  if (lines_.entries().size() == 1) packets_.clear();
  const DataStreamClass* const stream_class = event_class.stream_class;
  std::shared_ptr<BabeltracePackets>& packets =
      packets_[stream_class == nullptr ? EntityId::none() : stream_class->entity];
  if (packets == nullptr) {
    packets = std::make_shared<BabeltracePackets>(
        stream_class == nullptr ? nullptr : stream_class->packet_context, palette_, options_.names);
  }
  return packets;
}

void BabeltraceWriter::event(const Event& event) {
  BabeltraceLine& line = line_of(*event.event_class);
  if (event.has_time()) times(event, line);
  line.head().append(out_);
  if (line.packets().shown() && event.packet != nullptr) {
    packet_context(line.packets(), *event.packet);
    if (line.has_structures()) out_.append(", ");
  }
  fields(line, event);
  line.tail().append(out_);
}

void BabeltraceWriter::packet_context(BabeltracePackets& packets, const Packet& packet) {
  if (packet.stream == nullptr) return packets.append(out_, packet, values_);
  KnownPacket& known = known_packets_[*packet.stream];
  if (!known.context.is_of(packet)) [[unlikely]] {
    if (!known.context.remember(packet)) return packets.append(out_, packet, values_);
    TextBuffer text(nullptr, 1024);
    packets.append(text, packet, values_);
    known.text = Literal(text.view());
  }
  known.text.append(out_);
}

void BabeltraceWriter::fields(BabeltraceLine& line, const Event& event) {
  values_.style().set_notes(line.notes());
  values_.style().show_names(options_.names.context);
  line.program(0).run(out_, event.common_context(), values_);
  line.program(1).run(out_, event.specific_context(), values_);
  values_.style().show_names(options_.names.payload);
  line.program(2).run(out_, event.payload(), values_);
}

void BabeltraceWriter::times(const Event& event, const BabeltraceLine& line) {
  // Writing it may say something, before which all that is written is handed over.
  std::array<char, BabeltraceTime::kSize + Literal::kPiece> text;
  const char* const end = write_time(text.data(), event, line);
  const auto size = static_cast<std::size_t>(end - text.data());
  if (options_.names.header) return named_times({text.data(), size});
  char* at = out_.reserve(BabeltraceTime::kSize + BabeltraceDelta::kSize + 6 * Literal::kPiece);
  at = time_begin_.write(at);
  at = time_end_.write(Literal::copy(at, text.data(), size));
  if (!options_.no_delta) {
    at = write_delta(at);
    *at++ = ')';
    *at++ = ' ';
  }
  out_.commit(at);
}

// `timestamp = 17:48:17.586558519, delta = +0.000001234`
void BabeltraceWriter::named_times(std::string_view time) {
  palette_.name(out_, "timestamp");
  palette_.text(out_, BabeltracePaint::kTime, time);
  if (options_.no_delta) return;
  out_.append(", ");
  palette_.name(out_, "delta");
  out_.commit(write_delta(out_.reserve(BabeltraceDelta::kSize)));
}

// Writes to room of `BabeltraceDelta::kSize`.
char* BabeltraceWriter::write_delta(char* to) const {
  return options_.clock_cycles ? delta_.write_cycles(to) : delta_.write_nanoseconds(to);
}

Literal BabeltraceWriter::time_begin() const {
  TextBuffer text(nullptr, 64);
  text.append('[');
  palette_.begin(text, BabeltracePaint::kTime);
  return Literal(text.view());
}

Literal BabeltraceWriter::time_end() const {
  TextBuffer text(nullptr, 64);
  palette_.end(text);
  text.append(options_.no_delta ? "] " : "] (");
  return Literal(text.view());
}

char* BabeltraceWriter::write_time(char* to, const Event& event, const BabeltraceLine& line) {
  const auto exact = [&] { return event.began_at(); };
  const auto time = line.clock().time_of(event.time, exact);
  if (time && !warnings_.empty()) say_warnings(*time);
  if (options_.clock_cycles) {
    delta_.advance(event.time);
    return write_babeltrace_cycles(to, event.time);
  }
  if (!time) {
    delta_.advance(static_cast<std::uint64_t>(exact().magnitude()));
    return BabeltraceTime::write_far(to, exact());
  }
  delta_.advance(static_cast<std::uint64_t>(*time));
  if (time_.falls_back(*time)) say(kNegativeTime);
  return time_.write(to, *time);
}

void BabeltraceWriter::loss(const Loss& loss) {
  // What came after all was not lost; that it was said before cannot be taken back.
  if (!options_.say || loss.taken_back) return;
  const auto [begin, end] = babeltrace_interval(loss);
  if (begin && end && (time_.falls_back(*begin) || time_.falls_back(*end))) say(kNegativeTime);
  TextBuffer text(nullptr, 1024);
  losses_.append(text, loss, time_);
  if (!begin || loss.stream == nullptr) {
    if (loss.packets) {
      release();
      held_ = text.view();
    } else {
      say(text.view());
      release();
    }
    return;
  }
  warnings_.emplace(WarningKey(*begin, losses_.id_of(*loss.stream), loss.packets.has_value()),
                    text.view());
  if (warnings_.size() > kMostWarnings) say_warnings(std::get<0>(warnings_.begin()->first));
}

void BabeltraceWriter::release() {
  if (const auto held = std::exchange(held_, {})) say(*held);
}

// The warnings of intervals that begin at `until` or before.
void BabeltraceWriter::say_warnings(std::int64_t until) {
  while (!warnings_.empty() && std::get<0>(warnings_.begin()->first) <= until) {
    say(warnings_.begin()->second);
    warnings_.erase(warnings_.begin());
  }
}

void BabeltraceWriter::say(std::string_view text) {
  out_.hand_over();
  if (options_.say) options_.say(text);
}

}  // namespace

std::unique_ptr<Writer> babeltrace_writer(io::Output& output, BabeltraceOptions options) {
  return std::make_unique<BabeltraceWriter>(output, std::move(options));
}

}  // namespace tracedeck::render
