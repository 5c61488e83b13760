#include "tracedeck/lower/nested_lowering_writer.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/lowering_stage.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/lower/nested_description.hpp"
#include "tracedeck/lower/target_traces.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

// Data streams of the target for one of the source, at most.
constexpr std::size_t kMostStreams = 64;

Kept event_head() { return {.convention = Convention::kEventHead, .path = "event_header"}; }

// A class of a source in one shape.
struct ClassInTarget {
  const StreamsOf* streams = nullptr;
  NestedShape shape = {};
  std::unique_ptr<NestedClass> lowered = {};  // null: it is to be made again
  const EventClass* target = nullptr;         // once there is an event
  Account* account = nullptr;
};

// A class of a source.
struct KnownClass {
  explicit KnownClass(const EventClass&) {}
  std::optional<bool> held = {};  // as it is
  Account* heads = nullptr;       // of one that is held, but for the heads of its events
  std::list<ClassInTarget> lowered = {};
  ClassInTarget* last = nullptr;  // whose `lowered` is there
};

struct OpenStream {
  TraceInTarget* trace = nullptr;
  Sequence* sequence = nullptr;
  std::optional<Sequence> own = {};
};

class NestedLoweringWriter final : public LoweringStage {
 public:
  NestedLoweringWriter(const TargetProfile& profile, std::unique_ptr<Writer> target,
                       bool single_source, TraceNames names, bool part_of_source)
      : LoweringStage(profile, std::move(target),
                      {.heads = !single_source, .all = names != nullptr}),
        nested_(*profile.nested),
        single_source_(single_source),
        target_traces_(nested_, own_receipt(), std::move(names), part_of_source) {}

  Result<void> finish() override {
    while (!streams_.empty()) {
      const EntityId last = streams_.begin()->first;
      if (auto done = end_source(last); !done) return done;
    }
    for (auto& [number, trace] : target_traces_.all()) {
      if (auto done = end_trace(trace); !done) return done;
    }
    return next().finish();
  }

 private:
  Result<void> describe_lowered(const TraceDescription& source) override {
    return next().describe(*target_traces_.describe(source).target);
  }

  // -- Data streams ----------------------------------------------------------------------------

  // Makes it the last one.
  Result<void> find_stream(const DataStream& stream) {
    if (auto begun = begin_stream(stream); !begun) return begun;
    last_stream_ = stream.entity;
    last_source_ = &streams_.at(stream.entity);
    return {};
  }

  Result<void> begin_stream(const DataStream& stream) override {
    if (streams_.contains(stream.entity)) return {};
    if (auto fits = target_traces_.check_size(*stream.stream_class); !fits) return fits;
    if (open_.begin(stream.entity.trace)) {
      if (auto ended = end_gone_traces(); !ended) return ended;
    }
    TraceInTarget& trace = target_traces_.of(*stream.stream_class->trace);
    OpenStream& source = streams_[stream.entity];
    source.trace = &trace;
    ++trace.open;
    std::vector<std::uint64_t> values;
    bool plain = true;
    for (const StreamKey& key : stream.keys) {
      plain = plain && key.digits.empty();
      values.push_back(key.value);
    }
    const auto [named, is_new] =
        trace.keys.try_emplace({stream.stream_class->entity.ordinal, values}, stream.entity);
    const bool alone = !trace.same_format && (!plain || named->second != stream.entity);
    StreamsOf* streams = alone ? nullptr : trace.streams_of[stream.stream_class];
    const bool is_other = streams != nullptr && !trace.same_format &&
                          !std::ranges::equal(streams->keys, stream.keys, {}, {}, &StreamKey::name);
    if (streams == nullptr || is_other) {
      streams = &target_traces_.add_streams(trace, stream, alone);
      if (!alone) trace.streams_of[stream.stream_class] = streams;
    }
    target_traces_.mark(trace, *streams);
    if (stream.stream_class->streams_are_parts && !alone) {
      source.sequence = &trace.recordings[stream.stream_class];
    } else {
      source.sequence = &source.own.emplace();
    }
    source.sequence->streams = streams;
    OutStream* out = nullptr;
    if (source.sequence->outs.empty()) {
      auto made = add_out(*source.sequence, trace, trace.same_format ? &stream : nullptr);
      if (!made) return std::unexpected(made.error());
      out = *made;
    } else {
      out = &source.sequence->outs.front();
    }
    return say_keys(*out, stream);
  }

