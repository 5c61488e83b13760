#include "tracedeck/heph/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/heph/encoder.hpp"
#include "tracedeck/heph/model_classes.hpp"
#include "tracedeck/heph/slot_attributes.hpp"

namespace tracedeck::heph {
namespace {

// A data stream of the target.
struct TargetStream {
  std::uint32_t id = 0;
  std::uint32_t counter = 0;  // of its next event, where the source has none
  std::uint64_t lost = 0;     // since the last event
  bool begun = false;         // it has an event
};

// What distinguishes the data streams of the sources: those of a class with the same keys are one.
struct StreamIdentity {
  EntityId stream_class = EntityId::none();
  std::string keys = {};

  friend bool operator<(const StreamIdentity& a, const StreamIdentity& b) {
    return std::tie(a.stream_class.trace, a.stream_class.ordinal, a.keys) <
           std::tie(b.stream_class.trace, b.stream_class.ordinal, b.keys);
  }
};

StreamIdentity identity_of(const DataStream& stream) {
  StreamIdentity identity;
  if (stream.stream_class != nullptr) identity.stream_class = stream.stream_class->entity;
  for (const StreamKey& key : stream.keys) {
    identity.keys += key.name;
    identity.keys += '\0';
    identity.keys.append(reinterpret_cast<const char*>(&key.value), sizeof(key.value));
    identity.keys += key.digits;
    identity.keys += '\0';
  }
  return identity;
}

// A counter that is further on would be taken for one that comes late.
constexpr std::uint64_t kMostLost = (std::uint64_t{1} << 31) - 1;

// Times in nanoseconds since the epoch, which the first clock sets.
class TargetClock {
 public:
  explicit TargetClock(Adaptations& adaptations) : adaptations_(adaptations) {}

  // The epoch to be written, if the clock of the first event knows the time of day.
  [[nodiscard]] std::optional<std::uint64_t> begin(const ClockClass* clock) {
    if (clock == nullptr || clock->origin != ClockOrigin::kUnixEpoch) return {};
    knows_origin_ = true;
    const Nanoseconds zero = clock->to_nanoseconds(0);
    const bool fits = !zero.negative() && zero.magnitude() <= kLast;
    epoch_ = fits ? static_cast<std::uint64_t>(zero.magnitude()) : 0;
    return epoch_;
  }

  [[nodiscard]] std::uint64_t time(const ClockClass& clock, std::uint64_t value) {
    if (clock.entity != clock_) select(clock);
    if (same_) return value;
    if (other_origin_) adaptations_.add(Adaptation::kClock);
    const Nanoseconds time =
        clock.to_nanoseconds(value) - Nanoseconds::from_unsigned(other_origin_ ? 0 : epoch_);
    if (!time.negative() && time.magnitude() <= kLast)
      return static_cast<std::uint64_t>(time.magnitude());
    adaptations_.add(Adaptation::kTimeRange);
    return time.negative() ? 0 : kLast;
  }

 private:
  static constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

  void select(const ClockClass& clock) {
    clock_ = clock.entity;
    other_origin_ = (clock.origin == ClockOrigin::kUnixEpoch) != knows_origin_;
    same_ = !other_origin_ && clock.tick == Tick{} &&
            clock.to_nanoseconds(0) == Nanoseconds::from_unsigned(epoch_);
  }

  Adaptations& adaptations_;
  EntityId clock_ = EntityId::none();
  std::uint64_t epoch_ = 0;
  bool knows_origin_ = false;
  bool other_origin_ = false;
  bool same_ = false;  // a value of the clock is a time of the trace
};

// Where an event comes from as the events of a Heph trace carry it.
struct Origin {
  std::uint64_t substream = 0;
  std::optional<std::uint32_t> counter = {};
};

// Whether the common context is substream and counter, as the reader of Heph makes it.
bool is_own_context(const FieldClass* context) {
  const auto* const structure = context == nullptr ? nullptr : context->as<StructureClass>();
  return structure != nullptr && structure->members.size() == 2 &&
         structure->members[0].name == kSubstreamMember &&
         structure->members[1].name == kCounterMember &&
         structure->members[0].field_class->as<IntegerClass>() != nullptr &&
         structure->members[1].field_class->as<IntegerClass>() != nullptr;
}

class TraceWriter final : public Writer {
 public:
  explicit TraceWriter(io::Output& output)
      : encoder_([&output](ByteSpan bytes) { return output.write(bytes); }),
        values_(adaptations_),
        clock_(adaptations_) {}

