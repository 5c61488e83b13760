// Minimum, mean and maximum of the numeric fields of one event class.
//
// The fields are the integers and reals of an event's contexts and payload, also inside structures
// and optionals; elements of arrays, lists and maps, and options of variants are left out. The
// class is compiled once into a list of steps, which is followed for each event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

// The numbers of one field. Exact for integers of up to 64 bits.
struct FieldStatistics {
  enum class Part : std::uint8_t { kCommonContext, kSpecificContext, kPayload };
  enum class Kind : std::uint8_t { kUnsigned, kSigned, kReal };

  Part part = Part::kPayload;
  std::string path;                // members joined by `.`: "task.id"
  const Member* member = nullptr;  // the last of them, as its class has it
  Kind kind = Kind::kUnsigned;

  std::uint64_t count = 0;          // values that the following are about
  Slot minimum = unsigned_slot(0);  // of the kind's slot kind; meaningless when `count` is 0
  Slot maximum = unsigned_slot(0);
  union {  // the one of the kind
    Uint128 unsigned_sum = 0;
    Int128 signed_sum;
    long double real_sum;  // with compensated rounding
  };
  // Values that are not in the numbers above: NaN, and integers and reals too wide for 64 bits.
  std::uint64_t left_out = 0;

  // The number's own class, that of an optional's value.
  [[nodiscard]] const FieldClass& field_class() const;
  // What it counts; empty: nothing says it.
  [[nodiscard]] std::string_view unit() const;
  // The mean, correctly rounded to about one unit in the last place; absent when `count` is 0.
  [[nodiscard]] std::optional<double> mean() const;
};

// Adds the numbers of the same field of an alike class.
void combine(FieldStatistics& into, const FieldStatistics& from);

// The class must outlive it. There may be many classes: what is known of a field from its class is
// found again at the end.
class FieldCollector {
 public:
  explicit FieldCollector(const EventClass& event_class);

  // An event of that class. Events without slots add nothing.
  void add(const Event& event);

  [[nodiscard]] std::vector<FieldStatistics> finish() const;
  // Lets go of the memory. Nothing is added any more.
  void forget() {
    steps_ = {};
    fields_ = {};
    compensations_ = {};
  }

 private:
  enum class Action : std::uint8_t {
    kSkip,      // a value that does not count
    kEnter,     // the head of a structure: its members are the next steps
    kOptional,  // the head of an optional: its value is the next step, absent ones skip `jump`
                // steps
    kUnsigned,  // numbers of field `field`
    kSigned,
    kReal,
  };
  struct Step {
    Action action = Action::kSkip;
    std::uint32_t field = 0;
    std::uint32_t jump = 0;
  };
  // The numbers of `FieldStatistics`.
  struct Field {
    Slot minimum = unsigned_slot(0);
    Slot maximum = unsigned_slot(0);
    std::uint64_t count = 0;
    std::uint64_t left_out = 0;
    union {
      Uint128 unsigned_sum = 0;
      Int128 signed_sum;
      long double real_sum;
    };
  };
  class Walk;

  void add_number(const Step& step, const Slot& slot);

  const EventClass* event_class_;
  std::vector<Step> steps_;
  std::vector<Field> fields_;
  std::vector<long double> compensations_;  // of the sums up to the last real one
};

}  // namespace tracedeck::flow
