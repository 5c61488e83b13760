// Sampled allocations as the rows of a query that begins with `allocations`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/heap_samples.hpp"
#include "tracedeck/timeline/shown_times.hpp"
#include "tracedeck/timeline/trace_origins.hpp"

namespace tracedeck::timeline {

// The stacks of allocations by numbers, each once. One thread at a time.
class AllocationStacks {
 public:
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

  struct Stack {
    std::string text;                     // "app::parse < app::handle", as of `stack(x)`
    std::string function;                 // the first of these
    std::vector<std::string> inlined_in;  // what it stands for too
  };

  // The number of a list of addresses, which may be null; `kNone` where it is none, or empty.
  [[nodiscard]] std::uint32_t number_of(const Event& event, const Slot* list);
  [[nodiscard]] const Stack& at(std::uint32_t number) const { return stacks_[number - 1]; }
  // Stacks of allocations for which there was no room.
  [[nodiscard]] std::uint64_t not_held() const { return not_held_; }

 private:
  TextMap<std::uint32_t> numbers_;  // by the bytes of trace and addresses
  std::deque<Stack> stacks_;
  std::string key_;
  std::size_t bytes_ = 0;
  std::uint64_t not_held_ = 0;
};

// Events come in the order of time. A row is made of an allocation when it ends, of those that are
// live when all events have come. One thread at a time.
class AllocationRows {
 public:
  // The query asks for allocations, and must outlive it.
  AllocationRows(query::Query& query, TraceOrigins::NameOfTrace name_of_trace);
  AllocationRows(const AllocationRows&) = delete;
  AllocationRows& operator=(const AllocationRows&) = delete;

  // From now on: what ends before is left out.
  void begin_at(const Nanoseconds& time) { begin_ = time; }
  void show_utc_by(FrameOfTrace frame_of) { frame_of_ = std::move(frame_of); }

  // Errors: those of the query.
  [[nodiscard]] Result<void> add(const Batch& batch);
  [[nodiscard]] Result<void> finish();

  // What the user should know of allocations, as sentences. Behind `finish`.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  // What is kept of an allocation until it ends.
  struct Kept {
    std::optional<Nanoseconds> time;
    std::uint64_t size = 0;
    std::uint64_t tid = 0;
    std::uint64_t address = 0;
    std::uint32_t stack = AllocationStacks::kNone;
    std::uint32_t trace = 0;  // of `traces_`
  };
  struct ClassUse {
    explicit ClassUse(const EventClass& event_class);
    std::size_t tid = 0;  // numbers of members
    std::size_t address = 0;
    std::size_t size = 0;
  };
  struct Trace {
    std::string name;
    std::optional<flow::TimeFrame> frame;
  };
  struct End {
    std::optional<bool> live;  // nothing: it is not known
    std::optional<Nanoseconds> freed_at;
  };

  [[nodiscard]] std::uint32_t keep(const Event& event, const Slot* stack);
  [[nodiscard]] std::uint32_t trace_of(const Event& event);
  // Adds the row of what is kept there, whose place is free then.
  void put(const HeapSample& sample, const End& end);
  [[nodiscard]] query::Value shown(const std::optional<Nanoseconds>& time, const Kept& kept) const;
  [[nodiscard]] bool is_before(const std::optional<Nanoseconds>& time) const;

  query::Query& query_;
  TraceOrigins::NameOfTrace name_of_trace_;
  FrameOfTrace frame_of_ = {};
  std::optional<Nanoseconds> begin_ = {};
  HeapSamples heap_;
  ClassCache<ClassUse> classes_;
  AllocationStacks stacks_;
  std::deque<Kept> kept_;
  std::vector<std::uint32_t> free_places_;  // of `kept_`
  NumberMap<std::uint64_t, std::uint32_t> trace_numbers_;
  std::deque<Trace> traces_;
  query::AllocationCounts counts_ = {};
  bool has_losses_ = false;
  Result<void> status_ = {};
  std::vector<query::Value> row_;
};

}  // namespace tracedeck::timeline
