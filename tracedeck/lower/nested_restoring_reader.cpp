#include "tracedeck/lower/nested_restoring_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/flow/kept_values.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/field_lowering.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/mark_rule.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/lower/nested_fields.hpp"
#include "tracedeck/lower/restored_packet.hpp"
#include "tracedeck/lower/restoring_stage.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::lower {
namespace {

struct MarkedTrace;
struct RestoredStream;

// An event that waits for those before it.
struct HeldEvent {
  std::uint64_t order = 0;
  std::uint64_t number = 0;  // of those held, for equal orders
  RestoredStream* stream = nullptr;
  Event event = {};
  std::vector<Slot> slots = {};
  PacketValues packet = {};
  std::shared_ptr<std::vector<std::uint8_t>> bytes = {};
  std::uint64_t memory = 0;

  [[nodiscard]] std::array<std::vector<Slot>*, 3> values() {
    return {&slots, &packet.header, &packet.context};
  }
};

// For a heap with the first one in front.
bool comes_later(const HeldEvent& a, const HeldEvent& b) {
  return std::pair(b.order, b.number) < std::pair(a.order, a.number);
}

// Events whose order is known.
struct RestoredSequence {
  std::uint64_t events = 0;          // that were handed on
  std::vector<HeldEvent> held = {};  // a heap, the first one in front
  // Parts that have not begun, by their key, and the one at hand.
  std::map<std::uint64_t, RestoredStream*> waiting = {};
  RestoredStream* part = nullptr;
};

struct RestoredStream {
  std::shared_ptr<const DataStream> stream = {};
  std::shared_ptr<const void> owner = {};  // of the data stream and its description
  std::shared_ptr<RestoredSequence> sequence = {};
  bool is_part = false;
  RestoredPacket packet = {};
};

// One of the traces that marks describe.
struct MarkedTrace {
  MarkedTrace(const std::string& input, std::int64_t clock_shift) : reader(input, clock_shift) {}
  DescriptionReader reader;
  using Keys = std::pair<const DataStreamClass*, std::vector<std::uint64_t>>;
  std::map<Keys, RestoredStream> streams = {};
  std::map<std::uint64_t, RestoredStream> by_ordinal = {};
  std::map<const DataStreamClass*, std::shared_ptr<RestoredSequence>> recordings = {};
  std::uint64_t classes = 0;  // that were announced
};

// A data stream class of the result, as its mark says.
struct StoredStreams {
  MarkedTrace* trace = nullptr;
  const DataStreamClass* source = nullptr;
  std::vector<std::string> keys = {};
  std::optional<std::uint64_t> only = {};
  std::shared_ptr<const NestedContext> common = {};
};

// What is known of a class as it is stored.
struct StoredClass {
  explicit StoredClass(const EventClass&) {}
  bool is_loss = false;
  const StoredStreams* streams = nullptr;
  std::unique_ptr<NestedClass> lowered = {};  // null: it is shown as it is stored
  bool faulty = false;                        // an event did not fit
};

class NestedRestoringReader final : public RestoringStage {
 public:
  NestedRestoringReader(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                        const ReadOptions& options)
      : RestoringStage(std::move(stored), options), nested_(*profile.nested) {
    take_marks();
    // In the order of time, an event that waits comes before those that it waits for.
    if (auto streams = stored_->take_streams(); !streams.empty())
      merged_ = flow::merge(std::move(streams));
  }

  Result<BatchPtr> next() override { return next_batch(); }

 private:
  Result<BatchPtr> read() override {
    auto batch = merged_ == nullptr ? stored_->next() : merged_->next();
    if (batch && *batch != nullptr) take_marks();
    return batch;
  }