  // `source`: what it is called after, or null.
  Result<OutStream*> add_out(Sequence& sequence, TraceInTarget& trace,
                             const DataStream* source = nullptr) {
    OutStream& out = sequence.outs.emplace_back();
    if (source != nullptr) {
      out.stream = *source;
      out.keeps_packets = true;
    }
    auto begun = begin_out(out, *sequence.streams->target, trace);
    if (!begun) return std::unexpected(begun.error());
    return &out;
  }

  Result<void> begin_out(OutStream& out, const DataStreamClass& stream_class,
                         TraceInTarget& trace) {
    out.stream.entity = trace.target->next_stream();
    out.stream.stream_class = &stream_class;
    trace.loses_heads = loses_heads(*trace.source, *trace.target);
    if (out.stream.keys.empty() && !trace.same_format)
      out.stream.keys = {{"id", out.stream.entity.ordinal}};
    return next().write(Record(RecordKind::kStreamBegin, &out.stream));
  }

  // -- Heads -----------------------------------------------------------------------------------

  // Whether the target writes others than the trace has. `written`: as it gets it, when a data
  // stream of it begins.
  bool loses_heads(const TraceDescription& source, const TraceDescription& written) {
    const bool has_heads = source.format() == nested_.format && source.has_heads();
    if (!keeps_heads_) keeps_heads_ = single_source_ && has_heads && nested_.keeps_heads(written);
    return has_heads && !*keeps_heads_;
  }

  void see_held(const DataStream& stream) override {
    if (stream.stream_class == nullptr || stream.stream_class->trace == nullptr) return;
    const TraceDescription& trace = *stream.stream_class->trace;
    held_loses_heads_ = loses_heads(trace, trace);
    if (held_open_.begin(trace.number()))
      std::erase_if(held_described_, [&](const auto& each) { return !held_open_.has(each.first); });
  }
  // Classes whose data streams never began, once the last one of their trace has ended.
  Result<void> end_held(const DataStream& stream) override {
    if (stream.stream_class == nullptr || stream.stream_class->trace == nullptr) return {};
    const TraceDescription& trace = *stream.stream_class->trace;
    held_open_.end(trace.number());
    if (held_open_.has(trace.number())) return {};
    const std::pair classes(trace.stream_classes().size(), trace.event_classes().size());
    if (std::exchange(held_described_[trace.number()], classes) == classes) return {};
    return next().describe(trace);
  }
  void see_held(const Packet& packet) override {
    if (held_loses_heads_)
      count_heads(held_packet_heads_[packet.stream->stream_class->entity], packet);
  }

  void count_heads(Account*& account, const Packet& packet) {
    if (packet.header.empty() && packet.context.empty()) return;
    if (account == nullptr) {
      const DataStreamClass& of = *packet.stream->stream_class;
      const std::string name = of.name.value_or(of.id ? std::to_string(*of.id) : "");
      account = &own_receipt().add(
          {.kept = {{.convention = Convention::kPacketHead, .path = "stream." + name}},
           .input = of.trace->input(),
           .offset = packet.offset});
    }
    ++account->events;
  }

  void count_head(KnownClass& of, const Event& event) {
    const DataStreamClass& streams = *event.event_class->stream_class;
    if (streams.event_header == nullptr) return;
    if (of.heads == nullptr) {
      of.heads = &own_receipt().add({.class_name = event.event_class->name.value_or(""),
                                     .kept = {event_head()},
                                     .input = streams.trace->input(),
                                     .offset = event.offset});
    }
    ++of.heads->events;
  }

