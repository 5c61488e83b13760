#include "tracedeck/flow/last_times.hpp"

#include <bit>

namespace tracedeck::flow {

std::size_t LastTimes::see_events(std::span<const Record> records) {
  std::size_t seen = 0;
  while (seen < records.size() && records[seen].kind == RecordKind::kEvent) {
    const DataStream* const stream = records[seen].event.stream;
    if (stream != stream_ || last_ == nullptr) go_to(stream);
    // As long as they are of that stream, only the last time counts.
    const Event* timed = nullptr;
    do {
      const Event& event = records[seen].event;
      timed = event.event_class->clock != nullptr ? &event : timed;
      ++seen;
    } while (seen < records.size() && records[seen].kind == RecordKind::kEvent &&
             records[seen].event.stream == stream);
    if (timed != nullptr) *last_ = {.clock = timed->event_class->clock, .value = timed->time};
    current_ = last_;
  }
  return seen;
}

void LastTimes::see_other(const Record& record) {
  switch (record.kind) {
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      return see_stream(record);
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      return see_file_of(record.packet->stream);
    default:
      return;
  }
}

void LastTimes::go_to(const DataStream* stream) {
  stream_ = stream;
  // Objects of that size lie so far apart.
  const auto place = std::bit_cast<std::uintptr_t>(stream) / sizeof(DataStream) % known_.size();
  Known& known = known_[place];
  if (known.time == nullptr || known.stream != stream) {
    const EntityId id = stream == nullptr ? EntityId::none() : stream->entity;
    known = {.stream = stream, .time = &times_[id]};
  }
  last_ = known.time;
}

void LastTimes::see_stream(const Record& record) {
  see_file_of(record.stream);
  if (record.kind == RecordKind::kStreamBegin) return;
  if (const auto found = times_.find(record.stream->entity); found != times_.end()) {
    if (current_ == &found->second) {
      ended_ = found->second;
      current_ = &ended_;
    }
    times_.erase(found);
  }
  // Another stream may get its address.
  known_ = {};
  last_ = nullptr;
}

// Where data streams have files of their own, what belongs to one goes by its events.
void LastTimes::see_file_of(const DataStream* stream) {
  if (stream == nullptr || stream->file.empty()) return;
  go_to(stream);
  current_ = last_;
}

}  // namespace tracedeck::flow