  Result<BatchPtr> end() override {
    for (const auto& sequence : sequences_) {
      while (!sequence->held.empty() && !output_.full()) {
        if (!hand_on_first(*sequence)) break;
      }
      if (!sequence->held.empty()) return output_.take();
    }
    if (!std::exchange(ended_, true)) {
      for (auto& [index, trace] : traces_) {
        for (auto& [keys, stream] : trace.streams) {
          if (!stream.is_part) end(stream);
        }
        for (auto& [ordinal, stream] : trace.by_ordinal) end(stream);
        for (const auto& [stream_class, sequence] : trace.recordings) {
          while (!sequence->waiting.empty()) enter(*sequence->waiting.rbegin()->second);
          if (sequence->part != nullptr) end(*sequence->part);
        }
      }
    }
    return take_output();
  }

  void pin(const RestoredStream& of) { output_.pin_lasting(of.owner); }

  // -- Marks -----------------------------------------------------------------------------------

  void ignore(std::string_view of, std::string_view name, std::string_view why) {
    report(0, fmt::format("the mark of {} `{}` is ignored: {}", of, name, why));
  }

  // Of the classes that have come.
  void take_marks() {
    const TraceDescription& stored = *stored_->description();
    for (; stream_classes_ < stored.stream_classes().size(); ++stream_classes_) {
      const DataStreamClass& each = stored.stream_classes()[stream_classes_];
      if (const auto mark = AttributeMark::find(each.attributes)) take_mark(each, *mark);
    }
    for (; event_classes_ < stored.event_classes().size(); ++event_classes_) {
      const EventClass& each = stored.event_classes()[event_classes_];
      if (const auto mark = AttributeMark::find(each.attributes)) take_mark(each, *mark);
    }
  }

  MarkedTrace* trace_of(const AttributeMark& mark, std::string_view of, std::string_view name) {
    if (mark.trace > traces_.size()) {
      ignore(of, name, "no mark is about the trace before its own");
      return nullptr;
    }
    constexpr std::uint64_t kTrace = 4096;
    if (mark.trace == traces_.size()) state_ += kTrace;
    MarkedTrace& trace =
        traces_.try_emplace(mark.trace, stored_->description()->input(), options_.clock_shift)
            .first->second;
    for (const std::string& text : mark.texts) {
      state_ += kStateOfText * text.size();
      if (state_ > options_.max_state) {
        ignore(of, name, kTooMuchState);
        return nullptr;
      }
      if (const auto added = trace.reader.add(text); !added)
        report(0, fmt::format("a mark is ignored: {}", added.error().message));
    }
    announce(trace);
    return trace.reader.description() == nullptr ? nullptr : &trace;
  }

  void announce(MarkedTrace& trace) {
    const std::shared_ptr<TraceDescription>& description = trace.reader.description();
    if (description == nullptr) return;
    if (!std::exchange(restores_, true)) description_ = description;
    if (description->stored_as().empty()) prepare(*description, stored_->description()->format());
    if (trace.classes == description->event_classes().size()) return;
    output_.pin_lasting(description);
    for (; trace.classes < description->event_classes().size(); ++trace.classes)
      output_.add(Record(&description->event_classes()[trace.classes]));
  }

  void take_mark(const DataStreamClass& stored, const AttributeMark& mark) {
    const std::string name = stored.id ? fmt::to_string(*stored.id) : std::string();
    MarkedTrace* const trace = trace_of(mark, "data stream class", name);
    if (trace == nullptr) return;
    // Of a trace without data streams.
    if (!mark.streams && !mark.stream) return;
    StoredStreams streams{.trace = trace};
    if (mark.streams) {
      streams.source = trace->reader.stream_class(mark.streams->stream_class);
      streams.keys = mark.streams->keys;
    } else if (mark.stream) {
      const auto stream = trace->reader.data_stream(*mark.stream);
      if (stream != nullptr) streams.source = stream->stream_class;
      streams.only = mark.stream;
    }
    if (streams.source == nullptr)
      return ignore("data stream class", name, "the class that it names is not described");
    // Parts are told apart by their only key.
    const bool is_part = streams.source->streams_are_parts && !streams.only;
    if (!has_keys(stored, streams.keys) || (is_part && streams.keys.size() != 1))
      return ignore("data stream class", name, "its packets do not say the keys that it names");
    if (!same_ticks(streams.source->default_clock, stored.default_clock))
      return ignore("data stream class", name, "its clock ticks otherwise than it says");
    streams.common = std::make_shared<NestedContext>(
        mark.is_loss ? nullptr : streams.source->common_context, nested_);
    if (!same_structure(streams.common->field_class, stored.common_context))
      return ignore("data stream class", name, "its common context has other fields than it says");
    streams_.emplace(stored.entity, std::move(streams));
  }