  // -- Packets ---------------------------------------------------------------------------------

  // Whether the packets to come are of that data stream of the source.
  static bool says_keys(const OutStream& out, const DataStream& source) {
    return out.source == source.entity || out.keeps_packets ||
           out.stream.stream_class->packet_context == nullptr;
  }

  Result<void> say_keys(OutStream& out, const DataStream& source) {
    if (says_keys(out, source)) return {};
    if (auto ended = end_packet(out); !ended) return ended;
    out.packet = std::make_unique<Packet>();
    out.packet->stream = &out.stream;
    for (const StreamKey& key : source.keys)
      out.packet->context.push_back(unsigned_slot(key.value));
    out.source = source.entity;
    return next().write(Record(RecordKind::kPacketBegin, out.packet.get()));
  }

  // Packets that stay.
  Result<void> begin_packet(const Packet& packet) override {
    if (packet.stream->entity != last_stream_) {
      if (auto found = find_stream(*packet.stream); !found) return found;
    }
    Sequence& sequence = *last_source_->sequence;
    if (sequence.streams->packets == nullptr) return {};
    if (last_source_->trace->loses_heads) count_heads(sequence.streams->packet_heads, packet);
    return begin_packet(sequence.outs.front(), *sequence.streams->packets, packet);
  }

  Result<void> begin_packet(OutStream& out, const NestedPacket& packets, const Packet& source) {
    if (auto ended = end_packet(out); !ended) return ended;
    arena_.clear();
    PacketValues values;
    if (!packets.lower(source, values, arena_))
      return fail(ErrorCode::kInvalidArgument, "a packet has values that are none of its class");
    out.packet = std::make_unique<Packet>(source);
    out.packet->stream = &out.stream;
    out.packet->header = std::move(values.header);
    out.packet->context = std::move(values.context);
    out.source_packet = &source;
    return next().write(Record(RecordKind::kPacketBegin, out.packet.get()));
  }

  Result<void> end_packet(const Packet& packet) override {
    const auto found = streams_.find(packet.stream->entity);
    if (found == streams_.end()) return {};
    OutStream& out = found->second.sequence->outs.front();
    return out.source_packet == &packet ? end_packet(out) : Result<void>();
  }

  Result<void> end_packet(OutStream& out) {
    if (out.packet == nullptr) return {};
    auto ended = next().write(Record(RecordKind::kPacketEnd, out.packet.get()));
    out.packet.reset();
    out.source_packet = nullptr;
    out.source = EntityId::none();
    return ended;
  }

  Result<void> end_out(OutStream& out) {
    if (auto ended = end_packet(out); !ended) return ended;
    return next().write(Record(RecordKind::kStreamEnd, &out.stream));
  }

  Result<void> end_sequence(Sequence& sequence) {
    for (OutStream& out : sequence.outs) {
      if (auto ended = end_out(out); !ended) return ended;
    }
    return sequence.losses ? end_out(*sequence.losses) : Result<void>();
  }

  Result<void> end_stream(const DataStream& stream) override { return end_source(stream.entity); }

  Result<void> end_source(EntityId stream) {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return {};
    TraceInTarget& trace = *found->second.trace;
    const bool is_last = --trace.open == 0;
    Result<void> ended;
    if (trace.same_format)
      ended = target_traces_.add_without_events(trace, *found->second.sequence->streams, &next());
    if (ended && is_last && found->second.own)
      ended = target_traces_.describe_rest(trace, *found->second.own->streams, next());
    if (ended && found->second.own) ended = end_sequence(*found->second.own);
    streams_.erase(found);
    last_stream_ = EntityId::none();
    open_.end(stream.trace);
    return ended;
  }

