#include "tracedeck/lower/nested_restoring_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/mark_rule.hpp"
#include "tracedeck/lower/marked_stage.hpp"
#include "tracedeck/lower/restored_streams.hpp"

namespace tracedeck::lower {
namespace {

// Whose packets say the keys of a data stream of the source: what their contexts end with.
RestoredStreams::Keys keys_of(const StoredStreamClass& streams, const Packet& packet) {
  std::vector<const Slot*> values;
  const Slot* const end = packet.context.data() + packet.context.size();
  for (const Slot* slot = packet.context.data(); slot < end; slot = slot->next())
    values.push_back(slot);
  RestoredStreams::Keys keys(streams.keys.size());
  if (values.size() < keys.size()) return keys;
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = values[values.size() - keys.size() + i]->bits;
  return keys;
}

class NestedRestoringReader final : public MarkedStage {
 public:
  NestedRestoringReader(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                        const ReadOptions& options)
      : MarkedStage(std::move(stored), profile, options) {
    take_marks();
    note_ordered_packets();
    streams_.on_batch([this] { take_marks(); });
  }

  Result<BatchPtr> next() override { return next_batch(); }

 private:
  void end() override {
    report_missing_texts();
    restored_.end();
  }

  bool resume_waiting() override {
    for (const auto& sequence : restored_.sequences()) {
      if (sequence->waiting.empty()) continue;
      // Those before it are missing.
      const auto [order, stream] = sequence->take_first();
      sequence->events = std::max(sequence->events, order);
      streams_.resume(stream);
      return true;
    }
    return false;
  }

  Taken take(const Record& record) override {
    return record.kind == RecordKind::kEvent ? take_event(record) : take_other(record);
  }

  [[gnu::noinline]] Taken take_other(const Record& record) {
    switch (record.kind) {
      case RecordKind::kStreamBegin:
        return begin_stream(record);
      case RecordKind::kStreamEnd:
        return end_stream(record);
      case RecordKind::kPacketBegin:
        return begin_packet(record);
      case RecordKind::kPacketEnd:
        return end_packet(record);
      case RecordKind::kLoss:
        return take_loss(record);
      case RecordKind::kDescription:
        return Taken::kYes;
      default:
        return copy(record);
    }
  }

  // -- Data streams ----------------------------------------------------------------------------

  // Where packets say no keys, there is one at once.
  Taken begin_stream(const Record& record) {
    const StoredStreamClass* const stored = stream_class_of(*record.stream);
    if (stored == nullptr) return copy(record);
    if (stored->packets != nullptr) {
      set_current(*record.stream, restored_.same(*stored, *record.stream));
    } else if (stored->keys.empty()) {
      set_current(*record.stream, stream_of(*stored, {}));
    }
    return Taken::kYes;
  }

  Taken end_stream(const Record& record) {
    const EntityId stored = record.stream->entity;
    const StoredStreamClass* const of = stream_class_of(*record.stream);
    if (of != nullptr && of->packets != nullptr) restored_.end_same(*of, *record.stream);
    current_.erase(stored);
    last_stream_ = nullptr;
    return shown_.erase(stored) != 0 || of == nullptr ? copy(record) : Taken::kYes;
  }

  Taken begin_packet(const Record& record) {
    const Packet& packet = *record.packet;
    const StoredStreamClass* const stored = stream_class_of(*packet.stream);
    if (stored == nullptr) return copy(record);
    // Packets that are made up are not stored, and those that are say when events are.
    if (options_.packets_only && stored->packets == nullptr) return copy(record);
    if (stored->packets != nullptr) {
      begin_same(*stored, packet);
    } else if (!stored->keys.empty()) {
      set_current(*packet.stream, stream_of(*stored, keys_of(*stored, packet)));
    }
    return Taken::kYes;
  }

  // A packet that stays.
  void begin_same(const StoredStreamClass& of, const Packet& stored) {
    RestoredStream& stream = restored_.same(of, *stored.stream);
    PacketValues values;
    const bool fits = *of.trace->has_heads
                          ? of.packets->restore(stored, values, arena_)
                          : of.packets->restore_users(stored, of.packet_users, values, arena_);
    if (!fits) {
      report(stored.offset, "a packet holds what its mark does not allow");
      values.clear();
    }
    restored_.enter(stream);
    stream.packet.begin(*stream.stream, stored, values, output_);
  }

