#include "tracedeck/flow/summary.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

using What = PlannedRecord::What;

TraceSummary summarize(const MadeUpTrace& trace, const std::vector<PlannedRecord>& plan) {
  Summarizer summarizer(trace.description());
  for (const BatchPtr& batch : trace.batches(plan, 3, 0, false)) summarizer.add(*batch);
  return summarizer.finish();
}

const ClassSummary& class_named(const TraceSummary& summary, const std::string& name) {
  for (const ClassSummary& entry : summary.classes) {
    if (entry.event_class->name == name) return entry;
  }
  throw std::out_of_range(name);
}

TEST(Summary, CountsEventsByClass) {
  const MadeUpTrace trace;
  const TraceSummary summary =
      summarize(trace, {{.time = 50},
                        {.time = 20},
                        {.what = What::kDuration, .time = 10, .duration = 100},
                        {.what = What::kTimeless},
                        {.time = 30}});
  EXPECT_EQ(summary.description, trace.description());
  EXPECT_EQ(summary.events, 5U);
  EXPECT_EQ(summary.timeless_events, 1U);
  ASSERT_EQ(summary.classes.size(), 5U);  // one of them without events
  const ClassSummary& timed = class_named(summary, "timed");
  EXPECT_EQ(timed.events, 3U);
  ASSERT_TRUE(timed.time.has_value());
  EXPECT_EQ(timed.time->first, Nanoseconds(20));
  EXPECT_EQ(timed.time->last, Nanoseconds(50));
  const ClassSummary& duration = class_named(summary, "duration");
  EXPECT_EQ(duration.time->first, Nanoseconds(10));
  EXPECT_EQ(duration.time->last, Nanoseconds(110));
  EXPECT_FALSE(class_named(summary, "timeless").time.has_value());
  EXPECT_EQ(class_named(summary, "odd").events, 0U);
  EXPECT_FALSE(class_named(summary, "odd").time.has_value());
  ASSERT_TRUE(summary.time.has_value());
  EXPECT_EQ(summary.time->first, Nanoseconds(10));
  EXPECT_EQ(summary.time->last, Nanoseconds(110));
}

TEST(Summary, ReckonsTimesByEachClassesClock) {
  const MadeUpTrace trace;
  // The odd clock starts 10 ns before the origin and ticks every 7/3 ns.
  const TraceSummary summary = summarize(
      trace, {{.what = What::kOddClock, .time = 3}, {.what = What::kOddClock, .time = 4}});
  EXPECT_EQ(summary.time->first, Nanoseconds(-3));
  EXPECT_EQ(summary.time->last, Nanoseconds(-1));
}

TEST(Summary, CountsWhatIsNoEvent) {
  const MadeUpTrace trace;
  std::vector<PlannedRecord> plan;
  for (std::size_t i = 0; i < 20; ++i)
    plan.push_back({.what = What::kStreamBegin, .stream = i % 3});
  for (std::size_t i = 0; i < 30; ++i) plan.push_back({.what = What::kProblem});
  plan.push_back({.what = What::kLoss});
  plan.push_back({.what = What::kLoss});
  plan.push_back({.what = What::kFinding});
  plan.push_back({.what = What::kFinding});
  plan.push_back({.what = What::kPacketBegin});
  plan.push_back({.what = What::kStreamEnd});
  plan.push_back({.what = What::kDescription});
  const TraceSummary summary = summarize(trace, plan);
  EXPECT_EQ(summary.events, 0U);
  EXPECT_FALSE(summary.time.has_value());
  EXPECT_EQ(summary.streams, 20U);
  ASSERT_EQ(summary.first_streams.size(), 16U);
  EXPECT_EQ(summary.first_streams[2].stream.keys[0].value, 2U);
  EXPECT_EQ(summary.packets, 1U);
  EXPECT_EQ(summary.problems.count, 30U);
  EXPECT_EQ(summary.problems.bytes, 90U);
  ASSERT_EQ(summary.problems.first.size(), 16U);
  EXPECT_EQ(summary.problems.first[0].finding.offset, 20U);
  EXPECT_EQ(summary.losses.places, 2U);
  EXPECT_EQ(summary.losses.events, 50U + 51U);  // their serial numbers
  EXPECT_EQ(summary.losses.places_of_unknown_size, 0U);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].rule->id, "made-up/rule");
  EXPECT_EQ(summary.findings[0].count, 2U);
  EXPECT_EQ(summary.findings[0].first.finding.offset, 52U);
}

