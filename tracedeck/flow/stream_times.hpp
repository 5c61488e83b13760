// The times that events without one go by.
#pragma once

#include <unordered_map>

#include "tracedeck/flow/order_key.hpp"
#include "tracedeck/model/record.hpp"

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

// Gives every record of one source, in its order, a place in the order of time: an event with a
// time its begin; an event without that of the timed event before it in its data stream, or the
// first place; any other record that of the record before it. Where data streams have files of
// their own, which come one after the other, the begins and ends of those and of their packets, and
// losses, go as events without a time do. A loss that has a place of its own goes there. The end of
// a data stream comes after all records before it.
class StreamTimes {
 public:
  [[nodiscard]] OrderKey operator()(const Record& record) {
    if (record.kind == RecordKind::kEvent) [[likely]] {
      const Event& event = record.event;
      if (last_ == nullptr || id_of(event.stream) != stream_) select(id_of(event.stream));
      if (const ClockClass* const clock = event.event_class->clock; clock != nullptr)
        *last_ = keys_(*clock, event.time);
      current_ = *last_;
      if (highest_ < current_) highest_ = current_;
      return current_;
    }
    const DataStream* const stream = stream_of(record);
    if (stream != nullptr && !stream->file.empty()) {
      if (last_ == nullptr || stream->entity != stream_) select(stream->entity);
      current_ = *last_;
    }
    if (record.kind == RecordKind::kLoss && record.loss->place)
      current_ = OrderKey::from(*record.loss->place);
    if (record.kind != RecordKind::kStreamEnd) return current_;
    forget(record.stream->entity);
    return stream->file.empty() ? highest_ : current_;
  }
  // The same of an event of the run that the last event began; the run's last one is to be given to
  // the above.
  [[nodiscard]] OrderKey in_run(const Event& event) {
    return keys_(*event.event_class->clock, event.time);
  }

 private:
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
  void select(const EntityId& stream) {
    stream_ = stream;
    last_ = &times_.try_emplace(stream, OrderKey::first()).first->second;
  }
  void forget(const EntityId& stream) {
    times_.erase(stream);
    last_ = nullptr;
  }

  KeyMaker keys_;
  OrderKey current_ = OrderKey::first();
  OrderKey highest_ = OrderKey::first();
  EntityId stream_ = EntityId::none();
  OrderKey* last_ = nullptr;  // of `stream_`
  std::unordered_map<EntityId, OrderKey, EntityIdHash> times_;
};

}  // namespace tracedeck::flow
