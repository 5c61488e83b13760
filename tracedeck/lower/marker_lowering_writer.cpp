#include "tracedeck/lower/marker_lowering_writer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/comparison/class_differences.hpp"
#include "tracedeck/lower/description_losses.hpp"
#include "tracedeck/lower/lead_in.hpp"
#include "tracedeck/lower/marker_message.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/model_classes.hpp"
#include "tracedeck/tband/wire.hpp"
#include "tracedeck/tband/writer.hpp"

namespace tracedeck::lower {
namespace {

using tband::EventFacts;
using tband::FieldType;
using tband::FieldValue;

// The first marker id of other formats' classes: beyond what people number by hand.
constexpr std::uint32_t kFirstMarker = 1'000'000;

// Whether slots of such a class can be values of the field.
bool suits(const FieldClass& field_class, FieldType type) {
  if (type == FieldType::kString) return field_class.as<StringClass>() != nullptr;
  return field_class.as<IntegerClass>() != nullptr;
}

// The event that a class is one of, or null.
const EventFacts* native_event(const EventClass& event_class) {
  if (!event_class.name || event_class.has_duration || event_class.payload == nullptr)
    return nullptr;
  const EventFacts* const facts = tband::find_event(*event_class.name);
  const auto* const payload = event_class.payload->as<StructureClass>();
  if (facts == nullptr || payload == nullptr) return nullptr;
  const bool same = std::ranges::equal(
      payload->members, facts->used_fields(), [](const Member& member, const auto& field) {
        return member.name == field.name && suits(*member.field_class, field.type);
      });
  return same ? facts : nullptr;
}

// Whether the slot can be a value of the field.
bool can_be(const Slot& slot, FieldType type) {
  if (type == FieldType::kString) return slot.kind == SlotKind::kString;
  const bool is_signed = slot.kind == SlotKind::kSigned;
  if (!is_signed && slot.kind != SlotKind::kUnsigned) return false;
  if (type == FieldType::kU8) return slot.bits <= UINT8_MAX;
  if (type == FieldType::kU32) return slot.bits <= UINT32_MAX;
  return (slot.bits >> 63) == 0 || is_signed == (type == FieldType::kS64);
}

// What becomes of a class.
struct KnownMarker {
  explicit KnownMarker(const EventClass& of) : native(native_event(of)), message(of) {}
  const EventFacts* native;
  MarkerMessage message;
  std::uint32_t marker = 0;  // 0: it has no name yet
  std::uint64_t* natives = nullptr;
  std::uint64_t* markers = nullptr;
  std::uint64_t* durations = nullptr;
};

class MarkerLowering final : public TimedLowering {
 public:
  MarkerLowering(const TargetProfile& profile, std::unique_ptr<Writer> target, bool part_of_source)
      : TimedLowering(profile, std::move(target), {}),
        events_(dynamic_cast<tband::TraceWriter&>(next())) {
    losses_.set_target(stream_class_);
    if (part_of_source) losses_.set_part_of(profile.format);
  }

  void begin_at(const Event& first) override {
    const ClockClass& clock = *first.event_class->clock;
    // A trace of the target's format says by itself how long a tick is.
    if (!is_own(first.stream)) take_clock(clock);
    first_time_ = clock.to_nanoseconds(first.end_time);
    take_first_time();
  }

  Result<void> flush() override {
    if (auto put = put_first_count(); !put) return put;
    if (auto said = say_resolution(); !said) return said;
    return next().flush();
  }

  Result<void> finish() override {
    if (auto put = put_first_count(); !put) return put;
    if (awaited_losses_ != 0) losses_.add(Lost::kLosses, "", "loss", {});
    unsaid_losses_ += std::exchange(awaited_losses_, 0);
    if (auto said = say_losses(); !said) return said;
    if (auto said = say_resolution(); !said) return said;
    return next().finish();
  }

  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = losses_.entries();
    if (adapted_counts_ != 0) {
      receipt.push_back(
          {.what = "counts of dropped events that go on from before the result begins",
           .done = "written as counted from its begin",
           .count = adapted_counts_,
           .lossy = false,
           .event_class = "dropped_evt_cnt",
           .path = "cnt"});
    }
    return receipt;
  }