  Taken end_packet(const Record& record) {
    const DataStream& stored = *record.packet->stream;
    const StoredStreamClass* const of = stream_class_of(stored);
    if (of == nullptr) return copy(record);
    if (of->packets != nullptr) {
      RestoredStream& stream = restored_.same(*of, stored);
      restored_.enter(stream);
      stream.packet.end(output_);
    }
    return Taken::kYes;
  }

  Taken take_loss(const Record& record) {
    const DataStream* const stored = record.loss->stream;
    const StoredStreamClass* const of = stored == nullptr ? nullptr : stream_class_of(*stored);
    if (of == nullptr) return copy(record);
    // Else it is told exactly by an event.
    if (of->packets != nullptr) add_loss(*record.loss, restored_.same(*of, *stored));
    return Taken::kYes;
  }

  void add_loss(Loss loss, RestoredStream& stream) {
    loss.stream = stream.stream.get();
    restored_.enter(stream);
    output_.add_loss(loss);
  }

  // What the stored data stream is of, from here on.
  void set_current(const DataStream& of, RestoredStream& restored) {
    current_[of.entity] = &restored;
    last_stream_ = nullptr;
  }

  RestoredStream& stream_of(const StoredStreamClass& stored, const RestoredStreams::Keys& keys) {
    if (!stored.only && !restored_.has(stored, keys)) {
      state_ += kStateOfStream;
      RestoredStream* const other =
          state_ > options_.max_state ? restored_.any(*stored.trace) : nullptr;
      if (other != nullptr) {
        if (!std::exchange(streams_given_up_, true))
          report(0, fmt::format(
                        "the events of further data streams are shown with those of the first: {}",
                        kTooMuchState));
        return *other;
      }
    }
    return restored_(stored, keys);
  }

  // Of an event, whose data stream is restored.
  RestoredStream& stream_of(const Event& event, const StoredStreamClass& stored) {
    const bool is_last = last_stream_ != nullptr && event.stream->entity == last_stored_;
    return is_last ? *last_stream_ : enter_stream_of(event, stored);
  }
  [[gnu::noinline]] RestoredStream& enter_stream_of(const Event& event,
                                                    const StoredStreamClass& stored) {
    RestoredStream*& current = current_[event.stream->entity];
    // Its packet says no keys, or did not begin.
    if (current == nullptr) {
      current = stored.packets == nullptr
                    ? &stream_of(stored, RestoredStreams::Keys(stored.keys.size()))
                    : &restored_.same(stored, *event.stream);
    }
    last_stored_ = event.stream->entity;
    last_stream_ = current;
    return *current;
  }

  // -- Events ----------------------------------------------------------------------------------

  Taken take_event(const Record& record) {
    const Event& event = record.event;
    StoredClass& stored = class_of(event);
    if (stored.is_loss && take_loss(event, *stored.streams)) return Taken::kYes;
    if (stored.lowered == nullptr) return as_stored(record);
    RestoredStream& stream = stream_of(event, *stored.streams);
    if (!stream.keeps_packets && waits(event, *stored.lowered, *stream.sequence))
      return Taken::kLater;
    const bool fits = stored.lowered->restore(event, values_, arena_);
    event_bytes_ += event.size;
    if (!fits || !is_in_proportion(event_bytes_, values_.slots.size())) {
      if (!std::exchange(stored.faulty, true)) {
        report(event.offset, fmt::format("an event of class `{}` holds what its mark does not "
                                         "allow; such events are shown as they are stored",
                                         event.event_class->name.value_or("")));
      }
      return as_stored(record);
    }
    if (stored.lowered->shape().clock_value && values_.moved && !std::exchange(stored.moved, true))
        [[unlikely]]
      report_moved(event);
    restored_.enter(stream);
    const bool has_header = stream.keeps_packets && *stored.streams->trace->has_heads;
    const std::uint32_t header_count = has_header ? event.header_count : 0;
    const Slot* const slots = placed_values(event, header_count);
    if (slots == nullptr) return Taken::kNoRoom;
    pin_input();
    const Packet* const packet = stream.keeps_packets
                                     ? stream.packet.at_hand(output_)
                                     : stream.packet.take(*stream.stream, values_.packet, output_);
    add_event(event, slots, header_count, stored.lowered->source(), *stream.stream, packet);
    ++stream.sequence->events;
    if (header_count == 0 && (stream.keeps_packets || packet == nullptr))
      take_plain_events(*event.stream, stream, packet);
    return Taken::kYes;
  }

