// Where records stand in the order of time.
#pragma once

#include <cstdint>

#include "tracedeck/model/record.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck {

// Which time of an event with a begin and an end counts.
enum class OrderBy : std::uint8_t { kRecorded, kBegan };

// Whether it is an event with a time, or a loss with a place.
[[nodiscard]] inline bool is_timed(const Record& record) {
  if (record.kind == RecordKind::kEvent) [[likely]]
    return record.event.has_time();
  return record.kind == RecordKind::kLoss && record.loss->place;
}

// The key of a record that is timed.
[[nodiscard]] inline OrderKey key_of(const Record& record, KeyMaker& keys,
                                     OrderBy by = OrderBy::kRecorded) {
  if (record.kind == RecordKind::kLoss) [[unlikely]]
    return OrderKey::from(*record.loss->place);
  const Event& event = record.event;
  const std::uint64_t value = by == OrderBy::kRecorded ? event.end_time : event.time;
  return keys(*event.event_class->clock, value);
}

}  // namespace tracedeck