 private:
  // -- Sources ---------------------------------------------------------------------------------

  // What a trace has come to describe. Not before it is known how long a tick is.
  void adopt(const TraceDescription& trace) {
    if (trace.number() == last_trace_ && trace.environment().size() == last_environment_ &&
        trace.stream_classes().size() == last_stream_classes_)
      return;
    losses_.take(trace);
    for (const Attribute* const entry : losses_.new_environment(trace))
      losses_.add_environment(Lost::kEnvironment, trace, entry->key);
    last_trace_ = trace.number();
    last_environment_ = trace.environment().size();
    last_stream_classes_ = trace.stream_classes().size();
  }

  Result<void> describe_lowered(const TraceDescription& trace) override {
    const StableList<ClockClass>& clocks = trace.clocks();
    if (!clocks.empty()) take_clock(clocks[0]);
    adopt(trace);
    losses_.classes_without_events(trace);
    return {};
  }

  Result<void> begin_stream(const DataStream& stream) override {
    if (losses_.begin(stream))
      std::erase_if(counts_, [this](const auto& each) { return !losses_.has(each.first); });
    return {};
  }

  Result<void> end_stream(const DataStream& stream) override {
    if (auto put = put_first_count(); !put) return put;
    const DataStreamClass& stream_class = *stream.stream_class;
    if (stream_class.default_clock != nullptr) take_clock(*stream_class.default_clock);
    adopt(*stream_class.trace);
    losses_.end(stream);
    cores_.erase(stream.entity);
    counting_streams_.erase(stream.entity);
    last_stream_ = EntityId::none();
    return {};
  }

  [[nodiscard]] bool is_own(const DataStream* stream) const {
    return stream != nullptr && stream->stream_class->trace->format() == profile().format;
  }

  // -- Ticks -----------------------------------------------------------------------------------

  void take_clock(const ClockClass& clock) {
    if (resolution_said_ || timed_) return;
    set_resolution(resolution_of(clock));
    timed_ = true;
  }
  void set_resolution(std::uint64_t resolution) {
    clock_.tick = {resolution, 1};
    take_first_time();
  }
  // What precedes the first time is written with it.
  void take_first_time() {
    if (first_time_) last_ticks_ = ticks_of(*first_time_);
  }
  // The nearest below that the target has.
  [[nodiscard]] std::uint64_t ticks_of(const Nanoseconds& time) const {
    if (time.negative()) return 0;
    constexpr std::uint64_t kLast = ~std::uint64_t{0};
    return static_cast<std::uint64_t>(std::min<Uint128>(time.magnitude() / resolution(), kLast));
  }
  [[nodiscard]] std::uint64_t resolution() const { return clock_.tick.numerator; }

  // A tick of whole ns is kept, if all its times are whole multiples of it.
  static std::uint64_t resolution_of(const ClockClass& clock) {
    const std::uint64_t tick = clock.tick.numerator;
    if (clock.tick.denominator != 1 || tick == 0) return tband::kDefaultResolution;
    return clock.to_nanoseconds(0).magnitude() % tick == 0 ? tick : tband::kDefaultResolution;
  }

  // A ts_resolution_ns of the input's own: the first decides, unless times were written before.
  Result<void> take_resolution(const Event& event, KnownMarker& known) {
    const std::uint64_t length = event.payload()[0].bits;
    if (length != 0 && !timed_ && !resolution_said_) set_resolution(length);
    if (length != 0 && length != resolution()) {
      add(Lost::kResolution, event);
      return {};
    }
    resolution_said_ = resolution_said_ || length != 0;
    return put_native(event, known, 0);
  }

  // Unless the input did, the result says how long a tick is.
  Result<void> say_resolution() {
    // A trace that does not say it either is read alike.
    if (resolution_said_ || (resolution() == tband::kDefaultResolution && markers_.empty()))
      return {};
    resolution_said_ = true;
    return put_own(tband::kResolution, std::array{FieldValue{.number = resolution()}});
  }

