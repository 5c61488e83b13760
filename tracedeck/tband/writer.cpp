#include "tracedeck/tband/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/tband/encoder.hpp"
#include "tracedeck/tband/fields_text.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {
namespace {

// What may not come over as it was, in the order of the receipt.
enum class Adaptation : std::uint8_t {
  kMarker,
  kStream,
  kNoTime,
  kMetadataTime,
  kTimeRange,
  kTimeFraction,
  kResolution,
  kPackets,
  kTakenBack,
  kPacketContext,
  kEnvironment,
  kCount,
};
using Adaptations = AdaptationCounts<Adaptation>;
constexpr Adaptations::Table kAdaptations = {{
    {"events that the format does not know",
     "written as evtmarker, the class as the marker's name and the fields as JSON", true},
    {"data streams that are no cores", "written as cores", true},
    {"events without a time", "written with the time before them", true},
    {"times of metadata", "left out", true},
    {"times before 0 or after 2^64-1 ticks", "written as the nearest that can be", true},
    {"times between two ticks", "written as the tick before", true},
    {"lengths of a tick that do not hold in the result", "left out", true},
    {"losses of packets", "left out", true},
    {"losses that came after all", "left counted as lost", true},
    {"contexts of packets", "left out", true},
    {"entries of the environment of traces without events", "left out", true},
}};

// The first marker id of other formats' classes: beyond what people number by hand.
constexpr std::uint32_t kFirstMarker = 1'000'000;
// Frames that are kept before the output gets them, and so long for a ts_resolution_ns of the
// input's own.
constexpr std::size_t kChunk = std::size_t{64} << 10;

// Whether slots of such a class can be values of the field.
bool suits(const FieldClass& field_class, FieldType type) {
  if (type == FieldType::kString) return field_class.as<StringClass>() != nullptr;
  return field_class.as<IntegerClass>() != nullptr;
}

// Whether a conversion added the member, for a length or selector that lies elsewhere otherwise.
bool was_added(const Member& member) {
  return std::ranges::any_of(member.attributes, [](const Attribute& attribute) {
    return attribute.key == "tracedeck" && attribute.value.find("\"added\"") != std::string::npos;
  });
}

// The event that a class is one of, or null.
const EventFacts* native_event(const EventClass& event_class) {
  if (!event_class.name || event_class.has_duration || event_class.payload == nullptr)
    return nullptr;
  const EventFacts* const facts = find_event(*event_class.name);
  const auto* const payload = event_class.payload->as<StructureClass>();
  if (facts == nullptr || payload == nullptr) return nullptr;
  std::size_t field = 0;
  for (const Member& member : payload->members) {
    if (was_added(member)) continue;
    if (field == facts->field_count() || member.name != facts->fields[field].name ||
        !suits(*member.field_class, facts->fields[field].type))
      return nullptr;
    ++field;
  }
  return field == facts->field_count() ? facts : nullptr;
}

// The slot as a value of the field, if it can be one.
std::optional<FieldValue> value_of(const Slot& slot, FieldType type) {
  if (type == FieldType::kString) {
    if (slot.kind != SlotKind::kString) return std::nullopt;
    return FieldValue{.text = slot.text()};
  }
  const bool is_signed = slot.kind == SlotKind::kSigned;
  if (!is_signed && slot.kind != SlotKind::kUnsigned) return std::nullopt;
  const bool other_half = (slot.bits >> 63) != 0;
  if (other_half && is_signed != (type == FieldType::kS64)) return std::nullopt;
  return FieldValue{.number = slot.bits};
}

EntityId id_of(const DataStream* stream) {
  return stream == nullptr ? EntityId::none() : stream->entity;
}

class TraceWriter final : public Writer {
 public:
  explicit TraceWriter(io::Output& output) : output_(output) {}

  Result<void> write(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return write_event(record.event);
      case RecordKind::kLoss:
        lose(*record.loss);
        break;
      case RecordKind::kStreamEnd:
        if (record.stream->stream_class != nullptr)
          take_clock(record.stream->stream_class->default_clock);
        cores_.erase(record.stream->entity);
        counting_streams_.erase(record.stream->entity);
        last_stream_ = EntityId::none();
        break;
      default:
        break;
    }
    return {};
  }

