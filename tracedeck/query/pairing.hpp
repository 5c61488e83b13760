// Pairs of events: how long from A to B, by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// What became of the events that began or ended pairs.
struct PairCounts {
  std::uint64_t pairs = 0;
  std::uint64_t replaced = 0;       // begun, and begun again before they ended
  std::uint64_t without_end = 0;    // begun, and never ended
  std::uint64_t without_begin = 0;  // ended, and never begun
  std::uint64_t void_by_loss = 0;   // in between, events were lost that may belong to them
  std::uint64_t too_long = 0;       // longer than `within`
  std::uint64_t not_held = 0;       // begun, when there was no room for more
};

struct PairingPlan {
  // Of an event: whether it begins a pair, whether it ends one, then its keys as a first event and
  // as a second one.
  std::size_t keys = 0;
  // Which values of first and of second events are wanted, behind those in the projection.
  std::size_t kept_of_a = 0;
  std::size_t kept_of_b = 0;
  bool nested = false;
  std::optional<Integer> within = {};  // ns
  bool by_stream = false;  // keys tell data streams apart: a loss in one says nothing of others
  // Bytes that pairs may take that wait for their end.
  std::size_t memory = std::size_t{256} << 20;
};

// When events were lost.
class LostTimes {
 public:
  // `begun`: how many pairs began so far.
  void add(const Loss& loss, std::uint64_t begun);
  // Whether events may have been lost from `begin` to `end`, while the pair of that number waited.
  [[nodiscard]] bool concern(std::uint64_t number, Nanoseconds begin, Nanoseconds end) const;

 private:
  struct Interval {
    std::optional<Nanoseconds> begin;  // absent: at any time before `end`
    Nanoseconds end;
  };
  static constexpr std::size_t kMost = 1024;

  // None within another, in the order of time.
  std::vector<Interval> intervals_;
  // Of a loss that does not say until when: pairs that began before it was reported.
  std::uint64_t first_ = 0;
};

// Rows of pairs, as they end: begin, end, duration, keys, values of a, values of b. Events come in
// the order of time.
class Pairing {
 public:
  // `projection`: two conditions, keys of a, keys of b, values of a, values of b.
  Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next);

  [[nodiscard]] Result<void> add(const Event& event);
  // Pairs that wait for their end while events were lost are void.
  void add(const Loss& loss);
  // No more events come: pairs that wait have no end. To be called once, before `finish`.
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> finish() { return next_->finish(); }
  [[nodiscard]] bool full() const { return next_->full(); }

  [[nodiscard]] const PairCounts& counts() const { return counts_; }

 private:
  struct Open;
  // Of however many that are nested, one after the other.
  struct DeleteOpen {
    void operator()(Open* open) const;
  };
  // A pair that has begun.
  struct Open {
    Nanoseconds begin = {};
    std::uint64_t number = 0;  // of all that began
    EntityId stream = EntityId::none();
    std::string kept = {};                         // values of a, encoded
    std::unique_ptr<Open, DeleteOpen> outer = {};  // of equal keys, begun before, of nested pairs
  };
  struct KeyHash {
    std::size_t operator()(const std::string& key) const;
  };

  [[nodiscard]] Result<void> end(const Event& event, std::span<const Value> values);
  void begin(const Event& event, std::span<const Value> values);
  [[nodiscard]] bool is_void(const Open& open, Nanoseconds end) const;
  // Puts the keys into `key_`; false where one is equal to nothing.
  [[nodiscard]] bool take_key(std::span<const Value> keys);
  [[nodiscard]] static std::size_t memory_of(const Open& open, std::size_t key);

  PairingPlan plan_;
  EventProjection projection_;
  std::unique_ptr<RowSink> next_;
  std::unordered_map<std::string, Open, KeyHash> open_;
  std::string key_;
  std::size_t memory_ = 0;
  PairCounts counts_;
  Nanoseconds last_ = {};  // the time of the last event
  std::uint64_t begun_ = 0;
  LostTimes lost_;
  std::unordered_map<EntityId, LostTimes, EntityIdHash> lost_of_;  // by data stream
};

}  // namespace tracedeck::query
