// Where losses belong in the order of time, found in a few instructions an event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

// Looks at every record of one source, in its order, and says of losses what `StreamTimes` gives
// them for a place. The classes and data streams must outlive it, the latter up to their ends.
class LastTimes {
 public:
  // The events that `records` begins with. Returns how many they are.
  [[nodiscard]] std::size_t see_events(std::span<const Record> records);
  // Any other record.
  void see_other(const Record& record);
  // Of a loss, in ns from the clock's origin; nothing: before everything.
  [[nodiscard]] std::optional<Nanoseconds> place_of(const Loss& loss) {
    see_file_of(loss.stream);
    if (current_->clock == nullptr) return std::nullopt;
    return current_->clock->to_nanoseconds(current_->value);
  }

 private:
  // An event's time; without a clock: there was none.
  struct Time {
    const ClockClass* clock = nullptr;
    std::uint64_t value = 0;
  };
  struct Known {
    const DataStream* stream = nullptr;
    Time* time = nullptr;
  };

  void go_to(const DataStream* stream);
  void see_stream(const Record& record);
  void see_file_of(const DataStream* stream);

  const DataStream* stream_ = nullptr;
  Time* last_ = nullptr;  // of `stream_`; null: it is to be looked for
  std::unordered_map<EntityId, Time, EntityIdHash> times_;
  std::array<Known, 16> known_ = {};  // places of streams, by their addresses
  Time ended_ = {};                   // of the stream that ended last
  Time* current_ = &ended_;           // of the record before
};

}  // namespace tracedeck::flow
