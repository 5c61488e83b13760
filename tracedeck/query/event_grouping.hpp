// Groups of events, without rows of values where keys are numbers and texts at fixed places.
//
// What an `EventProjection` and a `Grouping` do one after the other. Nearly all events are of a
// class and of keys that came before: what to read of the class is known, the group is found by the
// bits of the keys, and numbers go to its aggregates as they lie on the tape. All others, and those
// whose values are not as the class has them, take the general way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/model/class_table.hpp"
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
  static constexpr std::size_t kKeys = 3;
  static constexpr std::size_t kAggregates = 5;
  static constexpr std::size_t kLines = 2048;

  // Where a value of the events of one class comes from.
  struct Source {
    enum class Kind : std::uint8_t {
      kUnknown,  // there is none
      kConstant,
      kUnsigned,  // the bits of a slot
      kSigned,
      kText,
      kDuration,
      kOther,  // is evaluated
    };
    Kind kind = Kind::kOther;
    SlotKind slot_kind = SlotKind::kUnresolved;  // of those that lie in one
    DirectSlot slot = {};
    std::uint64_t constant = 0;  // its number among the constants
  };
  // The keys of an event as they lie in it; of a text: something like a hash. Behind them the
  // number of its time's bucket.
  using Keys = std::array<std::uint64_t, kKeys>;

  // What an event does to an aggregate.
  struct Step {
    enum class Kind : std::uint8_t {
      kEnd,
      kCount,
      kAdd,             // a value that is evaluated
      kAddToSum,        // an unsigned integer in a slot
      kAddToHistogram,  // the same
      kAddToBoth,       // the same, of the sum and of the histogram of `other`
      kAddDurationToSum,
      kAddDurationToHistogram,
    };
    Kind kind = Kind::kEnd;
    std::uint8_t aggregate = 0;
    std::uint8_t other = 0;
    DirectSlot slot = {};
  };

  struct ClassPlan {
    explicit ClassPlan(const EventClass&) {}
    enum class State : std::uint8_t {
      kNew,
      kNumbers,  // each key is a number without labels, or what the class says
      kTexts,    // some are texts, or have labels
      kGeneral,
    };
    State state = State::kNew;
    bool has_labels = false;
    const ClockClass* clock = nullptr;            // where time is asked for and events have one
    std::uint64_t key_kinds = ~std::uint64_t{0};  // what its keys are read as
    std::array<Source, kKeys> keys = {};
    std::array<Step, kAggregates + 1> steps = {};  // the last is a kEnd
  };

  // What an aggregate of a group counts in.
  union Target {
    std::uint64_t* events;
    Sum* sum;
    Histogram* histogram;
  };
  // A group, found by keys that came before.
  struct alignas(128) Line {
    std::uint64_t key_kinds = 0;
    Keys keys = {};
    Group* group = nullptr;
    std::uint64_t* events = nullptr;  // what the first aggregate counts that counts them
    std::array<Target, kAggregates> targets = {};
    std::unique_ptr<std::array<std::string, kKeys>> texts = nullptr;
  };

  template <std::size_t kCount, bool kTimed>
  [[nodiscard]] Result<std::size_t> add_all(std::span<const Record> records);
  template <std::size_t kCount, bool kTimed>
  [[nodiscard]] bool add_known(const Event& event);
  [[nodiscard]] Result<void> add_any(const Event& event);
  void make(ClassPlan& plan, const EventClass& event_class);
  void make_steps(ClassPlan& plan, std::span<const BoundNode> nodes, const EventClass& event_class);
  [[nodiscard]] Source source_of(const BoundNode& node, const EventClass& event_class);
  template <std::size_t kCount>
  [[nodiscard]] static bool read_numbers(const ClassPlan& plan, const Event& event, Keys& keys);
  [[nodiscard]] bool read_any(const ClassPlan& plan, const Event& event, Keys& keys,
                              bool& named) const;
  template <std::size_t kCount>
  [[nodiscard]] static std::size_t place_of(const ClassPlan& plan, const Keys& keys);
  [[nodiscard]] std::size_t place_of_any(const ClassPlan& plan, const Keys& keys) const;
  template <std::size_t kCount>
  [[nodiscard]] static bool is_of(const Line& line, const ClassPlan& plan, const Keys& keys);
  [[nodiscard]] bool add_known_texts(const ClassPlan& plan, const Event& event);
  [[nodiscard]] static bool has_texts(const Line& line, const ClassPlan& plan, const Event& event);
  void remember(Line& line, const ClassPlan& plan, const Event& event, const Keys& keys);
  [[nodiscard]] bool see_time(const ClassPlan& plan, const Event& event, Keys& keys);
  void forget_lines();
  [[gnu::noinline]] void add_value(const Line& line, std::size_t aggregate, const Event& event);
  void add_to(Histogram& histogram, std::uint64_t number);
  void add_to(const Line& line, const ClassPlan& plan, const Event& event);

  EventProjection* projection_;
  Grouping* grouping_;
  bool fits_;  // few keys and aggregates
  bool timed_;
  std::uint64_t every_ = 0;  // ns; 0: there are no buckets
  std::size_t keys_;
  ClassCache<ClassPlan> plans_;
  std::unordered_map<std::string, std::uint64_t> constants_;
  std::vector<Line> lines_;
  std::uint64_t uncounted_ = 0;   // where no aggregate counts events
  std::uint64_t generation_ = 0;  // of the grouping, that the lines are of
};

}  // namespace tracedeck::query
