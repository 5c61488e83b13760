#include "tracedeck/flow/merge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tracedeck/flow/concatenate.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {
namespace {

using Plan = std::vector<PlannedRecord>;
using What = PlannedRecord::What;

// An event with a time and what follows it in its source.
struct Group {
  Nanoseconds time;
  std::vector<SeenRecord> records;
};

// Groups of a source, of which the first is what precedes its first event with a time.
std::deque<Group> groups_of(const std::vector<BatchPtr>& batches, OrderBy by) {
  std::deque<Group> groups(1);
  for (const BatchPtr& batch : batches) {
    for (const Record& record : batch->records()) {
      if (record.kind == RecordKind::kEvent && record.event.has_time()) {
        groups.push_back(
            {by == OrderBy::kRecorded ? record.event.recorded_at() : record.event.began_at(), {}});
      }
      groups.back().records.push_back(see(record));
    }
  }
  return groups;
}

std::vector<SeenRecord> naive_merge(const std::vector<std::vector<BatchPtr>>& sources, OrderBy by) {
  std::vector<SeenRecord> merged;
  std::vector<std::deque<Group>> heads;
  const auto take = [&](std::deque<Group>& groups) {
    for (SeenRecord& record : groups.front().records) merged.push_back(std::move(record));
    groups.pop_front();
  };
  for (const auto& batches : sources) take(heads.emplace_back(groups_of(batches, by)));
  while (true) {
    std::deque<Group>* first = nullptr;
    for (auto& groups : heads) {
      if (!groups.empty() && (first == nullptr || groups.front().time < first->front().time)) {
        first = &groups;
      }
    }
    if (first == nullptr) return merged;
    take(*first);
  }
}

std::unique_ptr<RecordSource> merge_all(const std::vector<std::vector<BatchPtr>>& sources,
                                        OrderBy by = OrderBy::kRecorded) {
  std::vector<std::unique_ptr<RecordSource>> fakes;
  for (const auto& batches : sources) fakes.push_back(std::make_unique<FakeSource>(batches));
  return merge(std::move(fakes), by);
}

std::vector<std::vector<BatchPtr>> batches_of(const MadeUpTrace& trace,
                                              const std::vector<Plan>& plans,
                                              std::size_t batch_size) {
  std::vector<std::vector<BatchPtr>> sources;
  std::uint64_t serial = 0;
  for (const Plan& plan : plans) {
    sources.push_back(trace.batches(plan, batch_size, serial));
    serial += plan.size();
  }
  return sources;
}

RC_GTEST_PROP(Merge, IsThatOfTheNaiveMerge, ()) {
  const auto times = *rc::gen::element<std::uint64_t>(2, 20, 1000);
  const auto plans = *rc::gen::container<std::vector<Plan>>(gen_plan(times));
  const auto by = *rc::gen::element(OrderBy::kRecorded, OrderBy::kBegan);
  const MadeUpTrace trace;
  const auto sources = batches_of(trace, plans, *rc::gen::inRange<std::size_t>(1, 10));
  const auto merged = see_all(*merge_all(sources, by));
  RC_ASSERT(merged.has_value());
  RC_ASSERT(*merged == naive_merge(sources, by));
}

TEST(Merge, OfLongSourcesIsThatOfTheNaiveMerge) {
  for (const std::size_t count : {2U, 3U, 10U, 33U}) {
    const MadeUpTrace trace;
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < count; ++i) {
      Plan plan = plan_nearly_sorted(2000, 3, i);
      // Some sources have their events in bursts, others evenly.
      for (PlannedRecord& record : plan)
        record.time = i % 2 == 0 ? record.time : record.time / 200 * 200;
      plans.push_back(std::move(plan));
    }
    const auto sources = batches_of(trace, plans, 300);
    const auto merged = see_all(*merge_all(sources));
    ASSERT_TRUE(merged.has_value());
    EXPECT_TRUE(*merged == naive_merge(sources, OrderBy::kRecorded)) << count << " sources";
  }
}

TEST(Merge, GoesByTheEndOfEventsThatHaveOne) {
  const MadeUpTrace trace;
  const auto sources = batches_of(
      trace, {{{.what = What::kDuration, .time = 1, .duration = 10}}, {{.time = 5}, {.time = 20}}},
      8);
  const auto merged = see_all(*merge_all(sources));
  ASSERT_TRUE(merged.has_value());
  ASSERT_EQ(merged->size(), 3U);
  EXPECT_EQ((*merged)[0].serial, 1U);
  EXPECT_EQ((*merged)[1].serial, 0U);
  EXPECT_EQ((*merged)[2].serial, 2U);
}

