// Losses that turn out to be none: what was missing comes after all, as datagrams that overtake
// each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

class LateEvents {
 public:
  // Of so many data streams at a time is known what is missing; what others lost stays lost.
  static constexpr std::size_t kMost = 65'536;

  // Before the first loss of a batch is taken: streams of which all that it calls lost comes in it
  // too have lost nothing. `key_of`: of a stream.
  template <class KeyOf>
  void look_in(const Batch& batch, const KeyOf& key_of) {
    complete_.clear();
    std::unordered_map<EntityId, std::pair<std::uint64_t, std::uint64_t>, EntityIdHash> sums;
    for (const Record& record : batch.records()) {
      if (record.kind != RecordKind::kLoss || record.loss->stream == nullptr) continue;
      auto& [lost, came] = sums[key_of(*record.loss->stream)];
      (record.loss->taken_back ? came : lost) += record.loss->events.value_or(0);
    }
    for (const auto& [stream, sum] : sums) {
      const auto known = missing_.find(stream);
      const bool any_before =
          known != missing_.end() && (known->second.events != 0 || known->second.early != 0);
      if (sum.first == sum.second && !any_before) complete_.insert(stream);
    }
  }
  // Events of a stream are said to be lost. Returns how many of them did not come already.
  [[nodiscard]] std::uint64_t lose(const EntityId& stream, std::uint64_t events) {
    if (complete_.contains(stream)) return 0;
    Missing* const missing = missing_of(stream);
    if (missing == nullptr) return events;
    const std::uint64_t came = std::min(events, missing->early);
    missing->early -= came;
    missing->events += events - came;
    if (came != events) ++missing->places;
    forget_none(stream, *missing);
    return events - came;
  }
  struct Came {
    std::uint64_t events = 0;  // that had been called lost
    std::uint64_t places = 0;  // where nothing is missing now
  };
  [[nodiscard]] Came come(const EntityId& stream, std::uint64_t events) {
    if (complete_.contains(stream)) return {};
    Missing* const missing = missing_of(stream);
    if (missing == nullptr) return {};
    const std::uint64_t late = std::min(events, missing->events);
    missing->events -= late;
    missing->early += events - late;
    // Something is missing in each place.
    const std::uint64_t places = std::min(missing->places, missing->events);
    const Came came = {.events = late, .places = std::exchange(missing->places, places) - places};
    forget_none(stream, *missing);
    return came;
  }

 private:
  struct Missing {
    std::uint64_t events = 0;
    std::uint64_t places = 0;
    std::uint64_t early = 0;  // that came, and were not called lost yet
  };

  // Null: there is no room for it.
  [[nodiscard]] Missing* missing_of(const EntityId& stream) {
    if (missing_.size() >= kMost && !missing_.contains(stream)) return nullptr;
    return &missing_[stream];
  }
  void forget_none(const EntityId& stream, const Missing& missing) {
    if (missing.events == 0 && missing.early == 0) missing_.erase(stream);
  }

  std::unordered_map<EntityId, Missing, EntityIdHash> missing_;
  std::unordered_set<EntityId, EntityIdHash> complete_;  // in the batch at hand
};

}  // namespace tracedeck::flow
