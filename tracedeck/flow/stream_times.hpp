// The times that events without one go by.
#pragma once

#include <unordered_map>

#include "tracedeck/flow/order_key.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

// Gives every record of one source, in its order, a place in the order of time: an event with a
// time its begin; an event without that of the timed event before it in its data stream, or the
// first place; any other record that of the record before it. Where data streams have files of
// their own, which come one after the other, the begins and ends of those and of their packets, and
// losses, go as events without a time do.
class StreamTimes {
 public:
  [[nodiscard]] OrderKey operator()(const Record& record) {
    if (record.kind == RecordKind::kEvent) [[likely]] {
      const Event& event = record.event;
      if (event.stream != stream_ || last_ == nullptr) select(event.stream);
      if (const ClockClass* const clock = event.event_class->clock; clock != nullptr) {
        *last_ = keys_(*clock, event.time);
      }
      current_ = *last_;
      return current_;
    }
    const DataStream* const stream = stream_of(record);
    if (stream != nullptr && !stream->file.empty()) {
      if (stream != stream_ || last_ == nullptr) select(stream);
      current_ = *last_;
    }
    if (record.kind == RecordKind::kStreamEnd) forget(record.stream);
    return current_;
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
  void select(const DataStream* stream) {
    stream_ = stream;
    last_ = &times_.try_emplace(stream, OrderKey::first()).first->second;
  }
  // Another stream may begin at the same address.
  void forget(const DataStream* stream) {
    times_.erase(stream);
    last_ = nullptr;
  }

  KeyMaker keys_;
  OrderKey current_ = OrderKey::first();
  const DataStream* stream_ = nullptr;
  OrderKey* last_ = nullptr;  // of `stream_`
  std::unordered_map<const DataStream*, OrderKey> times_;
};

}  // namespace tracedeck::flow