  Result<void> write(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return write_event(record.event);
      case RecordKind::kLoss:
        note_loss(*record.loss);
        break;
      case RecordKind::kStreamBegin:
        begin_stream(*record.stream);
        break;
      case RecordKind::kStreamEnd:
        return end_stream(*record.stream);
      case RecordKind::kPacketBegin:
      case RecordKind::kPacketEnd:
      case RecordKind::kDescription:
      case RecordKind::kProblem:
      case RecordKind::kFinding:
        break;
    }
    return {};
  }

  Result<void> describe(const TraceDescription& trace) override {
    const StableList<ClockClass>& clocks = trace.clocks();
    return write_options(clocks.empty() ? nullptr : &clocks[0], &trace);
  }
  Result<void> flush() override { return encoder_.flush(); }
  Result<void> finish() override {
    for (auto& [identity, stream] : streams_) leave_out_unsaid(stream);
    const auto finished = encoder_.finish();
    if (!finished) return std::unexpected(finished.error());
    return {};
  }
  [[nodiscard]] Receipt receipt() const override { return receipt_of(adaptations_); }

 private:
  Result<void> write_event(const Event& event) {
    const DataStreamClass* const stream_class = event.event_class->stream_class;
    const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
    if (Result<void> begun = write_options(event.event_class->clock, trace); !begun) return begun;
    TargetStream& stream = stream_of(event);
    values_.begin_event();
    const Origin origin = add_contexts(event);
    if (stream.lost != 0) [[unlikely]]
      leave_out_lost(stream);
    stream.begun = true;
    const std::uint32_t counter = origin.counter.value_or(stream.counter);
    stream.counter = counter + 1;
    std::uint64_t start = last_end_;
    if (event.has_time()) {
      const ClockClass& clock = *event.event_class->clock;
      start = clock_.time(clock, event.time);
      last_end_ = event.event_class->has_duration ? clock_.time(clock, event.end_time) : start;
    } else {
      adaptations_.add(Adaptation::kNoTime);
    }
    const std::string_view description = add_payload(event);
    return encoder_.write({.stream = stream.id,
                           .counter = counter,
                           .substream = origin.substream,
                           .start = start,
                           .end = last_end_},
                          description, values_.attributes());
  }

  // Attributes of the payload. Returns the description.
  std::string_view add_payload(const Event& event) {
    const EventClass& event_class = *event.event_class;
    const std::span<const Slot> payload = event.payload();
    if (event_class.self_described && payload.size() >= 2) {
      values_.add_pairs(payload[1]);
      return values_.fitting(payload[0].text());
    }
    values_.add_members(payload, event_class.payload.get());
    if (event_class.name) return values_.fitting(*event_class.name);
    if (!event_class.id) return {};
    id_text_ = fmt::format("#{}", *event_class.id);
    return id_text_;
  }

  Origin add_contexts(const Event& event) {
    Origin origin;
    const DataStreamClass* const stream_class = event.event_class->stream_class;
    const FieldClass* const common =
        stream_class == nullptr ? nullptr : stream_class->common_context.get();
    const std::span<const Slot> slots = event.common_context();
    bool adapted = false;
    if (slots.size() == 2 && is_own_context(common)) {
      origin.substream = slots[0].bits;
      origin.counter = static_cast<std::uint32_t>(slots[1].bits);
    } else if (common != nullptr && !slots.empty()) {
      adapted = true;
      values_.add_members(slots, common, "common");
    }
    if (event.specific_count != 0) {
      adapted = true;
      values_.add_members(event.specific_context(), event.event_class->specific_context.get(),
                          "specific");
    }
    if (adapted) adaptations_.add(Adaptation::kContext);
    if (event.packet != nullptr && !event.packet->context.empty())
      adaptations_.add(Adaptation::kPacketContext);
    return origin;
  }

  // The epoch before the first event, and what the environment of each trace has come to hold.
  Result<void> write_options(const ClockClass* clock, const TraceDescription* trace) {
    if (!begun_) {
      begun_ = true;
      if (const auto epoch = clock_.begin(clock)) {
        if (Result<void> set = encoder_.set_epoch(*epoch); !set) return set;
      }
    }
    if (trace == nullptr) return {};
    if (trace->number() == last_trace_ && trace->environment().size() == last_environment_)
      return {};
    std::size_t& written = environments_[trace->number()];
    const Attributes& environment = trace->environment();
    for (; written < environment.size(); ++written) {
      const Attribute& entry = environment[written];
      if (entry.key == kEpochName || entry.key.size() > kMaxLength) continue;
      if (trace->format() != "heph") adaptations_.add(Adaptation::kEnvironment);
      if (Result<void> set = encoder_.set_option(entry.key, as_bytes(entry.value)); !set)
        return set;
    }
    last_trace_ = trace->number();
    last_environment_ = written;
    return {};
  }
  using Attribute = tracedeck::Attribute;

