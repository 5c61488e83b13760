// The times that events without one go by.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "tracedeck/model/record.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {

// The end of the run that an event begins: it, and those behind it of its data stream and by its
// clock of which none is earlier than the one before. Their keys do not descend.
[[nodiscard]] inline const Record* end_of_run(const Record* first, const Record* end) {
  const ClockClass* const clock = first->event.event_class->clock;
  const DataStream* const stream = first->event.stream;
  std::uint64_t time = first->event.time;
  const Record* at = first + 1;
  if (clock == nullptr) return at;
  for (; at != end; ++at) {
    const Event& event = at->event;
    if (at->kind != RecordKind::kEvent || event.event_class->clock != clock ||
        event.stream != stream || event.time < time)
      break;
    time = event.time;
  }
  return at;
}

// Whether the clock of a data stream may begin anew (`FormatInfo::clock_restarts`), and with it
// that of all data streams of its trace.
[[nodiscard]] bool may_restart(const DataStream& stream);

// Gives every record of one source, in its order, a place in the order of time: an event with a
// time its begin; an event without that of the timed event before it in its data stream, or the
// first place; any other record that of the record before it. Where data streams have files of
// their own, which come one after the other, the begins and ends of those and of their packets, and
// losses, go as events without a time do. A loss that has a place of its own goes there. The end of
// a data stream comes after all records before it.
//
// Where a clock begins anew (`FormatInfo::clock_restarts`), what follows is another run of the
// device: it comes behind all that came before in its data stream. An event that falls back by more
// than a second, or by more than a millisecond and to less than half of the latest time, tells
// that; what falls back by less was only recorded late. An event of another data stream is of the
// new run if it is nearer to the latest time of that than to the latest time of the run before.
class StreamTimes {
 public:
  [[nodiscard]] OrderKey operator()(const Record& record) {
    if (record.kind == RecordKind::kEvent) [[likely]] {
      const Event& event = record.event;
      if (at_ == nullptr || id_of(event.stream) != stream_) select(event.stream);
      if (const ClockClass* const clock = event.event_class->clock; clock != nullptr) {
        const OrderKey key = keys_(*clock, event.time);
        at_->last = at_->restarts ? in_its_run(event, key) : key;
      }
      current_ = at_->last;
      if (highest_ < current_) highest_ = current_;
      return current_;
    }
    const DataStream* const stream = stream_of(record);
    if (stream != nullptr && !stream->file.empty()) {
      if (at_ == nullptr || stream->entity != stream_) select(stream);
      current_ = at_->last;
    }
    if (record.kind == RecordKind::kLoss && record.loss->place)
      current_ = place_of(*record.loss, stream);
    if (record.kind != RecordKind::kStreamEnd) return current_;
    forget(record.stream->entity);
    return stream->file.empty() ? highest_ : current_;
  }
  // The end of the run that the last event begins: see the function of that name. What goes before
  // events that came earlier stands alone where a clock may begin anew behind it.
  [[nodiscard]] const Record* end_of_run(const Record* first, const Record* end) const {
    return at_->is_behind ? first + 1 : flow::end_of_run(first, end);
  }
  // The place of an event of the run that the last event began; the run's last one is to be given
  // to the above.
  [[nodiscard]] OrderKey in_run(const Event& event) {
    const OrderKey key = keys_(*event.event_class->clock, event.time);
    return at_->run == 0 ? key : moved(key, at_->moved_by);
  }

 private:
  struct Stream {
    OrderKey last = OrderKey::first();
    // Of a data stream whose clock may begin anew.
    bool restarts = false;
    bool is_behind = false;             // its last event goes before one that came earlier
    std::string_view untimely = {};     // see `FormatInfo::untimely_event`
    OrderKey high = OrderKey::first();  // of its run, by its clock
    std::uint64_t run = 0;
    Nanoseconds moved_by = {};
  };

  static const DataStream* stream_of(const Record& record) {
    switch (record.kind) {
      case RecordKind::kStreamBegin:
      case RecordKind::kStreamEnd:
        return record.stream;
      case RecordKind::kPacketBegin:
      case RecordKind::kPacketEnd:
        return record.packet->stream;
      case RecordKind::kLoss:
        return record.loss->stream;
      default:
        return nullptr;
    }
  }
  static EntityId id_of(const DataStream* stream) {
    return stream == nullptr ? EntityId::none() : stream->entity;
  }
  static OrderKey moved(const OrderKey& key, Nanoseconds by);
  static bool is_restart(const Stream& stream, const Event& event, const OrderKey& key);

  void select(const DataStream* stream);
  [[nodiscard]] OrderKey in_its_run(const Event& event, const OrderKey& key);
  [[nodiscard]] bool is_of_latest_run(const OrderKey& key) const;
  void begin_run(const ClockClass& clock);
  void enter_run(Stream& stream, const ClockClass& clock) const;
  [[nodiscard]] OrderKey place_of(const Loss& loss, const DataStream* stream) const;
  void forget(const EntityId& stream) {
    streams_.erase(stream);
    at_ = nullptr;
  }

  KeyMaker keys_;
  OrderKey current_ = OrderKey::first();
  OrderKey highest_ = OrderKey::first();
  EntityId stream_ = EntityId::none();
  Stream* at_ = nullptr;  // of `stream_`
  std::unordered_map<EntityId, Stream, EntityIdHash> streams_;
  std::uint64_t run_ = 0;  // the latest, and by how much its times are moved
  Nanoseconds moved_by_ = {};
  OrderKey high_ = OrderKey::first();         // of that run, by its clock
  OrderKey high_before_ = OrderKey::first();  // of the run before
};

}  // namespace tracedeck::flow
