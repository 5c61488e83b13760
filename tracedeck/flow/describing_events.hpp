// Events that describe others (names, symbols, clock synchronisations), kept apart from their
// traces, so that each part of a divided trace can have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::flow {

// Numbers traces in the order in which their first data streams begin: the same whenever the same
// traces are read in the same way.
class TraceNumbers {
 public:
  // `trace`: the number of its description.
  std::uint64_t of(std::uint64_t trace) {
    return numbers_.try_emplace(trace, numbers_.size()).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
};

// One thread at a time.
class DescribingEvents {
 public:
  struct Kept {
    std::uint64_t trace = 0;  // see `TraceNumbers`
    EntityId stream = EntityId::none();
    Event event = {};  // without data stream and packet; valid as long as what keeps it
    std::unique_ptr<std::byte[]> values = {};
  };

  // Keeps `most` bytes.
  explicit DescribingEvents(std::uint64_t most) : left_(most) {}

  // To be given every record of the traces in their order. Error: kLimitExceeded.
  [[nodiscard]] Result<void> see(const Record& record);
  // The same of one record.
  void begin_stream(const DataStream& stream) { traces_.of(stream.entity.trace); }

  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  [[nodiscard]] const Kept& operator[](std::size_t index) const { return kept_[index]; }

 private:
  [[nodiscard]] Result<void> add(const Event& event);

  std::uint64_t left_;
  TraceNumbers traces_;
  std::deque<Kept> kept_;
  // What the classes of the events are a part of, by its number.
  std::unordered_map<std::uint64_t, std::shared_ptr<const TraceDescription>> descriptions_;
};

// Reads `source` and keeps its describing events. `begun_first`: all data streams begin before the
// first event, so that reading may end there if none of them can have such events. Errors: those of
// the source, kLimitExceeded.
[[nodiscard]] Result<void> collect_describing(RecordSource& source, bool begun_first,
                                              DescribingEvents& into);

}  // namespace tracedeck::flow