TEST(Summary, ALossWithoutNumbersIsUnknown) {
  const MadeUpTrace trace;
  Summarizer summarizer(trace.description());
  Batch batch;
  batch.add_loss({});
  summarizer.add(batch);
  EXPECT_EQ(summarizer.finish().losses.places_of_unknown_size, 1U);
}

RC_GTEST_PROP(Summary, CountsEveryEvent, ()) {
  const auto plan = *gen_plan(100);
  const MadeUpTrace trace;
  std::uint64_t events = 0;
  for (const PlannedRecord& record : plan) events += record.what <= What::kTimeless ? 1U : 0U;
  const TraceSummary summary = summarize(trace, plan);
  RC_ASSERT(summary.events == events);
  std::uint64_t by_class = 0;
  for (const ClassSummary& entry : summary.classes) by_class += entry.events;
  RC_ASSERT(by_class == events);
}

FieldClassPtr unsigned_class(std::uint32_t width) {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = width}});
}

FieldClassPtr structure_of(const std::string& member, FieldClassPtr field_class) {
  return make_field_class(StructureClass{.members = {{member, std::move(field_class), {}}}});
}

EventClass class_like(std::uint64_t id, FieldClassPtr payload) {
  EventClass event_class;
  event_class.id = id;
  event_class.name = "same";
  event_class.payload = std::move(payload);
  return event_class;
}

TEST(Summary, ShowsAlikeClassesAsOne) {
  auto description = std::make_shared<TraceDescription>("a", "made-up", "1");
  const std::vector<const EventClass*> classes = {
      &description->add_event_class(class_like(1, structure_of("x", unsigned_class(8)))),
      &description->add_event_class(class_like(1, structure_of("x", unsigned_class(8)))),
      &description->add_event_class(class_like(2, structure_of("x", unsigned_class(8)))),
      &description->add_event_class(class_like(2, structure_of("x", unsigned_class(16)))),
      &description->add_event_class(class_like(2, structure_of("y", unsigned_class(8)))),
  };
  Summarizer summarizer(description);
  Batch batch;
  for (const EventClass* event_class : classes) {
    Event event;
    event.event_class = event_class;
    batch.add_event(event);
  }
  summarizer.add(batch);
  const TraceSummary summary = summarizer.finish();
  ASSERT_EQ(summary.classes.size(), 3U);
  EXPECT_EQ(summary.classes[0].event_class, classes[0]);
  EXPECT_EQ(summary.classes[0].classes, 3U);
  EXPECT_EQ(summary.classes[0].events, 3U);
  EXPECT_EQ(summary.classes[0].id, std::nullopt);
  EXPECT_EQ(summary.classes[1].classes, 1U);
  EXPECT_EQ(summary.classes[1].id, 2U);
}

TEST(Summary, NominalTimesAreNoTimesOfTheTrace) {
  auto description = std::make_shared<TraceDescription>("a", "made-up", "1");
  const ClockClass& clock = description->add_clock({.id = "ns"});
  const EventClass& happened = description->add_event_class({.name = "a", .clock = &clock});
  const EventClass& described =
      description->add_event_class({.name = "b", .clock = &clock, .nominal_time = true});
  Summarizer summarizer(description);
  Batch batch;
  for (const std::uint64_t time : {500U, 600U}) {
    Event event;
    event.event_class = &happened;
    event.time = event.end_time = time;
    batch.add_event(event);
  }
  Event event;
  event.event_class = &described;
  batch.add_event(event);
  summarizer.add(batch);
  const TraceSummary summary = summarizer.finish();
  EXPECT_EQ(summary.events, 3U);
  EXPECT_EQ(summary.timeless_events, 0U) << "it has one, though it means nothing";
  EXPECT_EQ(summary.time->first, Nanoseconds(500));
  EXPECT_EQ(summary.time->last, Nanoseconds(600));
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_FALSE(summary.classes[1].time.has_value());
}

TEST(Signature, DoesNotMixUpNames) {
  const EventClass a = class_like(1, structure_of("x", structure_of("y", unsigned_class(8))));
  const EventClass b = class_like(1, structure_of("xy", unsigned_class(8)));
  EXPECT_NE(signature(a), signature(b));
  EXPECT_EQ(signature(a), signature(class_like(7, a.payload)));
}

TEST(Signature, OfSharedClassesStaysSmall) {
  FieldClassPtr shared = unsigned_class(8);
  for (int i = 0; i < 60; ++i) {
    shared = make_field_class(StructureClass{.members = {{"a", shared, {}}, {"b", shared, {}}}});
  }
  EXPECT_LT(signature(class_like(1, shared)).size(), 5000U);
}

}  // namespace
}  // namespace tracedeck::flow