TEST(Merge, DistinguishesTimesThatNeedMoreThan64Bits) {
  TraceDescription description("far", "made-up", "1");
  ClockClass& clock = description.add_clock({.id = "slow", .tick = {1'000'000'000, 1}});
  EventClass event_class;
  event_class.clock = &clock;
  const EventClass& timed = description.add_event_class(std::move(event_class));
  const auto source = [&](std::vector<std::uint64_t> seconds) {
    auto batch = std::make_shared<Batch>();
    for (const std::uint64_t value : seconds) {
      batch->add_event({.event_class = &timed, .time = value, .end_time = value, .offset = value});
    }
    return std::vector<BatchPtr>{batch};
  };
  constexpr std::uint64_t kFar = std::uint64_t{1} << 63;
  const auto merged = see_all(
      *merge_all({source({5, kFar + 1, kFar + 3}), source({kFar, kFar + 2, ~std::uint64_t{0}})}));
  ASSERT_TRUE(merged.has_value());
  EXPECT_TRUE(std::ranges::is_sorted(*merged, {}, &SeenRecord::serial));
  EXPECT_EQ(merged->size(), 6U);
}

TEST(Merge, OfNothingIsEmpty) {
  EXPECT_EQ(*merge({})->next(), nullptr);
  const MadeUpTrace trace;
  EXPECT_EQ(*merge_all(batches_of(trace, {{}, {}, {}}, 1))->next(), nullptr);
}

TEST(Merge, OfOneSourcePassesItsBatchesThrough) {
  const MadeUpTrace trace;
  const auto batches = trace.batches(plan_nearly_sorted(100, 1, 0), 30);
  const auto merged = merge_all({batches});
  for (const BatchPtr& batch : batches) EXPECT_EQ(*merged->next(), batch);
}

TEST(Merge, DeliversWhatCameBeforeAnError) {
  const MadeUpTrace trace;
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.push_back(std::make_unique<FakeSource>(trace.batches({{.time = 1}, {.time = 9}}, 2)));
  sources.push_back(
      std::make_unique<FakeSource>(trace.batches({{.time = 2}, {.time = 3}}, 2, 2),
                                   Error{.code = ErrorCode::kReadFailed, .message = "Gone."}));
  const auto merged = merge(std::move(sources));
  const Result<BatchPtr> batch = merged->next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ((*batch)->records().size(), 3U);
  for (int i = 0; i < 2; ++i) {
    const Result<BatchPtr> failed = merged->next();
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, ErrorCode::kReadFailed);
  }
}

// A source that makes its batches when asked for them and counts those that somebody still holds.
class CountingSource final : public RecordSource {
 public:
  CountingSource(const MadeUpTrace& trace, std::size_t batches, std::size_t& alive,
                 std::size_t& most)
      : trace_(trace), batches_(batches), alive_(alive), most_(most) {}

  Result<BatchPtr> next() override {
    if (made_ == batches_) return nullptr;
    Plan plan(Batch::kRecords);
    for (std::size_t i = 0; i < plan.size(); ++i) plan[i].time = made_ * plan.size() + i;
    ++made_;
    most_ = std::max(most_, ++alive_);
    BatchPtr batch = trace_.batches(plan, plan.size(), 0, false).front();
    const Batch* const records = batch.get();
    return BatchPtr(records, [held = std::move(batch), &alive = alive_](const Batch*) { --alive; });
  }

 private:
  const MadeUpTrace& trace_;
  std::size_t batches_;
  std::size_t made_ = 0;
  std::size_t& alive_;
  std::size_t& most_;
};

TEST(Merge, HoldsLittleMoreThanOneBatchOfEachSource) {
  constexpr std::size_t kSources = 50;
  const MadeUpTrace trace;
  std::size_t alive = 0;
  std::size_t most = 0;
  std::vector<std::unique_ptr<RecordSource>> sources;
  for (std::size_t i = 0; i < kSources; ++i) {
    sources.push_back(std::make_unique<CountingSource>(trace, 10, alive, most));
  }
  const auto merged = merge(std::move(sources));
  std::size_t records = 0;
  while (const BatchPtr batch = *merged->next()) records += batch->records().size();
  EXPECT_EQ(records, kSources * 10 * Batch::kRecords);
  EXPECT_LE(most, kSources + 8);
  EXPECT_EQ(alive, 0U);
}

TEST(Merge, HandsOnWhatOutlastsTheBatches) {
  const MadeUpTrace trace;
  const auto merged = merge_all(batches_of(trace, {{{.time = 1}}, {{.time = 2}}}, 1));
  const BatchPtr batch = *merged->next();
  const auto pins = batch->lasting_pins();
  EXPECT_TRUE(std::ranges::find(pins, trace.description()) != pins.end());
}

RC_GTEST_PROP(Concatenate, DeliversOneSourceAfterTheOther, ()) {
  const auto plans = *rc::gen::container<std::vector<Plan>>(gen_plan(10));
  const MadeUpTrace trace;
  const auto sources = batches_of(trace, plans, 3);
  std::vector<std::unique_ptr<RecordSource>> fakes;
  std::vector<SeenRecord> expected;
  for (const auto& batches : sources) {
    fakes.push_back(std::make_unique<FakeSource>(batches));
    for (const BatchPtr& batch : batches) {
      for (const Record& record : batch->records()) expected.push_back(see(record));
    }
  }
  const auto seen = see_all(*concatenate(std::move(fakes)));
  RC_ASSERT(seen.has_value());
  RC_ASSERT(*seen == expected);
}

}  // namespace
}  // namespace tracedeck::flow
