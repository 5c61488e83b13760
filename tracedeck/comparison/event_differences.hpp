// Where two events that stand for one another differ, and the classes and clocks they are of.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/comparison/value_differences.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::comparison {

class EventDifferences {
 public:
  explicit EventDifferences(Differences& found) : found_(found) {}

  // Two events, and the batches that hold them.
  void compare(const BatchPtr& left_batch, const Event& left, const BatchPtr& right_batch,
               const Event& right);
  // Two data stream classes, which may be null.
  void compare(const DataStreamClass* left, const DataStreamClass* right);
  // The classes and clocks of which no events were compared.
  void compare_the_rest(const TraceDescription& left, const TraceDescription& right);

  // An event that has no partner.
  void add_missing(const Event* left, const Event* right);

 private:
  // Entities of one kind, of which some were compared with some of the other trace.
  class Paired {
   public:
    // Whether these two were not compared before.
    bool add(const EntityId& left, const EntityId& right);
    [[nodiscard]] bool left(const EntityId& id) const { return left_.contains(id); }
    [[nodiscard]] bool right(const EntityId& id) const { return right_.contains(id); }

   private:
    struct Hash {
      std::size_t operator()(const std::pair<EntityId, EntityId>& pair) const {
        return EntityIdHash{}(pair.first) * 31 + EntityIdHash{}(pair.second);
      }
    };
    std::unordered_set<std::pair<EntityId, EntityId>, Hash> pairs_;
    std::unordered_set<EntityId, EntityIdHash> left_;
    std::unordered_set<EntityId, EntityIdHash> right_;
  };
  // Two classes whose events came in a row.
  struct ClassPair {
    EntityId left = EntityId::none();
    EntityId right = EntityId::none();
    bool same_identity = false;
    bool same_clock = false;  // values of the clocks mean the same
  };
  // Two packets that events came from in a row, and what keeps them alive.
  struct PacketPair {
    BatchPtr left_batch;
    BatchPtr right_batch;
    const Packet* left = nullptr;
    const Packet* right = nullptr;
    bool equal = false;
  };

  void select_classes(const EventClass& left, const EventClass& right);
  void compare_clocks_once(const ClockClass* left, const ClockClass* right);
  void compare_times(const Event& left, const Event& right);
  void compare_packets(const BatchPtr& left_batch, const Event& left, const BatchPtr& right_batch,
                       const Event& right);
  void compare_values(const Event& left, const Event& right);
  [[nodiscard]] DifferentValue reporter(DifferenceKind kind, const Event& left,
                                        const Event& right) const;
  void add(DifferenceKind kind, const Event& left, const Event& right, std::string_view what,
           std::string left_words, std::string right_words) const;
  void compare_classes_without_events(const TraceDescription& left, const TraceDescription& right);
  void compare_clocks_without_events(const TraceDescription& left, const TraceDescription& right);

  Differences& found_;
  ClassPair classes_;
  PacketPair packets_;
  Paired event_classes_;
  Paired stream_classes_;
  Paired clocks_;
};

}  // namespace tracedeck::comparison
