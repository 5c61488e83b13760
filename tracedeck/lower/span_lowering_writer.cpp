#include "tracedeck/lower/span_lowering_writer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/comparison/class_differences.hpp"
#include "tracedeck/heph/span_layout.hpp"
#include "tracedeck/heph/writer.hpp"
#include "tracedeck/lower/description_losses.hpp"
#include "tracedeck/lower/lead_in.hpp"
#include "tracedeck/lower/lowered_class.hpp"
#include "tracedeck/lower/slot_run.hpp"
#include "tracedeck/lower/span_clock.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::lower {
namespace {

// An option of the target that is no entry of the environment.
constexpr std::string_view kEpoch = "epoch";

// A counter that is further on would be taken for one that comes late.
constexpr std::uint64_t kMostLost = (std::uint64_t{1} << 31) - 1;

// A data stream of the target.
struct TargetStream {
  std::uint32_t id = 0;
  std::uint32_t counter = 0;  // of its next event, where the source has none
  std::uint64_t lost = 0;     // since the last event
};

// What distinguishes the data streams of the sources: those of a class with the same keys are one.
struct StreamIdentity {
  EntityId stream_class = EntityId::none();
  std::string keys = {};

  explicit StreamIdentity(const DataStream& stream) : stream_class(stream.stream_class->entity) {
    for (const StreamKey& key : stream.keys) {
      keys += key.name;
      keys += '\0';
      keys.append(reinterpret_cast<const char*>(&key.value), sizeof(key.value));
      keys += key.digits;
      keys += '\0';
    }
  }
  friend bool operator<(const StreamIdentity& a, const StreamIdentity& b) {
    return std::tie(a.stream_class.trace, a.stream_class.ordinal, a.keys) <
           std::tie(b.stream_class.trace, b.stream_class.ordinal, b.keys);
  }
};

// A class in one shape, as the target has it.
struct LoweredSpan {
  std::unique_ptr<LoweredClass> lowered = {};  // null: its events describe themselves
  EventClass target = {};
  std::optional<heph::SpanLayout> layout = {};
  bool keeps_plain_values = false;
  std::uint64_t* events = nullptr;
};

// A class of a source.
struct KnownSpan {
  explicit KnownSpan(const EventClass& of) : own_context(of.stream_class->context_identifies) {}
  bool own_context;
  // By whether events are in packets, and whether any of its integers may be wide.
  std::unique_ptr<LoweredSpan> shapes[2][2] = {};
};

class SpanLowering final : public TimedLowering {
 public:
  SpanLowering(const TargetProfile& profile, std::unique_ptr<Writer> target, bool part_of_source)
      : TimedLowering(profile, std::move(target), {}),
        spans_(dynamic_cast<heph::TraceWriter&>(next())),
        description_(std::make_shared<TraceDescription>("", std::string(profile.format), "")) {
    if (part_of_source) losses_.set_part_of(profile.format);
  }

  void begin_at(const Event& first) override {
    const EventClass& of = *first.event_class;
    adopt(*of.stream_class->trace, of.clock);
    last_end_ = clock_.time(*of.clock, first.time).value;
  }

  Result<void> finish() override { return next().finish(); }
  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = losses_.entries();
    std::ranges::move(spans_.receipt(), std::back_inserter(receipt));
    return receipt;
  }

 private:
  // -- Sources ---------------------------------------------------------------------------------

  // What a trace has come to describe. `clock`: of its first event, may be null.
  void adopt(const TraceDescription& trace, const ClockClass* clock) {
    if (trace.number() == last_trace_ && trace.environment().size() == last_environment_ &&
        trace.stream_classes().size() == last_stream_classes_)
      return;
    take_description(trace, clock);
  }

  void take_description(const TraceDescription& trace, const ClockClass* clock) {
    described_ = false;
    if (stream_class_ == nullptr) make_target(trace, clock);
    if (trace.number() != last_trace_) options_.clear();
    losses_.take(trace);
    for (const Attribute* const entry : losses_.new_environment(trace)) add_option(trace, *entry);
    last_trace_ = trace.number();
    last_environment_ = trace.environment().size();
    last_stream_classes_ = trace.stream_classes().size();
  }