  Result<void> describe(const TraceDescription& trace) override {
    const StableList<ClockClass>& clocks = trace.clocks();
    if (!clocks.empty()) take_clock(&clocks[0]);
    if (!trace.environment().empty())
      adaptations_.add(Adaptation::kEnvironment, trace.environment().size());
    return {};
  }

  Result<void> flush() override {
    say_resolution();
    return drain();
  }

  Result<void> finish() override {
    unsaid_losses_ += std::exchange(awaited_losses_, 0);
    if (auto said = say_losses(); !said) return said;
    say_resolution();
    return drain();
  }

  [[nodiscard]] Receipt receipt() const override { return adaptations_.receipt(kAdaptations); }

 private:
  // What becomes of a class.
  struct Mapped {
    explicit Mapped(const EventClass& of) : native(native_event(of)) {}
    const EventFacts* native;
    std::optional<std::uint32_t> marker = {};
  };

  Result<void> write_event(const Event& event) {
    Mapped& mapped = classes_[*event.event_class];
    if (mapped.native != nullptr && mapped.native->id == kResolution) return resolution(event);
    const bool counts_drops = mapped.native != nullptr && mapped.native->id == kDroppedEvents;
    if (unsaid_losses_ != 0 && !counts_drops) {
      if (auto said = say_losses(); !said) return said;
    }
    const std::uint64_t ticks = ticks_of(event, mapped.native);
    if (auto switched = switch_core(event, mapped.native, ticks); !switched) return switched;
    if (mapped.native != nullptr && collect(event, *mapped.native)) {
      if (encode_event(*mapped.native, ticks, values_, bytes_)) {
        if (counts_drops)
          count_drops(id_of(event.stream), static_cast<std::uint32_t>(values_[0].number));
        return handed_on();
      }
    }
    return write_marker(event, mapped, ticks);
  }

  // The values of the event as its fields; false when they do not suit.
  bool collect(const Event& event, const EventFacts& facts) {
    values_.clear();
    if (event.common_count + event.specific_count != 0) return false;
    const Slot* slot = event.payload().data();
    for (const Member& member : event.event_class->payload->as<StructureClass>()->members) {
      const Slot& at = *slot;
      slot = slot->next();
      if (!member.attributes.empty() && was_added(member)) continue;
      const std::optional<FieldValue> value = value_of(at, facts.fields[values_.size()].type);
      if (!value) return false;
      values_.push_back(*value);
    }
    return true;
  }

  // A ts_resolution_ns of the input's own: the first decides, unless times were written before.
  Result<void> resolution(const Event& event) {
    if (!collect(event, *find_event(kResolution))) return {};
    const std::uint64_t length = values_[0].number;
    if (!resolution_ && length != 0) resolution_ = length;
    if (length != 0 && length != resolution_) {
      adaptations_.add(Adaptation::kResolution);
      return {};
    }
    if (auto written = encode_event(*find_event(kResolution), 0, values_, bytes_); !written)
      return written;
    resolution_said_ = resolution_said_ || length != 0;
    return handed_on();
  }

  // Unless the input did, the result says first how long a tick is.
  void say_resolution() {
    if (resolution_said_ || !resolution_) return;
    // A trace of this format that does not say it either is read alike.
    if (*resolution_ == kDefaultResolution && markers_.empty()) return;
    resolution_said_ = true;
    std::vector<std::uint8_t> first;
    const FieldValue length{.number = *resolution_};
    if (!encode_event(*find_event(kResolution), 0, {&length, 1}, first)) return;
    bytes_.insert(bytes_.begin(), first.begin(), first.end());
  }

  std::uint64_t ticks_of(const Event& event, const EventFacts* native) {
    if (!event.has_time()) {
      if (native == nullptr || !native->metadata) adaptations_.add(Adaptation::kNoTime);
      return last_ticks_;
    }
    if (native != nullptr && native->metadata) {
      adaptations_.add(Adaptation::kMetadataTime);
      return last_ticks_;
    }
    const ClockClass& clock = *event.event_class->clock;
    if (!resolution_) resolution_ = resolution_of(clock);
    if (clock.entity != last_clock_) {
      last_clock_ = clock.entity;
      counts_ticks_ =
          clock.tick == Tick{*resolution_, 1} && clock.to_nanoseconds(0) == Nanoseconds(0);
    }
    if (counts_ticks_) return last_ticks_ = event.end_time;
    const Nanoseconds time = event.recorded_at();
    const auto ticks = time.magnitude() / *resolution_;
    if (time.magnitude() % *resolution_ != 0) adaptations_.add(Adaptation::kTimeFraction);
    constexpr std::uint64_t kLast = ~std::uint64_t{0};
    if (!time.negative() && ticks <= kLast) return last_ticks_ = static_cast<std::uint64_t>(ticks);
    adaptations_.add(Adaptation::kTimeRange);
    return last_ticks_ = time.negative() ? 0 : kLast;
  }