  TargetStream& stream_of(const Event& event) {
    const EntityId id = event.stream == nullptr ? EntityId::none() : event.stream->entity;
    if (id == last_stream_ && last_target_ != nullptr) return *last_target_;
    last_stream_ = id;
    last_target_ = &find_stream(event.stream);
    return *last_target_;
  }
  TargetStream& find_stream(const DataStream* stream) {
    StreamIdentity identity;
    std::uint64_t wanted = 0;
    bool just_an_id = stream == nullptr;
    if (stream != nullptr) {
      identity = identity_of(*stream);
      if (!stream->keys.empty()) {
        wanted = stream->keys.back().value;
        just_an_id = stream->keys.size() == 1 && stream->keys[0].name == "id" &&
                     stream->keys[0].digits.empty();
      }
    }
    const auto [place, is_new] = streams_.try_emplace(std::move(identity));
    if (!is_new) return place->second;
    place->second.id = free_id(wanted);
    if (!just_an_id || place->second.id != wanted) adaptations_.add(Adaptation::kStream);
    return place->second;
  }
  // `wanted`, or the first id that no stream has.
  std::uint32_t free_id(std::uint64_t wanted) {
    const auto id = static_cast<std::uint32_t>(wanted);
    if (id == wanted && id >= next_id_ && ids_.insert(id).second) return id;
    // All before the next one are taken, and need not be remembered one by one.
    while (ids_.erase(next_id_) != 0) ++next_id_;
    return next_id_++;
  }

  // What is kept about traces that are gone goes when another begins.
  void begin_stream(const DataStream& stream) {
    if (!traces_.begin(stream.entity.trace)) return;
    const auto is_gone = [this](std::uint64_t trace) { return !traces_.has(trace); };
    for (auto each = streams_.begin(); each != streams_.end();) {
      const bool gone = is_gone(each->first.stream_class.trace);
      if (gone) leave_out_unsaid(each->second);
      each = gone ? streams_.erase(each) : std::next(each);
    }
    std::erase_if(environments_, [&](const auto& each) { return is_gone(each.first); });
    last_stream_ = EntityId::none();
    last_target_ = nullptr;
  }

  // Options of a trace without an event, too.
  Result<void> end_stream(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    traces_.end(stream.entity.trace);
    if (stream_class == nullptr || stream_class->trace == nullptr) return {};
    if (begun_ && environments_.contains(stream_class->trace->number())) return {};
    return write_options(stream_class->default_clock, stream_class->trace);
  }

  // Counters of the source show its losses by themselves; of other sources they are put into the
  // counters.
  void note_loss(const Loss& loss) {
    const DataStreamClass* const stream_class =
        loss.stream == nullptr ? nullptr : loss.stream->stream_class;
    if (stream_class != nullptr && is_own_context(stream_class->common_context.get())) return;
    if (loss.stream == nullptr || !loss.events || loss.taken_back) {
      adaptations_.add(Adaptation::kLoss);
      return;
    }
    find_stream(loss.stream).lost += *loss.events;
  }
  // Losses behind a stream's last event, which no counter shows.
  void leave_out_unsaid(TargetStream& stream) {
    if (std::exchange(stream.lost, 0) != 0) adaptations_.add(Adaptation::kLoss);
  }
  // Before a stream's first event a counter says nothing.
  void leave_out_lost(TargetStream& stream) {
    const std::uint64_t lost = std::exchange(stream.lost, 0);
    if (!stream.begun || lost > kMostLost) adaptations_.add(Adaptation::kLoss);
    stream.counter += static_cast<std::uint32_t>(std::min(lost, kMostLost));
  }

  Adaptations adaptations_;
  Encoder encoder_;
  SlotAttributes values_;
  TargetClock clock_;
  bool begun_ = false;
  std::uint64_t last_end_ = 0;
  std::string id_text_;
  OpenTraces traces_;
  std::map<StreamIdentity, TargetStream> streams_;
  std::unordered_set<std::uint32_t> ids_;  // taken, from `next_id_` on
  std::uint32_t next_id_ = 0;              // those before are taken
  EntityId last_stream_ = EntityId::none();
  TargetStream* last_target_ = nullptr;
  std::unordered_map<std::uint64_t, std::size_t> environments_;  // by the number of the trace
  std::uint64_t last_trace_ = 0;
  std::size_t last_environment_ = 0;
};

}  // namespace

Result<std::unique_ptr<Writer>> create_writer(io::Output& output, const WriteOptions& options) {
  if (!options.version.empty() && options.version != "0.1.0") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the Heph trace format has no version {}: use 0.1.0", options.version));
  }
  return std::make_unique<TraceWriter>(output);
}

}  // namespace tracedeck::heph
