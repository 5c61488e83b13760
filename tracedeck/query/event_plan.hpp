// What is to be read of the events of one class to add them to groups without rows of values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/query/bound.hpp"
#include "tracedeck/query/field_reference.hpp"
#include "tracedeck/query/grouping.hpp"

namespace tracedeck::query {

// Of keys that there may be, the time's bucket included, and of aggregates.
inline constexpr std::size_t kDirectKeys = 3;
inline constexpr std::size_t kDirectAggregates = 5;

// Where a value of the events of a class comes from.
struct ValueSource {
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
  // What the slot of a number without a name held besides the number when the keys of an event were
  // last read one by one: nearly always the same.
  std::uint64_t head = 0;
};

// What an event does to an aggregate, by its number.
struct EventStep {
  enum class Kind : std::uint8_t {
    kEnd,
    kCount,
    kAdd,             // a value that is evaluated
    kAddToSum,        // an unsigned integer in a slot
    kAddToHistogram,  // the same
    kAddDurationToSum,
    kAddDurationToHistogram,
  };
  Kind kind = Kind::kEnd;
  std::uint8_t aggregate = 0;
  DirectSlot slot = {};
};

struct EventPlan {
  explicit EventPlan(const EventClass&) {}

  enum class Keys : std::uint8_t {
    kNew,      // there is no plan yet
    kGeneral,  // takes rows of values
    kSame,     // all events are of one group
    kOne,      // one key differs, a number without labels
    kNumbers,  // more than one
    kMixed,    // or the time's bucket does, or some are texts or have labels
  };
  // What an event does besides being counted.
  enum class Effect : std::uint8_t {
    kNothing,
    kAddToBoth,  // the unsigned integer in `slot`, to the first sum and the first histogram
    kSteps,
  };
  Keys kind = Keys::kNew;
  Effect effect = Effect::kNothing;
  std::uint8_t count = 0;  // of keys that differ, the bucket included
  bool has_labels = false;
  bool has_names = false;  // events came of which the trace names a key
  bool has_texts = false;
  DirectSlot slot = {};
  // What the keys are read as, and what the class says of the others: of classes that agree in both
  // it is the same, unless they have labels or names. Not 0.
  std::uint64_t identity = 0;
  std::array<ValueSource, kDirectKeys> keys = {};           // those that differ
  std::array<EventStep, kDirectAggregates + 1> steps = {};  // the last is a kEnd
  std::size_t line = 0;   // of kSame: where the group was last remembered
  bool is_timed = false;  // where time is asked for: whether the events have one
  // Whether a tick is 1 ns, and 64 bits hold the time of clock value 0, in ns.
  bool counts_nanoseconds = false;
  std::uint64_t time_of_zero = 0;
};

// Makes the plans of classes.
class EventPlanner {
 public:
  explicit EventPlanner(const GroupingPlan& plan);

  // `nodes`: the keys and the arguments of aggregates as they are bound to the class.
  void make(EventPlan& plan, std::span<const BoundNode> nodes, const EventClass& event_class);
  // For the first event of a class of which the trace names a key.
  void note_names(EventPlan& plan);

 private:
  void make_keys(EventPlan& plan, std::span<const BoundNode> nodes, const EventClass& event_class);
  void make_steps(EventPlan& plan, std::span<const BoundNode> nodes, const EventClass& event_class);

  const GroupingPlan* plan_;
  bool fits_;                  // few keys and aggregates
  std::size_t first_sum_ = 0;  // which aggregate, if any
  std::size_t first_histogram_ = 0;
  [[nodiscard]] std::uint64_t new_identity();

  TextMap<std::uint64_t> identities_;
  std::uint64_t last_identity_ = 0;
};

}  // namespace tracedeck::query
