#include "tracedeck/flow/order_watch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

using What = PlannedRecord::What;

std::uint64_t steps_back(const std::vector<PlannedRecord>& plan, std::size_t batch_size = 3) {
  const MadeUpTrace trace;
  OrderWatch watch;
  for (const BatchPtr& batch : trace.batches(plan, batch_size)) watch.see(*batch);
  return watch.steps_back();
}

TEST(OrderWatch, CountsStepsBackNotEventsBehind) {
  EXPECT_EQ(steps_back({}), 0U);
  EXPECT_EQ(steps_back({{.time = 5}, {.time = 5}, {.time = 6}}), 0U);
  EXPECT_EQ(steps_back({{.time = 9}, {.time = 5}, {.time = 6}, {.time = 4}, {.time = 8}}), 2U);
}

TEST(OrderWatch, GoesByTheTimeWhenAnEventWasRecorded) {
  // It began before the event before it, and ended behind.
  EXPECT_EQ(steps_back({{.time = 9}, {.what = What::kDuration, .time = 2, .duration = 10}}), 0U);
  EXPECT_EQ(steps_back({{.time = 9}, {.what = What::kDuration, .time = 2, .duration = 3}}), 1U);
}

RC_GTEST_PROP(OrderWatch, ComparesTimesOfAllClocks, ()) {
  const std::vector<PlannedRecord> plan = *gen_plan(60);
  const MadeUpTrace trace;
  std::uint64_t expected = 0;
  std::optional<Nanoseconds> last;
  OrderWatch watch;
  for (const BatchPtr& batch : trace.batches(plan, *rc::gen::inRange<std::size_t>(1, 9))) {
    for (const Record& record : batch->records()) {
      if (record.kind != RecordKind::kEvent || !record.event.has_time()) continue;
      const Nanoseconds time = record.event.recorded_at();
      if (last && time < *last) ++expected;
      last = time;
    }
    watch.see(*batch);
  }
  RC_ASSERT(watch.steps_back() == expected);
  RC_ASSERT(!watch.unrelated());
}

// A batch of one event of a trace of its own.
struct OneEvent {
  OneEvent(const std::string& name, ClockOrigin origin)
      : description(std::make_shared<TraceDescription>(name, "made-up", "1")) {
    const ClockClass& clock = description->add_clock({.origin = origin});
    const DataStreamClass& stream_class = description->add_stream_class({.default_clock = &clock});
    event.event_class =
        &description->add_event_class({.stream_class = &stream_class, .clock = &clock});
    batch.add_event(event);
  }
  std::shared_ptr<TraceDescription> description;
  Event event = {};
  Batch batch{0};
};

TEST(OrderWatch, FindsTracesWhoseClocksCannotBeRelated) {
  const OneEvent epoch("a", ClockOrigin::kUnixEpoch);
  const OneEvent also_epoch("b", ClockOrigin::kUnixEpoch);
  const OneEvent unknown("c", ClockOrigin::kUnknown);
  OrderWatch watch;
  watch.see(epoch.batch);
  watch.see(also_epoch.batch);
  watch.see(epoch.batch);
  EXPECT_FALSE(watch.unrelated());
  watch.see(unknown.batch);
  watch.see(OneEvent("d", ClockOrigin::kUnknown).batch);
  ASSERT_TRUE(watch.unrelated());
  EXPECT_EQ(watch.unrelated()->first, "a");
  EXPECT_EQ(watch.unrelated()->others, (std::vector<std::string>{"c", "d"}));
  const std::uint64_t relative = unknown.description->number();
  const auto related = watch.unrelated([&](std::uint64_t first, std::uint64_t second) {
    EXPECT_EQ(first, epoch.description->number());
    return second == relative;
  });
  ASSERT_TRUE(related);
  EXPECT_EQ(related->others, (std::vector<std::string>{"d"}));
  EXPECT_FALSE(watch.unrelated([](std::uint64_t, std::uint64_t) { return true; }));
}

TEST(OrderWatch, OneTraceIsRelatedToItself) {
  const OneEvent unknown("c", ClockOrigin::kUnknown);
  OrderWatch watch;
  for (int i = 0; i < 3; ++i) watch.see(unknown.batch);
  EXPECT_FALSE(watch.unrelated());
}

}  // namespace
}  // namespace tracedeck::flow