  Result<void> end_trace(TraceInTarget& trace) {
    for (auto& [stream_class, sequence] : trace.recordings) {
      if (auto described = target_traces_.describe_rest(trace, *sequence.streams, next());
          !described)
        return described;
      if (auto ended = end_sequence(sequence); !ended) return ended;
    }
    trace.recordings.clear();
    return {};
  }

  Result<void> end_gone_traces() {
    target_traces_.forget_sizes();
    auto& traces = target_traces_.all();
    for (auto each = traces.begin(); each != traces.end();) {
      if (open_.has(each->first)) {
        ++each;
        continue;
      }
      if (auto ended = end_trace(each->second); !ended) return ended;
      each = traces.erase(each);
    }
    return {};
  }

  // -- Events ----------------------------------------------------------------------------------

  // Of `last_known_`.
  [[gnu::always_inline]] ClassInTarget& class_for(const StreamsOf& streams,
                                                  const EventClass& source, NestedShape shape) {
    ClassInTarget* const last = last_known_->last;
    const bool as_before = last != nullptr && last->streams == &streams && last->shape == shape;
    return as_before ? *last : find_class(streams, source, shape);
  }

  ClassInTarget& find_class(const StreamsOf& streams, const EventClass& source, NestedShape shape) {
    const auto fits = [&](const ClassInTarget& each) {
      return each.streams == &streams && each.shape == shape;
    };
    std::list<ClassInTarget>& known = last_known_->lowered;
    auto found = std::ranges::find_if(known, fits);
    if (found == known.end())
      found = known.insert(found, ClassInTarget{.streams = &streams, .shape = shape});
    if (found->lowered == nullptr) {
      if (with_lowered_.size() == ClassCache<KnownClass>::kMost) forget_lowered();
      found->lowered = target_traces_.lowered_class(source, streams, shape);
      with_lowered_.push_back(last_known_);
    }
    return *(last_known_->last = &*found);
  }

  void forget_lowered() {
    for (KnownClass* const each : with_lowered_) {
      each->last = nullptr;
      for (ClassInTarget& shape : each->lowered) shape.lowered.reset();
    }
    with_lowered_.clear();
    target_traces_.forget_sizes();
  }

  // With its first event.
  void begin_class(TraceInTarget& trace, ClassInTarget& of, const Event& first) {
    const auto known =
        of.shape == NestedShape()
            ? trace.without_events.find({of.streams, first.event_class->entity.ordinal})
            : trace.without_events.end();
    of.target = known != trace.without_events.end()
                    ? known->second
                    : &target_traces_.add_class(trace, *of.streams, *of.lowered);
    std::vector<Kept> kept = of.lowered->kept();
    kept.insert(kept.end(), of.streams->common->kept.begin(), of.streams->common->kept.end());
    if (const NestedPacket* const packets = of.streams->packets.get())
      kept.insert(kept.end(), packets->kept.begin(), packets->kept.end());
    if (trace.loses_heads && first.event_class->stream_class->event_header != nullptr)
      kept.push_back(event_head());
    if (first.event_class->clock == nullptr && of.target->clock != nullptr)
      kept.push_back({.convention = Convention::kUntimed});
    of.account = &own_receipt().add({.class_name = of.lowered->name(),
                                     .kept = std::move(kept),
                                     .input = trace.source->input(),
                                     .offset = first.offset});
  }