  // Its time in ticks, which is that of the event before where it has none.
  void set_time(const Event& event, const EventFacts* native) {
    if (!event.event_class->has_real_time() || (native != nullptr && native->metadata)) return;
    const ClockClass& clock = *event.event_class->clock;
    first_time_.reset();
    has_times_ = true;
    take_clock(clock);
    if (clock.entity != last_clock_) {
      last_clock_ = clock.entity;
      counts_ticks_ = clock.tick == clock_.tick && clock.to_nanoseconds(0) == Nanoseconds(0);
    }
    last_ticks_ = event.end_time;
    if (counts_ticks_) return;
    const Nanoseconds time = event.recorded_at();
    last_ticks_ = ticks_of(time);
    const Nanoseconds stored = Nanoseconds::from_unsigned(Uint128{last_ticks_} * resolution());
    if (time.negative() || time.magnitude() - stored.magnitude() >= resolution()) {
      add(Lost::kTimeRange, event);
    } else if (time != stored) {
      add(Lost::kTimeFraction, event);
    }
  }

  // -- Cores -----------------------------------------------------------------------------------

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
    const auto core = number("core");
    if (!core || stream.keys.size() != 1) losses_.other_keys(stream);
    if (core) return *core;
    if (const auto id = number("id")) return *id;
    return other_streams_++;
  }

  Result<void> switch_core(std::uint32_t core) {
    if (core == core_) return {};
    core_ = core;
    return put_own(tband::kCoreId, std::array{FieldValue{.number = core}});
  }

  // -- Losses ----------------------------------------------------------------------------------

  // What a trace of the target's format has counted.
  struct Count {
    std::uint64_t lost = 0;  // events, by its losses so far
    std::uint64_t last = 0;  // as it said it last
    std::uint64_t base = 0;  // of that, what was dropped before the result begins
    bool known = false;      // the base
  };
  // The first dropped_evt_cnt of a trace, whose base shows when the next record is known: what it
  // counts beyond the losses was lost before the result begins.
  struct FirstCount {
    EntityId stream = EntityId::none();
    std::uint64_t count = 0;
    bool is_first_time = false;  // no event of the result precedes it
  };

  Result<void> put_first_count(const Loss* reported = nullptr) {
    if (!first_count_) return {};
    const FirstCount first = *std::exchange(first_count_, std::nullopt);
    Count& count = counts_[first.stream.trace];
    count.base = first.count - std::min(first.count, count.lost);
    count.known = true;
    if (reported != nullptr && reported->begin && first.is_first_time)
      losses_.add(Lost::kLosses, "", "loss", {});
    return put_count(first.stream, count, first.count);
  }

