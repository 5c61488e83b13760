// Two traces side by side: what took how long and happened how often in each, and which differences
// are beyond chance.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/time_blocks.hpp"

namespace tracedeck::timeline {

// How many events of one name there were, or of one id where classes have no names.
struct EventCount {
  std::string name;
  std::uint64_t count = 0;
  PerBlock<std::uint64_t> blocks = {};
};

// What is compared of one trace: latencies and events, altogether and in blocks of time. Memory
// does not grow with the trace.
class ComparedTrace final : public MarkSink {
 public:
  // Errors: those of `Latency::make`.
  [[nodiscard]] static Result<std::unique_ptr<ComparedTrace>> make(LatencyOptions options);

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;
  // Every batch of events, before or after its marks.
  void see(const Timeline& timeline, const Batch& batch);
  // From now on: what ends before is left out.
  void begin_at(std::int64_t time);

  [[nodiscard]] const std::deque<LatencyRow>& rows() const { return latency_->rows(); }
  // As of `Latency`.
  [[nodiscard]] std::vector<std::string> unknown_arguments() const {
    return latency_->unknown_arguments();
  }
  [[nodiscard]] const std::deque<EventCount>& events() const { return events_; }
  // Times of its first and last event, in ns, without what is not reported and what only describes
  // others.
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  // The begin that was asked for.
  [[nodiscard]] std::optional<std::int64_t> from() const { return from_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] double seconds() const { return seconds_between(begin_, end_); }
  // Whether some of its events were lost or could not be read.
  [[nodiscard]] bool has_gaps() const { return has_gaps_; }

  // What is in the blocks of a row: durations, in blocks from its first one to its last one, and
  // how many there are, in those of the trace.
  struct RowBlocks {
    TimeBlocks grid = {};
    PerBlock<Histogram> durations = {};
    PerBlock<std::uint64_t> counts = {};
  };
  [[nodiscard]] const RowBlocks& blocks_of(const LatencyRow& row) const {
    return row_blocks_.at(&row);
  }
  // Bytes that the histograms in blocks take.
  [[nodiscard]] std::size_t memory() const { return memory_; }
  // Blocks of the trace, for counts of rows and of events.
  [[nodiscard]] const TimeBlocks& row_grid() const { return row_grid_; }
  [[nodiscard]] const TimeBlocks& event_grid() const { return event_grid_; }

 private:
  struct CountedClass {
    explicit CountedClass(const EventClass&) {}
    EventCount* count = nullptr;
  };

  explicit ComparedTrace(std::unique_ptr<Latency> latency) : latency_(std::move(latency)) {}

  void count_in_block(const LatencyRow& row, const Mark& mark);
  // Takes in a time of the trace.
  void cover_rows(std::int64_t time);
  void cover_events(std::int64_t time);
  // Blocks have become longer than 2^shift_before ns.
  void lengthen(RowBlocks& blocks, unsigned shift_before);
  // Makes blocks longer until their histograms take less memory again.
  void save_memory();
  [[nodiscard]] EventCount& count_of(const EventClass& event_class);

  std::unique_ptr<Latency> latency_;
  std::optional<std::int64_t> from_;
  TimeBlocks row_grid_;
  std::unordered_map<const LatencyRow*, RowBlocks> row_blocks_;
  std::size_t memory_ = 0;  // of the histograms in them
  std::int64_t most_blocks_ = TimeBlocks::kMost;
  TimeBlocks event_grid_;
  ClassCache<CountedClass> classes_;
  std::deque<EventCount> events_;
  TextMap<EventCount*> events_by_name_;
  bool any_event_ = false;
  std::int64_t first_event_ = 0;
  std::int64_t last_event_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  bool has_gaps_ = false;
};

// What is said of the difference of one figure.
struct Difference {
  // How probable so great a difference is where there is none. Empty: too little is known.
  std::optional<double> chance = {};
  // It is not known as what comes together lasts too long for these traces.
  bool is_dependent = false;
  // Together with all others that are, with a probability of 99 % for all of them (Holm, where a
  // median weighs five times as much as another figure).
  bool is_beyond = false;
};

enum class ComparedFigure : std::uint8_t { kRate, kMedian, kP99 };
inline constexpr std::size_t kComparedFigures = 3;

struct ComparedRow {
  const LatencyRow* a = nullptr;  // null: the trace has none such
  const LatencyRow* b = nullptr;
  NameId id = kNoName;  // of those that are compared
  MarkName name = {};
  std::string moved_from = {};  // the place in A whose line moved; else empty
  std::array<Difference, kComparedFigures> differences = {};

  [[nodiscard]] const LatencyRow& either() const { return a != nullptr ? *a : *b; }
  // That of B, or of A if that alone has it.
  [[nodiscard]] const LatencyRow& latest() const { return b != nullptr ? *b : *a; }
  [[nodiscard]] const Difference& of(ComparedFigure figure) const {
    return differences[static_cast<std::size_t>(figure)];
  }
  [[nodiscard]] Difference& of(ComparedFigure figure) {
    return differences[static_cast<std::size_t>(figure)];
  }
  [[nodiscard]] bool is_beyond() const;
  // Whether all that could be said is that too little is known.
  [[nodiscard]] bool is_untold() const;
  // Whether the median or the 99th percentile is greater in B, beyond chance.
  [[nodiscard]] bool is_slower() const;
};

struct ComparedEvents {
  const EventCount* a = nullptr;  // null: the trace has none such
  const EventCount* b = nullptr;
  Difference rate = {};
  std::string moved_from = {};  // the name in A, if the line in it moved; else empty

  [[nodiscard]] const EventCount& latest() const { return b != nullptr ? *b : *a; }
  [[nodiscard]] const EventCount& either() const { return a != nullptr ? *a : *b; }
};

struct RowOrder;

// Refers to both traces, which must outlive it.
class Comparison {
 public:
  Comparison(const ComparedTrace& a, const ComparedTrace& b);

  [[nodiscard]] const ComparedTrace& a() const { return a_; }
  [[nodiscard]] const ComparedTrace& b() const { return b_; }
  // Those beyond chance first, the greatest change first; then the others, those that took longest
  // altogether first; then those that only A has, and those that only B has.
  [[nodiscard]] const std::vector<ComparedRow>& rows() const { return rows_; }
  // Likewise, the most events first.
  [[nodiscard]] const std::vector<ComparedEvents>& events() const { return events_; }
  // How many differences were measured.
  [[nodiscard]] std::size_t tests() const { return tests_; }

 private:
  void name_rows();
  void measure(ComparedRow& row) const;
  void measure(ComparedEvents& events) const;
  void tell_beyond();
  [[nodiscard]] RowOrder order_of(const ComparedRow& row) const;
  [[nodiscard]] RowOrder order_of(const ComparedEvents& events) const;
  template <class Pair>
  void sort(std::vector<Pair>& pairs) const;

  const ComparedTrace& a_;
  const ComparedTrace& b_;
  std::vector<ComparedRow> rows_;
  std::vector<ComparedEvents> events_;
  std::size_t tests_ = 0;
};

}  // namespace tracedeck::timeline