  static bool same_ticks(const ClockClass* source, const ClockClass* stored) {
    if (source == nullptr || stored == nullptr) return source == stored;
    const Tick& is = stored->tick;
    const Tick was = has_whole_frequency(*source) ? source->tick : Tick{};
    return Uint128{is.numerator} * was.denominator == Uint128{was.numerator} * is.denominator;
  }

  // The keys are the last members of packet contexts.
  static bool has_keys(const DataStreamClass& stored, const std::vector<std::string>& keys) {
    if (keys.empty()) return true;
    if (stored.packet_context == nullptr) return false;
    const auto& members = stored.packet_context->as<StructureClass>()->members;
    return members.size() >= keys.size() &&
           std::all_of(members.end() - static_cast<std::ptrdiff_t>(keys.size()), members.end(),
                       [](const Member& member) {
                         return same_nested_form(*member.field_class, *wide_number());
                       });
  }

  static bool same_structure(const FieldClassPtr& lowered, const FieldClassPtr& stored) {
    const auto is_empty = [](const FieldClassPtr& of) {
      return of == nullptr || of->as<StructureClass>()->members.empty();
    };
    if (is_empty(lowered) || is_empty(stored)) return is_empty(lowered) && is_empty(stored);
    return same_nested_form(*lowered, *stored);
  }

  void take_mark(const EventClass& stored, const AttributeMark& mark) {
    const std::string name = stored.name.value_or("");
    MarkedTrace* const trace = trace_of(mark, "event class", name);
    if (trace == nullptr) return;
    const auto streams = streams_.find(stored.stream_class->entity);
    if (streams == streams_.end() || streams->second.trace != trace) return;
    StoredClass& entry = classes_[stored];
    entry.streams = &streams->second;
    if (mark.is_loss) {
      entry.is_loss = same_structure(loss_class_.payload(), stored.payload);
      if (!entry.is_loss) ignore("event class", name, "the class has other fields than it says");
      return;
    }
    if (!mark.events) return;
    const EventClass* const source = trace->reader.event_class(mark.events->event_class);
    if (source == nullptr || source->stream_class != streams->second.source)
      return ignore("event class", name, "the class that it names is not described");
    auto lowered =
        std::make_unique<NestedClass>(*source, mark.events->shape, streams->second.common, nested_);
    state_ += lowered->memory();
    if (state_ > options_.max_state) return ignore("event class", name, kTooMuchState);
    if (!same_structure(lowered->payload(), stored.payload) ||
        !same_structure(lowered->specific_context(), stored.specific_context))
      return ignore("event class", name, "the class has other fields than it says");
    entry.lowered = std::move(lowered);
  }

  // -- Records ---------------------------------------------------------------------------------

  bool take(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return take_event(record);
      case RecordKind::kStreamBegin:
        if (!is_restored(*record.stream)) return copy(record);
        begin_stream(*record.stream);
        return true;
      case RecordKind::kStreamEnd:
        current_.erase(record.stream->entity);
        last_stream_ = nullptr;
        return (is_restored(*record.stream) && shown_.erase(record.stream->entity) == 0) ||
               copy(record);
      case RecordKind::kPacketBegin:
        if (!is_restored(*record.packet->stream)) return copy(record);
        begin_packet(*record.packet);
        return true;
      case RecordKind::kPacketEnd:
        return is_restored(*record.packet->stream) || copy(record);
      case RecordKind::kLoss:
        // It is told exactly by an event.
        return (record.loss->stream != nullptr && is_restored(*record.loss->stream)) ||
               copy(record);
      case RecordKind::kDescription:
        return true;
      default:
        return copy(record);
    }
  }

