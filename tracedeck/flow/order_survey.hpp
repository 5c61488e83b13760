// How far the records of a source are from the order of time.
//
// Sorting while reading cuts a source into chunks of the same number of events and holds two of
// them: as soon as a chunk is read, all that is not later than the chunks before it is handed on.
// That is right as long as no event is earlier than an event two or more chunks before. One that
// is, is *late*, and has to be known beforehand.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::flow {

// Separates late records from others, for chunks of a given number of events.
class ChunkOrder {
 public:
  explicit ChunkOrder(std::uint64_t chunk_events) : chunk_events_(chunk_events) {}

  // Whether the next event begins another chunk.
  [[nodiscard]] bool at_chunk_end() const { return events_ == chunk_events_; }
  // Counts the next event and returns whether it is late.
  bool add_event(const OrderKey& key) {
    if (at_chunk_end()) {
      low_ = next_low_;
      next_low_ = high_;
      events_ = 0;
    }
    ++events_;
    if (is_late(key)) return true;
    high_ = std::max(high_, key);
    return false;
  }
  // The same of events behind one that is not late, in the chunk and with keys that do not descend.
  void add_run(std::uint64_t events, const OrderKey& last) {
    events_ += events;
    high_ = std::max(high_, last);
  }
  [[nodiscard]] std::uint64_t room_in_chunk() const { return chunk_events_ - events_; }
  // For a record that follows the event last counted.
  [[nodiscard]] bool is_late(const OrderKey& key) const { return key < low_; }
  // No record of the chunks to come that is not late is earlier than this.
  [[nodiscard]] const OrderKey& next_low() const { return next_low_; }

 private:
  std::uint64_t chunk_events_;
  std::uint64_t events_ = 0;          // of the chunk at hand
  OrderKey low_ = OrderKey::first();  // the highest key but of the last chunk and the one at hand
  OrderKey next_low_ = OrderKey::first();  // but of the one at hand
  OrderKey high_ = OrderKey::first();
};

// Reads a source once, without values, and says which size of chunks suits it.
class OrderSurvey {
 public:
  // What sorting with chunks of that size would take.
  struct Level {
    std::uint64_t chunk_events = 0;
    std::uint64_t memory = 0;  // bytes for two chunks, at most, roughly
    std::uint64_t late_records = 0;
    std::uint64_t late_memory = 0;  // bytes for these
  };

  OrderSurvey();

  void add(const Batch& batch);
  void finish();

  // The smallest chunks for which everything takes at most `memory` bytes; nothing when there are
  // none.
  [[nodiscard]] static std::optional<Level> choose(std::span<const Level> levels,
                                                   std::uint64_t memory);
  // Whether no record so far goes before the one before it.
  [[nodiscard]] bool in_order() const { return lowest_step_ == OrderKey::last(); }
  // The earliest record that goes before the one before it. All that goes before this place comes
  // first, and is in order.
  [[nodiscard]] const OrderKey& lowest_step() const { return lowest_step_; }
  // The sizes of chunks that there are, and what they would take.
  [[nodiscard]] std::vector<Level> levels() const;
  [[nodiscard]] std::uint64_t events() const { return events_; }
  // How many records go before the one before them, and of these by at most a second.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t near_steps() const { return near_steps_; }
  // The class of the data stream that all events are of; null: of several, or of none. Valid as
  // long as the source lives.
  [[nodiscard]] const DataStreamClass* only_stream_class() const {
    return are_of_several_ || stream_ == EntityId::none() ? nullptr : stream_class_;
  }

 private:
  static constexpr std::size_t kLevels = 7;
  static constexpr std::uint64_t kSmallestChunk = 1024;

  struct State {
    Level level;
    OrderKey low = OrderKey::first();
    OrderKey next_low = OrderKey::first();
    std::uint64_t chunk_begin = 0;  // memory of all events up to the chunk at hand
    std::uint64_t last_chunk = 0;   // memory of the chunk before
  };

  // Returns behind the events of one run, or one other record.
  const Record* add(const Record* first, const Record* end);
  void note_stream(const Event& event) {
    const DataStream* const stream = event.stream;
    if (stream == nullptr || (stream_ != EntityId::none() && stream->entity != stream_)) {
      are_of_several_ = true;
    } else {
      stream_ = stream->entity;
      stream_class_ = stream->stream_class;
    }
  }
  void end_chunks();
  void end_chunk(State& state);
  void add_late(const OrderKey& key, std::uint64_t memory);

  std::array<State, kLevels> states_;
  StreamTimes times_;
  OrderKey high_ = OrderKey::first();
  OrderKey last_ = OrderKey::first();  // of the record before
  OrderKey lowest_step_ = OrderKey::last();
  std::uint64_t events_ = 0;
  std::uint64_t memory_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t near_steps_ = 0;
  EntityId stream_ = EntityId::none();  // of the first event
  const DataStreamClass* stream_class_ = nullptr;
  bool are_of_several_ = false;  // data streams
};

}  // namespace tracedeck::flow