  Result<void> write_event(const Event& event, const Record& record) override {
    if (event.event_class->entity != last_class_) {
      last_class_ = event.event_class->entity;
      last_known_ = &known_[*event.event_class];
      if (!last_known_->held) last_known_->held = event.stream == nullptr || is_held(*event.stream);
      if (!*last_known_->held && last_known_->lowered.empty() &&
          !target_traces_.check_size(*event.event_class)) {
        last_class_ = EntityId::none();
        return fail(ErrorCode::kLimitExceeded,
                    "its class has too many fields when it is written out",
                    event.event_class->stream_class->trace->input());
      }
    }
    if (*last_known_->held) {
      if (held_loses_heads_) count_head(*last_known_, event);
      return next().write(record);
    }
    if (event.stream->entity != last_stream_) {
      if (auto found = find_stream(*event.stream); !found) return found;
    }
    TraceInTarget& trace = *last_source_->trace;
    Sequence& sequence = *last_source_->sequence;
    const StreamsOf& streams = *sequence.streams;
    NestedShape shape;
    shape.in_packet = event.packet != nullptr && streams.packets_say_more &&
                      (!event.packet->header.empty() || !event.packet->context.empty());
    std::uint64_t time = 0;
    OutStream* out = &sequence.outs.front();
    if (streams.packets != nullptr) {
      time = event.time;
      if (event.packet != out->source_packet && event.packet != nullptr) {
        if (auto begun = begin_packet(*out, *streams.packets, *event.packet); !begun) return begun;
      }
    } else if (event.event_class->has_real_time()) {
      time = streams.whole_frequency ? event.time
                                     : in_nanoseconds(event.event_class->clock->tick, event.time);
      shape.clock_value = !streams.whole_frequency;
      if (time < out->last) [[unlikely]] {
        auto chosen = choose(sequence, trace, time);
        if (!chosen) return std::unexpected(chosen.error());
        out = *chosen;
        shape.ordered = out != &sequence.outs.front();
        shape.clock_value = shape.clock_value || time < out->last;
        time = std::max(time, out->last);
      }
    } else {
      // It did not happen when its clock says.
      shape.clock_value = event.has_time();
      time = out->last;
    }
    ClassInTarget* lowered = &class_for(streams, *event.event_class, shape);
    arena_.clear();
    while (!lowered->lowered->lower(event, sequence.events, values_, arena_)) [[unlikely]] {
      if (shape.any_integer)
        return fail(ErrorCode::kInvalidArgument, "an event has values that are none of its class");
      // First only strings, which are the more usual cause.
      shape.any_integer = std::exchange(shape.any_string, true);
      lowered = &class_for(streams, *event.event_class, shape);
      arena_.clear();
    }
    const bool is_first = lowered->target == nullptr;
    if (is_first) begin_class(trace, *lowered, event);
    if (!says_keys(*out, *event.stream)) {
      if (auto said = say_keys(*out, *event.stream); !said) return said;
    }
    auto written = put(*lowered->target, *out, time, event);
    if (written) [[likely]] {
      ++sequence.events;
      ++lowered->account->events;
      if (is_first) TargetTraces::forget_mark(*lowered->target);
    }
    return written;
  }

  // For an event that is earlier than the one before in the first of them.
  Result<OutStream*> choose(Sequence& sequence, TraceInTarget& trace, std::uint64_t time) {
    // Each ends earlier than the one before.
    const auto place = std::ranges::lower_bound(sequence.outs.begin() + 1, sequence.outs.end(),
                                                time, std::ranges::greater(), &OutStream::last);
    if (place != sequence.outs.end()) return &*place;
    if (sequence.outs.size() < kMostStreams) return add_out(sequence, trace);
    return &sequence.outs.back();
  }

  Result<void> put(const EventClass& target, OutStream& out, std::uint64_t time,
                   const Event& source) {
    Record record;
    Event& event = record.event;
    event.event_class = &target;
    event.stream = &out.stream;
    event.packet = out.packet.get();
    event.time = event.end_time = time;
    event.offset = source.offset;
    event.slots = values_.slots.data() + values_.header_count;
    event.slot_count = static_cast<std::uint32_t>(values_.slots.size()) - values_.header_count;
    event.header_count = values_.header_count;
    event.common_count = values_.common_count;
    event.specific_count = values_.specific_count;
    auto written = next().write(record);
    if (written) [[likely]]
      out.last = time;
    return written;
  }