  // An event of a data stream that is restored, of which no mark is, or one that does not fit.
  bool as_stored(const Record& record) {
    const DataStream& stream = *record.event.stream;
    if (is_restored(stream) && shown_.insert(stream.entity).second)
      copy(Record(RecordKind::kStreamBegin, &stream));
    return copy(record);
  }

  [[nodiscard]] bool is_restored(const DataStream& stored) const {
    return streams_.contains(stored.stream_class->entity);
  }
  [[nodiscard]] const StoredStreams& stream_class_of(const DataStream& stored) const {
    return streams_.at(stored.stream_class->entity);
  }

  // Where packets say no keys, there is one at once.
  void begin_stream(const DataStream& stored) {
    const StoredStreams& streams = stream_class_of(stored);
    if (!streams.keys.empty()) return;
    current_[stored.entity] = &stream_of(streams, {});
    last_stream_ = nullptr;
  }

  void begin_packet(const Packet& packet) {
    const StoredStreams& streams = stream_class_of(*packet.stream);
    if (streams.keys.empty()) return;
    current_[packet.stream->entity] = &stream_of(streams, keys_of(streams, packet));
    last_stream_ = nullptr;
  }

  // Nothing but what the packet's context ends with.
  [[nodiscard]] static std::vector<std::uint64_t> keys_of(const StoredStreams& streams,
                                                          const Packet& packet) {
    std::vector<const Slot*> values;
    const Slot* const end = packet.context.data() + packet.context.size();
    for (const Slot* slot = packet.context.data(); slot < end; slot = slot->next())
      values.push_back(slot);
    std::vector<std::uint64_t> keys(streams.keys.size());
    if (values.size() < keys.size()) return keys;
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = values[values.size() - keys.size() + i]->bits;
    return keys;
  }

  RestoredStream& stream_of(const StoredStreams& streams, const std::vector<std::uint64_t>& keys) {
    MarkedTrace& trace = *streams.trace;
    if (!streams.only && !has_room_for_stream(trace, {streams.source, keys}))
      return trace.streams.begin()->second;
    RestoredStream& of =
        streams.only ? trace.by_ordinal[*streams.only] : trace.streams[{streams.source, keys}];
    if (of.stream != nullptr) return of;
    if (streams.only) {
      of.stream = trace.reader.data_stream(*streams.only);
    } else {
      DataStream made{.entity = trace.reader.description()->next_stream(),
                      .stream_class = streams.source};
      for (std::size_t i = 0; i < keys.size(); ++i)
        made.keys.push_back({.name = streams.keys[i], .value = keys[i]});
      of.stream = std::make_shared<const DataStream>(std::move(made));
    }
    of.is_part = streams.source->streams_are_parts && !streams.only;
    std::shared_ptr<RestoredSequence> own;
    std::shared_ptr<RestoredSequence>& sequence =
        of.is_part ? trace.recordings[streams.source] : own;
    if (sequence == nullptr)
      sequence = sequences_.emplace_back(std::make_shared<RestoredSequence>());
    of.sequence = sequence;
    using Owned = std::pair<std::shared_ptr<const DataStream>, std::shared_ptr<const void>>;
    of.owner = std::make_shared<const Owned>(of.stream, trace.reader.description());
    if (of.is_part) {
      sequence->waiting.emplace(keys.front(), &of);
    } else {
      begin(of);
    }
    return of;
  }

  // Whether the data stream is known, or may be made.
  bool has_room_for_stream(const MarkedTrace& trace, const MarkedTrace::Keys& keys) {
    if (trace.streams.contains(keys)) return true;
    state_ += kStateOfStream;
    if (state_ <= options_.max_state || trace.streams.empty()) return true;
    if (!std::exchange(streams_given_up_, true))
      report(0,
             fmt::format("the events of further data streams are shown with those of the first: {}",
                         kTooMuchState));
    return false;
  }