  void make_target(const TraceDescription& trace, const ClockClass* clock) {
    if (clock == nullptr && !trace.clocks().empty()) clock = &trace.clocks()[0];
    ClockClass made{.id = "monotonic"};
    clock_.begin(clock, made);
    const bool has_epoch = made.origin == ClockOrigin::kUnixEpoch;
    stream_class_ =
        &description_->add_stream_class({.default_clock = &description_->add_clock(std::move(made)),
                                         .common_context = profile().plain->common_context(),
                                         .context_identifies = true});
    losses_.set_target(*stream_class_);
    if (has_epoch && trace.format() != profile().format)
      losses_.add_environment(Lost::kEnvironmentAdded, trace, kEpoch);
  }

  void add_option(const TraceDescription& trace, const Attribute& entry) {
    // A trace of the target's format has the first of its own as its times have it.
    const bool own = trace.format() == profile().format;
    if (own && entry.key == kEpoch && options_.insert(std::string(kEpoch)).second) return;
    const bool held = entry.key != kEpoch && entry.key.size() <= profile().longest_name &&
                      options_.insert(entry.key + '\0' + entry.value).second;
    if (!held) return losses_.add_environment(Lost::kEnvironment, trace, entry.key);
    if (entry.is_json) losses_.add_environment(Lost::kEnvironmentText, trace, entry.key);
    description_->add_environment({.key = entry.key, .value = entry.value});
  }

  Result<void> describe_lowered(const TraceDescription& trace) override {
    adopt(trace, nullptr);
    losses_.classes_without_events(trace);
    return next().describe(*description_);
  }

  Result<void> begin_stream(const DataStream& stream) override {
    if (!losses_.begin(stream)) return {};
    std::erase_if(streams_,
                  [this](const auto& each) { return !losses_.has(each.first.stream_class.trace); });
    last_stream_ = EntityId::none();
    last_target_ = nullptr;
    return {};
  }

  // Options of a trace without an event, too.
  Result<void> end_stream(const DataStream& stream) override {
    const DataStreamClass& stream_class = *stream.stream_class;
    adopt(*stream_class.trace, stream_class.default_clock);
    losses_.end(stream);
    return next().describe(*description_);
  }

  // -- Data streams and losses -----------------------------------------------------------------

  TargetStream& stream_of(const DataStream& stream) {
    if (stream.entity == last_stream_ && last_target_ != nullptr) return *last_target_;
    last_stream_ = stream.entity;
    last_target_ = &find_stream(stream);
    return *last_target_;
  }

