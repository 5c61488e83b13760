// What a trace is, in numbers: the content of `info`.
//
// A `Summarizer` is fed with the batches of one reader. It looks at no field value, so the reader
// may run with `ReadOptions::values` off; on the path of an event it counts and compares clock
// values, nanoseconds are computed at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/rare.hpp"
#include "tracedeck/flow/class_group.hpp"
#include "tracedeck/flow/described_traces.hpp"
#include "tracedeck/flow/loss_count.hpp"
#include "tracedeck/flow/recording_survey.hpp"
#include "tracedeck/flow/time_frame.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::flow {

// The events of one group of alike classes.
struct ClassSummary : ClassGroup {
  std::uint64_t events = 0;
  // Absent when no event has a time: of a million classes, few have events.
  Rare<TimeRange> time = {};
};

// Bytes that could not be read.
struct ProblemSummary {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::vector<Notice> first = {};  // the first few, at most `TraceSummary::kListed`
};

// How often one rule of the format's specification is broken, apart from problems.
struct RuleSummary {
  const Rule* rule = nullptr;
  std::uint64_t count = 0;
  Notice first = {};
};

struct StreamSummary {
  DataStream stream;
  // From its first packet or event to its last; absent when none has a time.
  std::optional<TimeRange> time = {};
};

struct TraceSummary {
  // How many streams and problems are listed one by one; all are counted.
  static constexpr std::size_t kListed = 16;

  // Keeps alive what the summary points to; has the input's name, the format and its version, and
  // the clocks.
  std::shared_ptr<const TraceDescription> description;
  // What is restored may be several traces: those beside `description`.
  std::vector<std::shared_ptr<const TraceDescription>> others = {};
  // The directories or files that the trace lies in, where there are several.
  std::vector<std::string> parts = {};
  bool parts_are_files = false;
  std::vector<std::string> notices = {};  // what a user may not expect of the parts, sentences
  // What the recorder says of itself and its process, in its order: keys and values.
  std::vector<std::pair<std::string, std::string>> recorder = {};
  std::optional<std::uint64_t> stored_size = {};  // bytes on disk; absent for pipes
  std::optional<std::uint64_t> size = {};         // bytes after decompression

  // How times relate to UTC, where the trace says it.
  std::optional<TimeFrame> utc = {};

  std::uint64_t streams = 0;                      // data streams that began
  std::vector<StreamSummary> first_streams = {};  // the first of them
  std::uint64_t packets = 0;

  std::uint64_t events = 0;
  std::uint64_t timeless_events = 0;
  std::optional<TimeRange> time = {};  // of all events, absent when none has a time
  std::vector<ClassSummary> classes =
      {};  // those described, also without events; in order of description

  std::optional<RecordingQuality> quality = {};  // if it was surveyed
  LossTotals losses = {};
  ProblemSummary problems = {};
  std::vector<RuleSummary> findings = {};  // in order of their first finding
};

class Summarizer {
 public:
  explicit Summarizer(std::shared_ptr<const TraceDescription> description);

  void add(const Batch& batch);

  // Everything but `parts`, `recorder`, `quality`, `stored_size` and `size`, which the caller knows
  // of the place and the reader.
  [[nodiscard]] TraceSummary finish() const;

 private:
  struct ClassCount {
    explicit ClassCount(const EventClass& of) : event_class(&of) {}
    const EventClass* event_class;
    std::uint64_t events = 0;
    std::uint64_t first = ~std::uint64_t{0};  // clock values
    std::uint64_t last = 0;
  };

  // What a listed data stream has of one clock, as its values.
  struct StreamTimes {
    EntityId entity = {};
    const ClockClass* clock = nullptr;  // null: it has no time yet
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    void add(const ClockClass* of, std::uint64_t begin, std::uint64_t end);
  };

  void add_side_record(const Record& record);
  void see_packet(const Packet& packet);
  // Of the listed data streams the one; null: it is none of them.
  [[nodiscard]] StreamTimes* times_of(const DataStream* stream);
  void add_finding(const Notice& notice);

  ClassTable<ClassCount> counts_;
  DescribedTraces traces_;
  std::vector<StreamTimes> times_;       // of `side_.first_streams`
  const DataStream* stream_ = nullptr;   // of the last event
  StreamTimes* stream_times_ = nullptr;  // its
  TraceSummary side_;                    // all that does not come from events, but for
  LossCount losses_;
};

}  // namespace tracedeck::flow
