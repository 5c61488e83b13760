// Traces made up in memory, for the tests of the stages.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck {

// A record to be made. Each has a serial number, by which tests know it again.
struct PlannedRecord {
  enum class What : std::uint8_t {
    kEvent,       // with a clock that counts ns
    kOddClock,    // an event with a clock of 7/3 ns a tick that starts before the origin
    kDuration,    // an event with a begin and an end
    kTimeless,    // an event without a time
    kDescribing,  // an event that describes others
    kFinding,
    kProblem,
    kLoss,
    kStreamBegin,
    kStreamEnd,
    kDescription,
    kPacketBegin,
  };
  What what = What::kEvent;
  std::uint64_t time = 0;
  std::uint64_t duration = 0;
  std::size_t stream = 0;  // 0 to 2
};

inline std::ostream& operator<<(std::ostream& out, const PlannedRecord& record) {
  return out << '{' << static_cast<int>(record.what) << " time " << record.time << " +"
             << record.duration << " stream " << record.stream << '}';
}

// A record as it was delivered, without pointers into batches, for comparison.
struct SeenRecord {
  RecordKind kind = RecordKind::kEvent;
  std::uint64_t serial = 0;
  const void* what = nullptr;          // the event class or rule
  EntityId stream = EntityId::none();  // of an event or loss, or that began or ended
  std::uint64_t time = 0;
  std::uint64_t end_time = 0;
  std::uint32_t size = 0;
  std::string values;  // all slots with all they point to, as bytes

  friend bool operator==(const SeenRecord&, const SeenRecord&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const SeenRecord& record) {
  return out << '{' << static_cast<int>(record.kind) << " #" << record.serial << " at "
             << record.time << '}';
}

// Classes, streams and records of one made-up trace.
class MadeUpTrace {
 public:
  explicit MadeUpTrace(const std::string& name = "made up");

  // Batches of `batch_size` records. Values are random, by the records' serial numbers; the serial
  // number of the first record is `serial`.
  [[nodiscard]] std::vector<BatchPtr> batches(const std::vector<PlannedRecord>& plan,
                                              std::size_t batch_size, std::uint64_t serial = 0,
                                              bool values = true) const;

  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }
  [[nodiscard]] const EventClass& timed() const { return *timed_; }

 private:
  void add(Batch& batch, const PlannedRecord& record, std::uint64_t serial, bool values) const;
  void add_event(Batch& batch, const PlannedRecord& record, std::uint64_t serial,
                 bool values) const;

  std::shared_ptr<TraceDescription> description_;
  const EventClass* timed_;
  const EventClass* odd_;
  const EventClass* duration_;
  const EventClass* timeless_;
  const EventClass* describing_;
  std::vector<std::shared_ptr<const DataStream>> streams_;
  std::shared_ptr<const Packet> packet_;
};

// Delivers batches, then an error if one is given. Lets go of a batch when it hands it on.
class FakeSource final : public RecordSource {
 public:
  explicit FakeSource(const std::vector<BatchPtr>& batches, std::optional<Error> error = {})
      : batches_(batches.begin(), batches.end()), error_(std::move(error)) {}

  Result<BatchPtr> next() override {
    if (batches_.empty()) {
      if (error_) return std::unexpected(*error_);
      return nullptr;
    }
    BatchPtr batch = std::move(batches_.front());
    batches_.pop_front();
    return batch;
  }

 private:
  std::deque<BatchPtr> batches_;
  std::optional<Error> error_;
};

// As std::ranges::stable_sort, which clang does not compile with this standard library's headers.
template <class T, class Before>
void sort_stably(std::vector<T>& values, Before before) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (before(values[a], values[b])) return true;
    return !before(values[b], values[a]) && a < b;
  });
  std::vector<T> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

[[nodiscard]] SeenRecord see(const Record& record);
// All records of `source`, looked at while only their own batch is held.
[[nodiscard]] Result<std::vector<SeenRecord>> see_all(RecordSource& source);

// A random plan with times in [0, `times`).
[[nodiscard]] rc::Gen<std::vector<PlannedRecord>> gen_plan(std::uint64_t times);
// A plan whose times grow by 1 from event to event, less a random number up to `disorder`.
[[nodiscard]] std::vector<PlannedRecord> plan_nearly_sorted(std::size_t count,
                                                            std::uint64_t disorder,
                                                            std::uint64_t seed);

}  // namespace tracedeck