  // How long a tick is, of a trace that may have no event.
  void take_clock(const ClockClass* clock) {
    if (!resolution_ && clock != nullptr) resolution_ = resolution_of(*clock);
  }

  // A tick of whole ns is kept, if all its times are whole multiples of it.
  static std::uint64_t resolution_of(const ClockClass& clock) {
    const std::uint64_t tick = clock.tick.numerator;
    if (clock.tick.denominator != 1 || tick == 0) return kDefaultResolution;
    return clock.to_nanoseconds(0).magnitude() % tick == 0 ? tick : kDefaultResolution;
  }

  Result<void> switch_core(const Event& event, const EventFacts* native, std::uint64_t ticks) {
    const std::uint32_t core = event.stream == nullptr ? core_ : core_of(*event.stream);
    if (native != nullptr && native->id == kCoreId && collect(event, *native)) {
      core_ = static_cast<std::uint32_t>(values_[0].number);
      return {};
    }
    if (core == core_) return {};
    core_ = core;
    const FieldValue id{.number = core};
    return encode_event(*find_event(kCoreId), ticks, {&id, 1}, bytes_);
  }

  std::uint32_t core_of(const DataStream& stream) {
    if (stream.entity == last_stream_) return last_core_;
    const auto [place, is_new] = cores_.try_emplace(stream.entity);
    if (is_new) place->second = new_core(stream);
    last_stream_ = stream.entity;
    return last_core_ = place->second;
  }

  std::uint32_t new_core(const DataStream& stream) {
    const auto number = [&](std::string_view key) -> std::optional<std::uint32_t> {
      for (const StreamKey& each : stream.keys) {
        if (each.name == key && each.digits.empty() && each.value <= UINT32_MAX)
          return static_cast<std::uint32_t>(each.value);
      }
      return std::nullopt;
    };
    if (const auto core = number("core")) return *core;
    adaptations_.add(Adaptation::kStream);
    if (const auto id = number("id")) return *id;
    return other_streams_++;
  }

  // A dropped_evt_cnt of the input's own was written; the losses it reports come as records too,
  // usually behind it.
  void count_drops(const EntityId& stream, std::uint32_t count) {
    counting_streams_.insert(stream);
    counted_losses_ += take_off(count > dropped_ ? count - dropped_ : 0);
    dropped_ = count;
  }
  // Takes events off the losses that are not counted yet; returns how many more there are.
  std::uint64_t take_off(std::uint64_t events) {
    for (std::uint64_t* losses : {&unsaid_losses_, &awaited_losses_}) {
      const std::uint64_t taken = std::min(events, *losses);
      *losses -= taken;
      events -= taken;
    }
    return events;
  }
  void lose(const Loss& loss) {
    if (loss.packets && !loss.events) adaptations_.add(Adaptation::kPackets);
    const std::uint64_t events = loss.events.value_or(0);
    if (loss.taken_back) {
      // Too late for a count that was written: such a count never decreases.
      if (take_off(events) != 0) adaptations_.add(Adaptation::kTakenBack);
      return;
    }
    const std::uint64_t counted = std::min(events, counted_losses_);
    counted_losses_ -= counted;
    (counting_streams_.contains(id_of(loss.stream)) ? awaited_losses_ : unsaid_losses_) +=
        events - counted;
  }

  // Losses that no dropped_evt_cnt of the input's own reported.
  Result<void> say_losses() {
    if (unsaid_losses_ == 0) return {};
    const std::uint64_t count = std::min<std::uint64_t>(dropped_ + unsaid_losses_, UINT32_MAX);
    dropped_ = static_cast<std::uint32_t>(count);
    unsaid_losses_ = 0;
    const FieldValue value{.number = count};
    return encode_event(*find_event(kDroppedEvents), last_ticks_, {&value, 1}, bytes_);
  }