  void begin(RestoredStream& stream) {
    pin(stream);
    output_.add(Record(RecordKind::kStreamBegin, stream.stream.get()));
  }
  void end(RestoredStream& stream) {
    pin(stream);
    stream.packet.end(output_);
    output_.add(Record(RecordKind::kStreamEnd, stream.stream.get()));
  }

  // What comes is of this data stream. Parts follow each other, also those without events.
  void enter(RestoredStream& stream) {
    RestoredSequence& sequence = *stream.sequence;
    if (!stream.is_part || sequence.part == &stream) return;
    bool begun = false;
    while (!begun && !sequence.waiting.empty()) {
      RestoredStream& next = *sequence.waiting.begin()->second;
      if (next.stream->keys.front().value > stream.stream->keys.front().value) break;
      sequence.waiting.erase(sequence.waiting.begin());
      begin_part(next);
      begun = &next == &stream;
    }
    // Another program may have put parts together that lay apart.
    if (!begun) begin_part(stream);
  }
  void begin_part(RestoredStream& stream) {
    if (RestoredStream* const before = std::exchange(stream.sequence->part, &stream)) end(*before);
    begin(stream);
  }

  // Of an event, whose data stream is restored.
  RestoredStream& stream_of(const Event& event, const StoredStreams& streams) {
    if (last_stream_ != nullptr && event.stream->entity == last_stored_) return *last_stream_;
    RestoredStream*& current = current_[event.stream->entity];
    // Its packet says no keys, or did not begin.
    if (current == nullptr)
      current = &stream_of(streams, std::vector<std::uint64_t>(streams.keys.size()));
    last_stored_ = event.stream->entity;
    last_stream_ = current;
    return *current;
  }

  bool take_event(const Record& record) {
    const Event& event = record.event;
    StoredClass& stored = classes_[*event.event_class];
    if (stored.is_loss && take_loss(event, *stored.streams)) return true;
    if (stored.lowered == nullptr) return as_stored(record);
    std::uint64_t order = 0;
    event_bytes_ += event.size;
    if (!stored.lowered->restore(event, values_, order, arena_) || !is_in_proportion()) {
      if (!std::exchange(stored.faulty, true)) {
        report(event.offset, fmt::format("an event of class `{}` holds what its mark does not "
                                         "allow; such events are shown as they are stored",
                                         event.event_class->name.value_or("")));
      }
      return as_stored(record);
    }
    RestoredStream& stream = stream_of(event, *stored.streams);
    RestoredSequence& sequence = *stream.sequence;
    if (!hand_on_due(sequence)) return false;
    Event restored = event;
    restored.event_class = &stored.lowered->source();
    restored.stream = stream.stream.get();
    restored.time = values_.time;
    restored.end_time = values_.end_time;
    restored.common_count = values_.common_count;
    restored.specific_count = values_.specific_count;
    restored.header_count = 0;
    if (stored.lowered->shape().ordered && order > sequence.events) {
      hold(sequence, stream, restored, order);
      return true;
    }
    enter(stream);
    pin(stream);
    if (!add(restored, values_.slots, values_.packet, stream)) return false;
    pin_input();
    slots_ += values_.slots.size();
    ++sequence.events;
    return true;
  }

  // Structures without a field make values of no byte.
  [[nodiscard]] bool is_in_proportion() const {
    return slots_ + values_.slots.size() <= kFreeSlots + kSlotsEachByte * event_bytes_;
  }

  bool add(Event event, const std::vector<Slot>& slots, const PacketValues& packet,
           RestoredStream& stream) {
    Slot* const room = output_.room(slots.size());
    if (room == nullptr) return false;
    std::ranges::copy(slots, room);
    output_.commit(room + slots.size());
    event.slots = room;
    event.slot_count = static_cast<std::uint32_t>(slots.size());
    event.packet = stream.packet.take(*stream.stream, packet, output_);
    output_.add(Record(event));
    return true;
  }

