// A query: the stages that events pass, and the answer that comes out.
//
//   auto query = Query::parse("where depth > 3 | p99(duration) by worker_id | top 10 by p99");
//
// Conditions on events at its front are a `flow::Condition`, so that the pipeline selects by them
// (and reads no packets that cannot hold what is asked for); all that follows is fed with records.
// docs/query.md describes the language.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/query/all_columns.hpp"
#include "tracedeck/query/allocation_rows.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/query/grouping.hpp"
#include "tracedeck/query/query_counts.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/sample_rows.hpp"
#include "tracedeck/query/span_rows.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::query {

// Tells keys of `distinct` apart, and says nothing else of them.
[[nodiscard]] std::uint64_t mark_of_distinct_key(const HashKey& key);

// One thread at a time.
class Query {
 public:
  // `where`: what events have to meet besides, or null. `all`: what `*` stands for among events.
  // Errors: kInvalidArgument with a caret under the place; kLimitExceeded.
  [[nodiscard]] static Result<std::unique_ptr<Query>> parse(
      std::string_view text, const std::shared_ptr<const Condition>& where = nullptr,
      const std::optional<std::vector<AllColumn>>& all = {});
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // Whether it selects `*` of events: without `all` it answers nothing then, and says what events
  // to look at for that.
  [[nodiscard]] bool selects_all() const;
  // What the pipeline has to select; null: all events.
  [[nodiscard]] const std::shared_ptr<const Condition>& condition() const;
  // Whether events have to come in the order of time.
  [[nodiscard]] bool needs_order() const;
  // Whether that is for pairs alone: then a data stream that goes back in time because its clock
  // steps back is to keep its own order, and after `expect_clock_steps` no pair lies across a step
  // by more than `least`.
  [[nodiscard]] bool minds_clock_steps() const;
  void expect_clock_steps(Nanoseconds least);
  // Whether values of events are looked at, and whether their names are.
  [[nodiscard]] bool needs_values() const;
  [[nodiscard]] bool needs_names() const;
  // Whether names of addresses are asked for, apart from `condition()`.
  [[nodiscard]] bool needs_symbols() const;
  // Whether the answer is the same in whatever order they come.
  [[nodiscard]] bool any_order() const;
  // Whether events of one time are taken for such: times are in what is asked behind the conditions
  // at its front.
  [[nodiscard]] bool compares_times() const;
  [[nodiscard]] std::span<const Column> columns() const;
  // Of the times in the answer: that of the first event with a clock.
  [[nodiscard]] ClockOrigin origin() const;

  // What it names of events, behind the conditions at its front.
  [[nodiscard]] FieldWatch& fields() const;

  // What distinguishes the traces that events come from; without it `trace` is unknown behind the
  // conditions at its front. To be called before `answer_to`.
  void name_traces(const std::function<std::string(const TraceDescription& trace)>& name_of);

  // The key that `distinct` hashes with, unless it is the usual one: counts of different keys do
  // not add up. To be called before `answer_to`.
  void set_distinct_key(const HashKey& key);
  [[nodiscard]] const HashKey& distinct_key() const;

  // What it is about. Rows that are not of events are made elsewhere: `add` counts the events that
  // they are of, and `add_row` adds them.
  [[nodiscard]] RowSource source() const;
  // What is asked of spans; null: it is not about these.
  [[nodiscard]] const SpanPlan* spans() const;

  // Where the answer goes: rows of `columns()`. To be called once, before any batch.
  void answer_to(std::unique_ptr<RowSink> sink);
  // Errors: those of temporary files and of the sink; kInvalidArgument, where it compares dates
  // with times that do not count from 1970.
  [[nodiscard]] Result<void> add(const Batch& batch);
  // Adds a row that was made elsewhere: `span_columns()`, then the arguments that `spans()` names,
  // or the columns of its source. Errors: those of temporary files and of the sink.
  [[nodiscard]] Result<void> add_row(std::span<const Value> row);
  // How many there were so far.
  void note_spans(const SpanCounts& counts);
  void note_allocations(const AllocationCounts& counts);
  void note_samples(const SampleCounts& counts);
  // Whether groups were put aside in a temporary file, so that `encode` leaves none to `finish`.
  [[nodiscard]] bool spilled() const;
  // Whether nothing that may still come makes a difference.
  [[nodiscard]] bool full() const;
  // That so many events came out of order, for `counts`.
  void note_late(std::uint64_t events);
  // That so many traces could not be read to their end: losses of unknown size for `counts`.
  void note_unread(std::uint64_t traces);
  // Makes the rows seen that do not depend on what may still come: of queries that do not sort, and
  // compute nothing of all. Errors: those of the sink.
  [[nodiscard]] Result<void> show();
  // No more batches come: pairs that wait have no end.
  [[nodiscard]] Result<void> close();
  // Hands on the answer, and closes before if nobody did.
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] QueryCounts counts() const;
  // Sentences about an answer of no rows that its counts do not explain. Behind `finish`.
  [[nodiscard]] std::vector<std::string> notices() const;

  // Its text, with the condition beside it: a query of its own.
  [[nodiscard]] const std::string& question() const;
  // Whether the answer over several traces can be put together from what is known of each
  // (`partial.hpp`). Error: kInvalidArgument, why not.
  [[nodiscard]] Result<void> adds_up() const;
  // The mark of the key that what is known was hashed with: that of `distinct_key()`, unless what
  // is merged was hashed elsewhere.
  [[nodiscard]] std::uint64_t distinct_key_mark() const;
  void set_distinct_key_mark(std::uint64_t mark);
  // What is known by now, in portions, to be merged elsewhere. For these three `answer_to` comes
  // first, and `finish` not before; the query must add up. Errors: those of `take` and of temporary
  // files.
  [[nodiscard]] Result<void> encode(const TakePortion& take);
  // Whether `portion` is one that a query of an equal question may have made.
  [[nodiscard]] bool understands(ByteSpan portion) const;
  // Adds a portion that is understood. Errors: those of temporary files.
  [[nodiscard]] Result<void> merge(ByteSpan portion);

 private:
  class Work;

  explicit Query(std::unique_ptr<Work> work);

  std::unique_ptr<Work> work_;
};

}  // namespace tracedeck::query
