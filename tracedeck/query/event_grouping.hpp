// Groups of events, without rows of values where keys are numbers and texts at fixed places.
//
// What an `EventProjection` and a `Grouping` do one after the other. Nearly all events are of a
// class and of keys that came before: what to read of the class is known, the group is found by the
// bits of the keys, and numbers go to its aggregates as they lie on the tape. All others, and those
// whose values are not as the class has them, take the general way.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/query/event_plan.hpp"
#include "tracedeck/query/grouping.hpp"
#include "tracedeck/query/projection.hpp"

namespace tracedeck::query {

class EventGrouping {
 public:
  // Both must outlive it. The projection's values are those that the grouping wants.
  EventGrouping(EventProjection& projection, Grouping& grouping);

  // Adds the events that `records` begins with, and returns how many they are. Errors: those of
  // temporary files.
  [[nodiscard]] Result<std::size_t> add(std::span<const Record> records);

 private:
  // Lines are found by the upper bits of a hash.
  static constexpr unsigned kPlaceShift = 53;
  static constexpr std::size_t kLines = std::size_t{1} << (64U - kPlaceShift);

  // The keys that differ between the events of a class as they lie in them; of a text: something
  // like a hash. Behind them the number of the time's bucket.
  using Keys = std::array<std::uint64_t, kDirectKeys>;
  // The numbers of the names that the trace gives them; 0: none.
  using Names = std::array<std::uint32_t, kDirectKeys>;

  // What an aggregate of a group counts in.
  union Target {
    std::uint64_t* events;
    Sum* sum;
    Histogram* histogram;
  };
  // A group, found by keys that came before.
  struct alignas(128) Line {
    std::uint64_t identity = 0;  // of plans; 0: there is no group
    Keys keys = {};
    Names names = {};
    std::uint64_t* events = nullptr;  // what the first aggregate counts that counts them
    Sum* sum = nullptr;               // those of the first aggregates that have them, or null
    Histogram* histogram = nullptr;
    std::array<Target, kDirectAggregates> targets = {};
    Group* group = nullptr;
    std::unique_ptr<std::array<std::string, kDirectKeys>> texts = nullptr;
  };

  template <bool kPlain>
  [[nodiscard]] const Record* add_known(const Record* record, const Record* end);
  [[nodiscard]] Result<void> add_any(const Event& event);
  [[nodiscard]] static const Line* line_at_hand(const EventPlan& plan, const Event& event,
                                                const Line* lines);
  [[nodiscard]] static bool add_to_both(const Line& line, const EventPlan& plan,
                                        const Event& event);
  [[nodiscard]] const Line* line_of(EventPlan& plan, const Event& event);
  void add_to(const Line& line, const EventPlan& plan, const Event& event);
  [[gnu::noinline]] void add_value(const Line& line, std::size_t aggregate, const Event& event);

  [[nodiscard]] bool read_keys(EventPlan& plan, const Event& event, Keys& keys, Names& names);
  [[nodiscard]] bool see_time(const EventPlan& plan, const Event& event, std::uint64_t& time);
  void note_names(EventPlan& plan);
  void note_times();
  void remember(EventPlan& plan, const Event& event);
  void forget_lines();

  EventProjection* projection_;
  Grouping* grouping_;
  EventPlanner planner_;
  ClassCache<EventPlan> plans_;
  std::vector<Line> lines_;
  bool plain_;  // no class so far takes more than `add_known<true>` can do
  bool timed_;
  std::uint64_t every_ = 0;  // ns; 0: there are no buckets
  std::uint64_t earliest_ = std::numeric_limits<std::uint64_t>::max();  // ns, of those not noted
  std::uint64_t latest_ = 0;
  std::uint64_t uncounted_ = 0;   // where no aggregate counts events
  std::uint64_t generation_ = 0;  // of the grouping, that the lines are of
};

}  // namespace tracedeck::query