  bool take_loss(const Event& event, const StoredStreams& streams) {
    std::uint64_t order = 0;
    if (!loss_class_.restore(event, values_, order, arena_)) return false;
    std::optional<LossMark> mark = LossMark::parse(values_.slots);
    if (!mark) return false;
    RestoredStream& stream = stream_of(event, streams);
    mark->loss.stream = stream.stream.get();
    enter(stream);
    pin(stream);
    output_.add_loss(mark->loss);
    return true;
  }

  // -- Order -----------------------------------------------------------------------------------

  void hold(RestoredSequence& sequence, RestoredStream& stream, const Event& event,
            std::uint64_t order) {
    HeldEvent held{.order = order,
                   .number = held_++,
                   .stream = &stream,
                   .event = event,
                   .slots = values_.slots,
                   .packet = values_.packet};
    std::size_t slots = 0;
    std::size_t size = 0;
    for (const std::vector<Slot>* const of : held.values()) {
      slots += of->size();
      size += flow::bytes_behind(*of);
    }
    held.bytes = std::make_shared<std::vector<std::uint8_t>>(size);
    std::uint8_t* to = held.bytes->data();
    for (std::vector<Slot>* const of : held.values()) to = flow::keep_bytes(*of, to);
    held.memory = sizeof(HeldEvent) + slots * sizeof(Slot) + size;
    held_memory_ += held.memory;
    sequence.held.push_back(std::move(held));
    std::ranges::push_heap(sequence.held, comes_later);
    if (held_memory_ > options_.max_state && !std::exchange(order_given_up_, true))
      report(event.offset,
             "the order of recording is not kept: too many events would have to wait");
  }

  // Those before the next one in the order of the data stream.
  bool hand_on_due(RestoredSequence& sequence) {
    while (!sequence.held.empty() &&
           (sequence.held.front().order <= sequence.events || held_memory_ > options_.max_state)) {
      if (!hand_on_first(sequence)) return false;
    }
    return true;
  }

  bool hand_on_first(RestoredSequence& sequence) {
    const HeldEvent& first = sequence.held.front();
    enter(*first.stream);
    pin(*first.stream);
    if (!add(first.event, first.slots, first.packet, *first.stream)) return false;
    output_.pin_bytes(first.bytes);
    held_memory_ -= first.memory;
    slots_ += first.slots.size();
    ++sequence.events;
    std::ranges::pop_heap(sequence.held, comes_later);
    sequence.held.pop_back();
    return true;
  }

  std::unique_ptr<RecordSource> merged_ = {};  // its data streams
  const NestedProfile& nested_;
  std::map<std::uint64_t, MarkedTrace> traces_;  // by their number in the marks
  std::unordered_map<EntityId, StoredStreams, EntityIdHash> streams_;
  std::unordered_map<EntityId, RestoredStream*, EntityIdHash> current_;  // of stored data streams
  std::unordered_set<EntityId, EntityIdHash> shown_;  // of those, with an event as it is stored
  EntityId last_stored_ = EntityId::none();
  RestoredStream* last_stream_ = nullptr;  // of `last_stored_`
  std::vector<std::shared_ptr<RestoredSequence>> sequences_;
  ClassTable<StoredClass> classes_;
  NestedClass loss_class_ = nested_loss_class(nested_);
  std::size_t stream_classes_ = 0;  // that were looked at
  std::size_t event_classes_ = 0;
  std::uint64_t held_ = 0;  // events that had to wait
  std::uint64_t held_memory_ = 0;
  std::uint64_t event_bytes_ = 0;
  bool order_given_up_ = false;
  bool streams_given_up_ = false;
};

}  // namespace

bool has_marks(const TraceDescription& description) {
  return std::ranges::any_of(description.stream_classes(), [](const DataStreamClass& each) {
    return AttributeMark::find(each.attributes).has_value();
  });
}

std::unique_ptr<Reader> restore_nested(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                                       const ReadOptions& options) {
  return std::make_unique<NestedRestoringReader>(std::move(stored), profile, options);
}

}  // namespace tracedeck::lower
