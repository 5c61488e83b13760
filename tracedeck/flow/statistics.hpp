// Numbers about the events of traces, class by class and field by field: the content of `stats`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/flow/class_group.hpp"
#include "tracedeck/flow/field_statistics.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::flow {

// The events of one group of alike classes.
struct ClassStatistics : ClassGroup {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;                   // on the wire, event headers included
  std::optional<TimeRange> time = {};        // absent when the events have no time
  std::vector<FieldStatistics> fields = {};  // the numeric ones, in wire order, also without values
  std::shared_ptr<const TraceDescription> description = {};  // which keeps the class
};

struct TraceStatistics {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  // of all events
  std::optional<TimeRange> time = {};
  std::optional<TimeRange> begins = {};  // the same without what durations add behind the last one
  std::vector<ClassStatistics> classes = {};  // those with events, in order of their first event

  // The part of all event bytes that are those of `of`, 0 to 1.
  [[nodiscard]] double share_of_bytes(const ClassStatistics& of) const {
    return bytes == 0 ? 0 : static_cast<double>(of.bytes) / static_cast<double>(bytes);
  }
  // Events of `of` a second, over the time from where the first to where the last event of all
  // begins, as `rate` of a query. Absent when these are the same or unknown, or when the events of
  // `of` have no time.
  [[nodiscard]] std::optional<double> rate(const ClassStatistics& of) const;
};

// Is fed with batches, of one trace or of several, and allocates only for the first event of a
// class. Traces that follow one another may be gone meanwhile: what is kept of them does not add
// up, unless their classes are all different.
class StatisticsCollector {
 public:
  void add(const Batch& batch);
  // Nothing is added any more.
  [[nodiscard]] TraceStatistics finish();

 private:
  // Groups by what makes their classes alike.
  struct Groups {
    TraceStatistics statistics;
    GroupNumbers numbers{Units::kCount};
  };
  struct ClassCount {
    explicit ClassCount(const EventClass& of)
        : event_class(&of), description(description_of(of)), fields(of) {}
    const EventClass* event_class;
    std::shared_ptr<const TraceDescription> description;  // which keeps the class
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first = ~std::uint64_t{0};  // clock values
    std::uint64_t last = 0;
    std::uint64_t last_begin = 0;
    FieldCollector fields;
  };

  void fold();

  Groups groups_;                   // of what is not among the counts any more
  std::uint64_t folded_trace_ = 0;  // the newest one when counts were folded
  ClassTable<ClassCount> counts_;
};

}  // namespace tracedeck::flow