  // A dropped_evt_cnt of a trace whose base is known.
  Result<void> put_count(const EntityId& stream, Count& of, std::uint64_t count) {
    // A recorder that began anew does not count what was dropped before the result.
    if (count < of.last && of.base != 0) of.base = count - std::min<std::uint64_t>(count, dropped_);
    of.last = count;
    if (of.base != 0) ++adapted_counts_;
    const auto adapted = static_cast<std::uint32_t>(count - of.base);
    count_drops(stream, adapted);
    return events_.put(tband::kEventTable[tband::kDroppedEvents], last_ticks_,
                       std::array{FieldValue{.number = adapted}});
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

  Result<void> write_loss(const Loss& loss) override {
    const std::uint64_t events = loss.events.value_or(0);
    if (is_own(loss.stream) && !loss.taken_back) counts_[loss.stream->entity.trace].lost += events;
    if (auto put = put_first_count(&loss); !put) return put;
    if (loss.taken_back) {
      losses_.add(Lost::kLosses, "", "loss", {});
      take_off(events);
      return {};
    }
    const std::uint64_t counted = std::min(events, counted_losses_);
    counted_losses_ -= counted;
    const EntityId stream = loss.stream == nullptr ? EntityId::none() : loss.stream->entity;
    const bool waits = counting_streams_.contains(stream);
    (waits ? awaited_losses_ : unsaid_losses_) += events - counted;
    if (!is_own(loss.stream) || (!waits && events != counted))
      losses_.add(Lost::kLosses, "", "loss", {});
    return {};
  }

  // Losses that no dropped_evt_cnt of the input's own reported.
  Result<void> say_losses() {
    if (unsaid_losses_ == 0) return {};
    const std::uint64_t count = std::min<std::uint64_t>(dropped_ + unsaid_losses_, UINT32_MAX);
    dropped_ = static_cast<std::uint32_t>(count);
    unsaid_losses_ = 0;
    return put_own(tband::kDroppedEvents, std::array{FieldValue{.number = count}});
  }

  // -- Events ----------------------------------------------------------------------------------

  Result<void> write_event(const Event& event, const Record&) override {
    if (first_count_) [[unlikely]] {
      if (auto put = put_first_count(); !put) return put;
    }
    const EventClass& event_class = *event.event_class;
    if (event_class.entity != last_class_) {
      last_class_ = event_class.entity;
      last_known_ = &known_[event_class];
    }
    KnownMarker& known = *last_known_;
    const EventFacts* const native =
        known.native != nullptr && fits(event, *known.native) ? known.native : nullptr;
    if (native != nullptr && native->id == tband::kResolution) return take_resolution(event, known);
    const bool is_first_time = !has_times_;
    set_time(event, native);
    if (timed_ || resolution_said_) adopt(*event_class.stream_class->trace);
    if (native == nullptr && known.marker == 0) name(known, event_class);
    if (!resolution_said_ && (native == nullptr || !is_own(event.stream))) {
      if (auto said = say_resolution(); !said) return said;
    }
    const bool counts_drops = native != nullptr && native->id == tband::kDroppedEvents;
    if (unsaid_losses_ != 0 && !counts_drops) {
      if (auto said = say_losses(); !said) return said;
    }
    if (native != nullptr && native->id == tband::kCoreId) {
      core_ = static_cast<std::uint32_t>(event.payload()[0].bits);
    } else if (event.stream != nullptr) {
      if (auto switched = switch_core(core_of(*event.stream)); !switched) return switched;
    }
    if (native == nullptr) return put_marker(event, known);
    if (counts_drops) return write_count(event, known, is_first_time);
    return put_native(event, known, last_ticks_);
  }

  Result<void> write_count(const Event& event, KnownMarker& known, bool is_first_time) {
    const EntityId& stream = event.stream->entity;
    const std::uint64_t count = event.payload()[0].bits;
    if (!is_own(event.stream)) {
      count_drops(stream, static_cast<std::uint32_t>(count));
      return put_native(event, known, last_ticks_);
    }
    count_native(event, known);
    Count& of = counts_[stream.trace];
    if (of.known) return put_count(stream, of, count);
    first_count_ = {.stream = stream, .count = count, .is_first_time = is_first_time};
    return {};
  }

  // Whether the values are those of the event.
  static bool fits(const Event& event, const EventFacts& facts) {
    if (event.common_count + event.specific_count != 0) return false;
    const std::span<const Slot> payload = event.payload();
    return std::ranges::equal(
        payload, facts.used_fields(),
        [](const Slot& slot, const auto& field) { return can_be(slot, field.type); });
  }

  void count_native(const Event& event, KnownMarker& known) {
    if (known.natives == nullptr)
      known.natives = &losses_.events_of(event, tband::event_class(*known.native, stream_class_));
    ++*known.natives;
  }
  Result<void> put_native(const Event& event, KnownMarker& known, std::uint64_t ticks) {
    count_native(event, known);
    return events_.put(tband::kEventTable[known.native->id], ticks,
                       tband::SlotFields(event.payload()));
  }

  Result<void> put_marker(const Event& event, KnownMarker& known) {
    if (known.markers == nullptr) {
      if (auto named = put_name(event, known); !named) return named;
    }
    ++*known.markers;
    if (event.time != event.end_time) count_duration(event, known);
    message_.clear();
    known.message.append(message_, event);
    const tband::EventLayout& layout = count_own(tband::kEventMarker);
    return events_.put_text(layout, last_ticks_, known.marker, message_.view());
  }

  void count_duration(const Event& event, KnownMarker& known) {
    if (known.durations == nullptr)
      known.durations = &losses_.some_events(
          Lost::kDuration, comparison::class_name(*event.event_class), place_of(event));
    ++*known.durations;
  }

  // Classes of one name share a marker.
  void name(KnownMarker& known, const EventClass& event_class) {
    const auto next = static_cast<std::uint32_t>(kFirstMarker + markers_.size());
    known.marker = markers_.try_emplace(marker_name(event_class), next).first->second;
  }
  static std::string marker_name(const EventClass& event_class) {
    if (event_class.name) return *event_class.name;
    return "class " + std::to_string(event_class.id.value_or(0));
  }

  Result<void> put_name(const Event& event, KnownMarker& known) {
    const EventClass& event_class = *event.event_class;
    // But for what differs it is the class itself that the message holds.
    EventClass target{.name = event_class.name,
                      .stream_class = &stream_class_,
                      .clock = &clock_,
                      .payload = event_class.payload};
    known.markers = &losses_.events_of(event, target, {{Lost::kMarker, ""}});
    if (!named_.insert(known.marker).second) return {};
    const std::string text = marker_name(event_class);
    return put_own(tband::kEventMarkerName,
                   std::array{FieldValue{.number = known.marker}, FieldValue{.text = text}});
  }

  // Counts an event that no source has.
  const tband::EventLayout& count_own(std::uint8_t id) {
    const tband::EventLayout& layout = tband::kEventTable[id];
    std::uint64_t*& added = added_[id];
    if (added == nullptr) {
      added = &losses_.added(layout.facts->name);
      // It may be on a core of which nothing else is.
      losses_.add(Lost::kStream, "", "stream", {});
    }
    ++*added;
    return layout;
  }
  Result<void> put_own(std::uint8_t id, std::span<const FieldValue> fields) {
    return events_.put(count_own(id), last_ticks_, fields);
  }

  void add(Lost lost, const Event& event) {
    losses_.add(lost, comparison::class_name(*event.event_class), "", place_of(event));
  }
  static FirstPlace place_of(const Event& event) {
    return {event.event_class->stream_class->trace->input(), event.offset};
  }

  static constexpr std::size_t kMessageRoom = 4096;  // bytes, to begin with

  tband::TraceWriter& events_;  // the target
  ClockClass clock_{.id = "timestamp"};
  DataStreamClass stream_class_{.default_clock = &clock_, .has_describing_events = true};
  DescriptionLosses losses_;
  std::array<std::uint64_t*, 256> added_ = {};  // how many, by the ids of their classes
  ClassCache<KnownMarker> known_;
  EntityId last_class_ = EntityId::none();
  KnownMarker* last_known_ = nullptr;
  std::uint64_t last_trace_ = 0;
  std::size_t last_environment_ = 0;
  std::size_t last_stream_classes_ = 0;
  bool timed_ = false;            // a clock has decided how long a tick is
  bool resolution_said_ = false;  // the result says it
  std::uint64_t last_ticks_ = 0;
  std::optional<Nanoseconds> first_time_ = {};  // of the events to come, while none has come
  EntityId last_clock_ = EntityId::none();
  bool has_times_ = false;     // an event with a time came
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
  std::unordered_map<std::uint64_t, Count> counts_;  // by the numbers of traces
  std::optional<FirstCount> first_count_ = {};
  std::uint64_t adapted_counts_ = 0;
  std::map<std::string, std::uint32_t> markers_;  // by the names of classes
  NumberSet<std::uint32_t> named_;                // those whose names were written
  TextBuffer message_{nullptr, kMessageRoom};
};

}  // namespace

std::unique_ptr<Writer> lower_to_markers(const TargetProfile& profile,
                                         std::unique_ptr<Writer> target, bool part_of_source) {
  return std::make_unique<LeadIn>(
      std::make_unique<MarkerLowering>(profile, std::move(target), part_of_source));
}

}  // namespace tracedeck::lower