  // Those behind an event that was restored, as long as they are of the same data streams and
  // plain.
  void take_plain_events(const DataStream& stored, RestoredStream& stream, const Packet* packet) {
    const std::span<const Record> records = streams_.behind();
    const std::size_t most = std::min<std::uint64_t>(
        {records.size(), output_.room_for_records(), stream.sequence->events_before_due()});
    std::size_t taken = 0;
    for (; taken < most; ++taken) {
      const Record& record = records[taken];
      const bool same = record.kind == RecordKind::kEvent && record.event.stream == &stored;
      if (!same || !take_plain(record.event, *stream.stream, packet)) break;
    }
    stream.sequence->events += taken;
    streams_.pass(taken);
  }

  // False: `take_event` has to look at it.
  bool take_plain(const Event& event, const DataStream& stream, const Packet* packet) {
    const NestedClass* const lowered = class_of(event).lowered.get();
    if (lowered == nullptr || !lowered->is_plain()) return false;
    if (!is_in_proportion(event_bytes_ + event.size, event.slot_count)) return false;
    Slot* const room = lowered->in_place() ? nullptr : output_.room(event.slot_count);
    if (room == nullptr && !lowered->in_place()) return false;
    if (!lowered->restore_plain(event, values_, room)) return false;
    if (room != nullptr) output_.commit(room + values_.slots.size());
    event_bytes_ += event.size;
    slots_ += values_.slots.size();
    add_event(event, values_.slots.data(), 0, lowered->source(), stream, packet);
    return true;
  }

  // Whether others of its sequence come before it.
  bool waits(const Event& event, const NestedClass& lowered, RestoredSequence& sequence) {
    if (sequence.is_due()) {
      streams_.resume(sequence.take_first().second);
      return true;
    }
    if (!lowered.shape().ordered) return false;
    const std::uint64_t order = NestedClass::order_of(event);
    if (order <= sequence.events) return false;
    sequence.wait(order, streams_.wait());
    return true;
  }

  // Structures without a field make values of no byte.
  [[nodiscard]] bool is_in_proportion(std::uint64_t event_bytes, std::size_t slots) const {
    return slots_ + slots <= kFreeSlots + kSlotsEachByte * event_bytes;
  }

  // An event of a data stream that is restored, of which no mark is, or one that does not fit.
  Taken as_stored(const Record& record) {
    const DataStream& stream = *record.event.stream;
    if (stream_class_of(stream) != nullptr && shown_.insert(stream.entity).second)
      copy(Record(RecordKind::kStreamBegin, &stream));
    return copy(record);
  }

  bool take_loss(const Event& event, const StoredStreamClass& streams) {
    if (!loss_class().restore(event, values_, arena_)) return false;
    std::optional<LossMark> mark = LossMark::parse(values_.slots);
    if (!mark) return false;
    add_loss(mark->loss, stream_of(event, streams));
    return true;
  }

  RestoredStreams restored_{output_};
  std::unordered_map<EntityId, RestoredStream*, EntityIdHash> current_;  // of stored data streams
  std::unordered_set<EntityId, EntityIdHash> shown_;  // of those, with an event as it is stored
  EntityId last_stored_ = EntityId::none();
  RestoredStream* last_stream_ = nullptr;  // of `last_stored_`
  std::uint64_t event_bytes_ = 0;
  bool streams_given_up_ = false;
};

}  // namespace

bool has_marks(const TraceDescription& description) {
  const auto has = [](const auto& each) { return std::ranges::any_of(each.attributes, is_mark); };
  return std::ranges::any_of(description.stream_classes(), has) ||
         std::ranges::any_of(description.event_classes(), has);
}

std::unique_ptr<Reader> restore_nested(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                                       const ReadOptions& options) {
  return std::make_unique<NestedRestoringReader>(std::move(stored), profile, options);
}

}  // namespace tracedeck::lower