  Result<void> write_marker(const Event& event, Mapped& mapped, std::uint64_t ticks) {
    adaptations_.add(Adaptation::kMarker);
    if (!mapped.marker) {
      if (auto named = name_marker(*event.event_class, mapped); !named) return named;
    }
    message(event);
    const std::array<FieldValue, 2> fields = {FieldValue{.number = *mapped.marker},
                                              FieldValue{.text = message_}};
    if (auto written = encode_event(*find_event(kEventMarker), ticks, fields, bytes_); !written)
      return written;
    return handed_on();
  }

  Result<void> name_marker(const EventClass& event_class, Mapped& mapped) {
    const std::string name =
        event_class.name.value_or(fmt::format("class {}", event_class.id.value_or(0)));
    const auto next = static_cast<std::uint32_t>(kFirstMarker + markers_.size());
    const auto [place, is_new] = markers_.try_emplace(name, next);
    mapped.marker = place->second;
    if (!is_new) return {};
    const std::array<FieldValue, 2> fields = {FieldValue{.number = place->second},
                                              FieldValue{.text = name}};
    return encode_event(*find_event(kEventMarkerName), 0, fields, bytes_);
  }

  // What the event holds, as a JSON object; a name with @ is no field.
  void message(const Event& event) {
    message_ = '{';
    const auto part = [&](std::string_view name, std::span<const Slot> slots,
                          const FieldClassPtr& field_class) {
      if (slots.empty()) return;
      if (message_.size() > 1) message_ += ',';
      if (!name.empty()) message_.append("\"").append(name).append("\":{");
      append_members(message_, slots, field_class.get());
      if (!name.empty()) message_ += '}';
    };
    const EventClass& event_class = *event.event_class;
    const DataStreamClass* const stream_class = event_class.stream_class;
    if (event_class.has_duration && event_class.clock != nullptr) {
      message_ += "\"@duration\":";
      message_ += event_class.clock->interval(event.time, event.end_time).to_string();
    }
    if (stream_class != nullptr) {
      if (event.packet != nullptr && !event.packet->context.empty())
        adaptations_.add(Adaptation::kPacketContext);
      part("@common", event.common_context(), stream_class->common_context);
    }
    part("@specific", event.specific_context(), event_class.specific_context);
    part("", event.payload(), event_class.payload);
    message_ += '}';
  }

  // After each event: what is enough goes to the output.
  Result<void> handed_on() {
    if (bytes_.size() < kChunk) return {};
    say_resolution();
    return drain();
  }

  Result<void> drain() {
    if (bytes_.empty()) return {};
    auto written = output_.write(ByteSpan(bytes_));
    bytes_.clear();
    return written;
  }

  io::Output& output_;
  std::vector<std::uint8_t> bytes_;  // frames not handed to the output yet
  std::vector<FieldValue> values_;
  std::string message_;
  std::optional<std::uint64_t> resolution_;  // ns a tick, once decided
  bool resolution_said_ = false;
  std::uint64_t last_ticks_ = 0;
  EntityId last_clock_ = EntityId::none();
  bool counts_ticks_ = false;  // its values are ticks of the result
  std::uint32_t core_ = 0;
  std::unordered_map<EntityId, std::uint32_t, EntityIdHash> cores_;
  EntityId last_stream_ = EntityId::none();
  std::uint32_t last_core_ = 0;
  std::uint32_t other_streams_ = 0;
  std::uint32_t dropped_ = 0;
  std::uint64_t unsaid_losses_ = 0;
  std::uint64_t awaited_losses_ = 0;  // of data streams that count them in events of their own
  std::uint64_t counted_losses_ = 0;  // by counts whose records are still to come
  std::unordered_set<EntityId, EntityIdHash> counting_streams_;
  ClassCache<Mapped> classes_;
  std::map<std::string, std::uint32_t> markers_;
  Adaptations adaptations_;
};

}  // namespace

std::unique_ptr<Writer> create_writer(io::Output& output) {
  return std::make_unique<TraceWriter>(output);
}

}  // namespace tracedeck::tband