  // -- Losses ----------------------------------------------------------------------------------

  Result<void> write_loss(const Loss& loss) override {
    if (loss.stream->entity != last_stream_) {
      if (auto found = find_stream(*loss.stream); !found) return found;
    }
    TraceInTarget& trace = *last_source_->trace;
    Sequence& sequence = *last_source_->sequence;
    StreamsOf& streams = *sequence.streams;
    if (streams.packets != nullptr) {
      Loss same = loss;
      same.stream = &sequence.outs.front().stream;
      return next().write(Record(&same));
    }
    if (streams.losses == nullptr) add_loss_class(trace, streams);
    if (!sequence.losses) {
      auto begun = begin_out(sequence.losses.emplace(), *streams.losses->stream_class, trace);
      if (!begun) return begun;
    }
    if (auto said = say_keys(*sequence.losses, *loss.stream); !said) return said;
    own_receipt().count(Convention::kLoss);
    loss_slots_.clear();
    arena_.clear();
    LossMark{.trace = trace.index, .stream = loss.stream->entity.ordinal, .loss = loss}.append(
        loss_slots_, arena_);
    Event event;
    event.event_class = &loss_class();
    event.slots = loss_slots_.data();
    event.slot_count = static_cast<std::uint32_t>(loss_slots_.size());
    if (!loss_class_.lower(event, 0, values_, arena_))
      return fail(ErrorCode::kInvalidArgument, "a loss cannot be written");
    const std::uint64_t time = std::max(sequence.losses->last, sequence.outs.front().last);
    if (auto done = put(*streams.losses, *sequence.losses, time, event); !done) return done;
    OutStream& out = sequence.outs.front();
    // What was lost belongs to the next packet; what came after all may still be counted there.
    if (!loss.taken_back) {
      if (auto ended = end_packet(out); !ended) return ended;
    }
    Loss native = loss;
    native.stream = &out.stream;
    return next().write(Record(&native));
  }

  void add_loss_class(TraceInTarget& trace, StreamsOf& streams) {
    DataStreamClass& stream_class = target_traces_.add_stream_class(trace, streams, {}, true);
    target_traces_.mark(trace, streams, stream_class, true);
    streams.losses = &trace.target->add_event_class(
        {.name = std::string(kLossName),
         .name_space = {},
         .uid = {},
         .stream_class = &stream_class,
         .clock = stream_class.default_clock,
         .payload = loss_class_.payload(),
         .attributes = MarkText(trace.index).take({.is_loss = true}, {})});
  }

  const NestedProfile& nested_;
  bool single_source_;
  std::optional<bool> keeps_heads_;
  bool held_loses_heads_ = false;
  std::unordered_map<EntityId, Account*, EntityIdHash> held_packet_heads_;
  OpenTraces held_open_;
  // How many data stream and event classes of them the target has, by their numbers.
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> held_described_;
  OpenTraces open_;
  TargetTraces target_traces_;
  std::unordered_map<EntityId, OpenStream, EntityIdHash> streams_;
  EntityId last_stream_ = EntityId::none();
  OpenStream* last_source_ = nullptr;
  ClassTable<KnownClass> known_;
  EntityId last_class_ = EntityId::none();
  KnownClass* last_known_ = nullptr;       // of `last_class_`
  std::vector<KnownClass*> with_lowered_;  // with some `lowered`
  NestedValues values_;
  ReusedArena arena_;
  NestedClass loss_class_ = nested_loss_class(nested_);
  std::vector<Slot> loss_slots_;
};

}  // namespace

std::unique_ptr<Writer> lower_nested(const TargetProfile& profile, std::unique_ptr<Writer> target,
                                     bool single_source, TraceNames names, bool part_of_source) {
  return std::make_unique<NestedLoweringWriter>(profile, std::move(target), single_source,
                                                std::move(names), part_of_source);
}

}  // namespace tracedeck::lower