  TargetStream& find_stream(const DataStream& stream) {
    const auto [place, is_new] = streams_.try_emplace(StreamIdentity(stream));
    if (!is_new) return place->second;
    const std::uint64_t wanted = stream.keys.empty() ? 0 : stream.keys.back().value;
    const bool just_an_id =
        stream.keys.size() == 1 && stream.keys[0].name == "id" && stream.keys[0].digits.empty();
    place->second.id = free_id(wanted);
    if (!just_an_id || place->second.id != wanted) losses_.other_keys(stream);
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

  // Counters of the source show its losses by themselves; those of other sources are put into the
  // counters, which cannot say when it was.
  Result<void> write_loss(const Loss& loss) override {
    const DataStreamClass* const stream_class =
        loss.stream == nullptr ? nullptr : loss.stream->stream_class;
    if (stream_class != nullptr && stream_class->context_identifies) {
      if (loss.events)
        spans_.note_lost(find_stream(*loss.stream).id, *loss.events, loss.taken_back);
      return {};
    }
    if (stream_class != nullptr) adopt(*stream_class->trace, stream_class->default_clock);
    losses_.add(Lost::kLosses, "", "loss", {});
    if (stream_class != nullptr && loss.events && !loss.taken_back)
      find_stream(*loss.stream).lost += *loss.events;
    return {};
  }

  // -- Events ----------------------------------------------------------------------------------

  Result<void> write_event(const Event& event, const Record&) override {
    const EventClass& event_class = *event.event_class;
    if (event_class.entity != last_class_) {
      adopt(*event_class.stream_class->trace, event_class.clock);
      last_class_ = event_class.entity;
      last_known_ = &known_[event_class];
    }
    TargetStream& stream = stream_of(*event.stream);
    heph::EventHead head;
    put_place(event, stream, head);
    const bool in_packet = event.packet != nullptr &&
                           (!event.packet->header.empty() || !event.packet->context.empty());
    LoweredSpan* span = last_known_->shapes[in_packet ? 1 : 0][0].get();
    std::span<const Slot> values = event.payload();
    std::size_t room = span != nullptr && span->keeps_plain_values ? span->layout->room(values) : 0;
    if (room == 0) {
      auto lowered = lower(event, in_packet);
      if (!lowered) return std::unexpected(lowered.error());
      span = *lowered;
      values = slots_;
      room = span->layout->room(values);
      // Where there is such room, nothing is too long.
      if (room == 0) cut(event, *span);
    }
    ++*span->events;
    if (event_class.has_real_time()) {
      head.start = time_of(event, event.time);
      head.end = event_class.has_duration ? time_of(event, event.end_time) : head.start;
      last_end_ = head.end;
    } else {
      head.start = head.end = last_end_;
    }
    if (!described_) [[unlikely]] {
      if (auto done = spans_.describe(*description_); !done) return done;
      described_ = true;
    }
    return room != 0 ? spans_.put_plain(*span->layout, head, values, room)
                     : spans_.put(*span->layout, head, values);
  }

  std::uint64_t time_of(const Event& event, std::uint64_t value) {
    const ClockClass& clock = *event.event_class->clock;
    if (clock_.is_same(clock)) [[likely]]
      return value;
    const SpanClock::Time time = clock_.time(clock, value);
    if (time.loss) [[unlikely]]
      add(*time.loss, event, "");
    return time.value;
  }

  void add(Lost loss, const Event& event, std::string_view path) {
    losses_.add(loss, comparison::class_name(*event.event_class), path,
                {event.event_class->stream_class->trace->input(), event.offset});
  }

  // Its data stream, substream and counter.
  void put_place(const Event& event, TargetStream& stream, heph::EventHead& head) {
    head.stream = stream.id;
    if (stream.lost != 0) [[unlikely]] {
      const std::uint64_t lost = std::min(std::exchange(stream.lost, 0), kMostLost);
      stream.counter += static_cast<std::uint32_t>(lost);
      spans_.note_lost(stream.id, lost);
    }
    if (last_known_->own_context && event.common_count == 2) {
      head.substream = event.slots[0].bits;
      stream.counter = static_cast<std::uint32_t>(event.slots[1].bits);
    }
    head.counter = stream.counter++;
  }

  // Makes the values of an event in `slots_`.
  Result<LoweredSpan*> lower(const Event& event, bool in_packet) {
    for (const bool wide : {false, true}) {
      std::unique_ptr<LoweredSpan>& known = last_known_->shapes[in_packet ? 1 : 0][wide ? 1 : 0];
      if (known == nullptr) {
        auto made = make(event, {.packet_context = in_packet, .any_integer = wide});
        if (!made) return std::unexpected(made.error());
        known = *std::move(made);
      }
      LoweredSpan& span = *known;
      slots_.clear();
      arena_.clear();
      SlotRun run(slots_);
      if (span.lowered == nullptr) {
        const std::span<const Slot> payload = event.payload();
        run.keep(payload.data(), payload.data() + payload.size());
      } else if (!span.lowered->lower(event, run, arena_)) {
        continue;
      }
      static_cast<void>(run.settled());
      return &span;
    }
    return fail(ErrorCode::kInvalidArgument, "an event lacks values of its packet");
  }

  Result<std::unique_ptr<LoweredSpan>> make(const Event& event, Shape shape) {
    const EventClass& source = *event.event_class;
    auto made = std::make_unique<LoweredSpan>();
    LoweredSpan& span = *made;
    span.target = {.stream_class = stream_class_,
                   .clock = stream_class_->default_clock,
                   .has_duration = true,
                   .self_described = source.self_described};
    if (source.self_described) {
      span.target.payload = source.payload;
    } else {
      auto lowered =
          LoweredClass::make(source, std::move(shape), profile(), profile().most_members);
      if (!lowered) return std::unexpected(lowered.error());
      span.lowered = *std::move(lowered);
      span.target.name = span.lowered->name();
      span.target.payload = span.lowered->payload();
    }
    span.layout.emplace(span.target);
    span.keeps_plain_values = span.lowered != nullptr && span.lowered->keeps_plain_values();
    span.events = &losses_.events_of(event, span.target);
    return made;
  }

  // What is too long for the target.
  void cut(const Event& event, const LoweredSpan& span) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.length <= kMost) [[likely]]
        continue;
      const bool is_list = slot.kind == SlotKind::kArray && slot.bits > kMost;
      const bool is_packed = slot.kind == SlotKind::kPackedArray && packed_count(slot) > kMost;
      if (!is_list && !is_packed && slot.kind != SlotKind::kString) continue;
      add(Lost::kTooLong, event, path_of(i, span));
      if (slot.kind == SlotKind::kString) {
        // Not in the middle of a character.
        std::size_t size = kMost;
        while (size > kMost - 3 && (slot.pointer[size] & 0xC0U) == 0x80U) --size;
        slot.length = static_cast<std::uint32_t>(size);
      } else if (is_list) {
        slot.bits = kMost;
      } else {
        slot.length = static_cast<std::uint32_t>(
            kMost * element_size(static_cast<PackedElement>(slot.detail)));
      }
    }
  }

  // The field that a slot is in.
  [[nodiscard]] std::string path_of(std::size_t index, const LoweredSpan& span) const {
    if (span.lowered == nullptr) return "";
    const auto& members = span.target.payload->as<StructureClass>()->members;
    const Slot* slot = slots_.data();
    for (const Member& member : members) {
      const Slot* const behind = slot->next();
      if (slots_.data() + index < behind) return member.name.str();
      slot = behind;
    }
    return "";
  }

  static constexpr std::uint32_t kMost = 65'535;

  heph::TraceWriter& spans_;                       // the target
  std::shared_ptr<TraceDescription> description_;  // of what it gets
  bool described_ = false;                         // all of it to the target
  const DataStreamClass* stream_class_ = nullptr;
  DescriptionLosses losses_;
  SpanClock clock_;
  TextSet options_;  // names and values
  std::map<StreamIdentity, TargetStream> streams_;
  NumberSet<std::uint32_t> ids_;  // taken, from `next_id_` on
  std::uint32_t next_id_ = 0;     // those before are taken
  EntityId last_stream_ = EntityId::none();
  TargetStream* last_target_ = nullptr;
  ClassCache<KnownSpan> known_;
  EntityId last_class_ = EntityId::none();
  KnownSpan* last_known_ = nullptr;
  std::uint64_t last_trace_ = 0;
  std::size_t last_environment_ = 0;
  std::size_t last_stream_classes_ = 0;
  std::uint64_t last_end_ = 0;
  std::vector<Slot> slots_;
  ReusedArena arena_;
};

}  // namespace

std::unique_ptr<Writer> lower_to_spans(const TargetProfile& profile, std::unique_ptr<Writer> target,
                                       bool part_of_source) {
  return std::make_unique<LeadIn>(
      std::make_unique<SpanLowering>(profile, std::move(target), part_of_source));
}

}  // namespace tracedeck::lower
