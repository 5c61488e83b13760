// Groups of rows, and what is computed of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/query/row_sorter.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/stages.hpp"

namespace tracedeck::query {

// What is known of one group.
struct Group {
  std::vector<AggregateState> states = {};
  std::string shown = {};  // its key, where texts of it are equal to others; else empty

  // Adds what another group of the same plan is. Returns by how much memory grew, about.
  std::size_t add(const Group& other);
};

struct GroupingPlan {
  std::size_t keys = 0;  // values that rows begin with
  struct Aggregate {
    AggregateKind kind = AggregateKind::kCount;
    double part = 0;
    std::optional<std::size_t> argument = {};  // which value of the row
  };
  std::vector<Aggregate> aggregates = {};
  std::optional<std::size_t> time = {};  // which value of the row, for `every` and rates
  std::optional<Integer> every = {};     // ns; then the first column of the result is a time
  // Bytes for groups in memory; beyond, they are put in order in a temporary file, which takes two
  // thirds of that besides, and are added up at the end.
  std::size_t memory = std::size_t{24} << 20;
  HashKey distinct_key = DistinctCounter::kUsualKey;
};

// Takes a part of a state that goes elsewhere.
using TakePortion = std::function<Result<void>(std::string_view)>;

// A stage: takes rows, and at the end hands on one for each group, in the order of its keys: its
// time, if `every`, its keys, its aggregates.
//
// Numbers of different labels are different keys, and so is one without. Only where all is of one
// trace does a number without a name belong to the one name that the trace gives it elsewhere: it
// came before the name did.
class Grouping final : public RowSink {
 public:
  Grouping(GroupingPlan plan, std::unique_ptr<RowSink> next);

  [[nodiscard]] Result<void> add(std::span<const Value> row) override;
  [[nodiscard]] Result<void> finish() override;

  // For who finds groups faster than by a row of values. The group of the row that was added last,
  // or null; valid as long as `generation` is what it was.
  [[nodiscard]] Group* last_group() { return last_group_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] const GroupingPlan& plan() const { return plan_; }
  // See `DistinctCounter`. Before the first row.
  void set_distinct_key(const HashKey& key) { plan_.distinct_key = key; }
  // Takes note of when events were, by which rates are measured.
  void note_times(const std::optional<Integer>& begin, const std::optional<Integer>& end) {
    if (begin && (!begin_ || *begin < *begin_)) begin_ = begin;
    if (end && (!end_ || *end > *end_)) end_ = end;
  }
  // Takes note of the trace that events to come are of.
  void note_trace(std::uint64_t trace) {
    several_traces_ = several_traces_ || (trace_ && *trace_ != trace);
    trace_ = trace;
  }
  // Says that groups took so many bytes more; and puts groups aside if they take too many.
  void note_growth(std::size_t bytes) { memory_ += bytes; }
  [[nodiscard]] Result<void> make_room() {
    return memory_ > plan_.memory ? spill() : Result<void>();
  }

  // The state of all groups as bytes, to be merged elsewhere, in portions of whole groups of some
  // 64 KiB, in the order of their keys; before `finish`, and instead of it if groups were put
  // aside. Errors: those of `take` and of temporary files.
  [[nodiscard]] Result<void> encode(const TakePortion& take);
  // Whether `portion` is one that `encode` of an equal plan may have made.
  [[nodiscard]] bool understands(ByteSpan portion) const;
  // Adds what is in a portion that is understood. Errors: those of temporary files.
  [[nodiscard]] Result<void> merge(ByteSpan portion);

  // Whether groups were put aside.
  [[nodiscard]] bool spilled() const { return sorter_.has_value(); }

 private:
  using Groups = TextMap<Group>;
  // Returns whether more groups are wanted.
  using VisitGroup = std::function<Result<bool>(std::string_view key, const Group&)>;

  Group& group_of(std::string_view key);
  [[nodiscard]] Group new_group() const;
  [[nodiscard]] std::size_t key_values() const { return plan_.keys + (plan_.every ? 1 : 0); }
  void put_labels(std::span<const Value> row, std::size_t bucket);
  void note_shown(Group& group, std::span<const Value> row, std::size_t bucket);
  static void encode_group(std::string& into, const Group& group);
  void put_bucket(const Value& time);
  [[nodiscard]] Result<void> spill();
  // Calls `visit` with the groups in the order of their keys.
  [[nodiscard]] Result<void> for_each_group(const VisitGroup& visit);
  // The same before names that came late are seen to.
  [[nodiscard]] Result<void> for_each_key(const VisitGroup& visit);
  [[nodiscard]] Result<void> for_each_spilled(const VisitGroup& visit);
  // Takes a group off `bytes`; nothing where none is.
  [[nodiscard]] std::optional<Group> decode_group(ByteSpan& bytes) const;
  [[nodiscard]] Group copy_of(const Group& group) const;
  // Whether `key` is of as many values as rows have keys.
  [[nodiscard]] bool is_key(std::string_view key) const;
  [[nodiscard]] Result<bool> hand_on(std::string_view key, const Group& group);
  [[nodiscard]] double seconds() const;

  GroupingPlan plan_;
  std::unique_ptr<RowSink> next_;
  Groups groups_;
  std::string key_;   // of the row at hand
  std::string last_;  // the key before, of `last_group_`
  Group* last_group_ = nullptr;
  std::uint64_t generation_ = 1;
  std::size_t memory_ = 0;  // of groups, about
  bool has_names_ = false;  // some keys have names that a trace gives
  bool several_traces_ = false;
  std::optional<std::uint64_t> trace_ = {};
  std::optional<Integer> begin_ = {};  // of all rows
  std::optional<Integer> end_ = {};
  std::optional<RowSorter> sorter_ = {};  // of groups that were put aside
};

}  // namespace tracedeck::query
