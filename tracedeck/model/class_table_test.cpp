#include "tracedeck/model/class_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {
namespace {

struct Count {
  explicit Count(const EventClass&) {}
  int events = 0;
};

std::unique_ptr<TraceDescription> trace_of(std::size_t classes) {
  auto made = std::make_unique<TraceDescription>("t", "made-up", "1");
  for (std::size_t i = 0; i < classes; ++i) made->add_event_class({.id = i});
  return made;
}

TEST(TraceDescription, NumbersGrowAndIdsAreOfTheTrace) {
  const auto first = trace_of(2);
  const auto second = trace_of(1);
  EXPECT_NE(first->number(), 0U);
  EXPECT_LT(first->number(), second->number());
  EXPECT_EQ(first->event_classes()[1].entity, (EntityId{first->number(), 1}));
  EXPECT_EQ(second->event_classes()[0].entity, (EntityId{second->number(), 0}));
  EXPECT_EQ(first->next_stream(), (EntityId{first->number(), 0}));
  EXPECT_EQ(first->next_stream(), (EntityId{first->number(), 1}));
  EXPECT_EQ(first->add_clock({.id = "c"}).entity, (EntityId{first->number(), 0}));
  EXPECT_EQ(first->add_stream_class({}).entity, (EntityId{first->number(), 0}));
}

TEST(ClassTable, ReportsClassesByTheirIdsNotTheirAddresses) {
  ClassTable<Count> table;
  for (int i = 0; i < 100; ++i) {
    const auto trace = trace_of(3);
    for (const EventClass& each : trace->event_classes()) EXPECT_EQ(table[each].events++, 0);
    for (const EventClass& each : trace->event_classes()) EXPECT_EQ(table[each].events++, 1);
  }
  EXPECT_EQ(table.entries().size(), 300U);
}

TEST(ClassTable, RemembersMoreThanTheFirstLookHasPlaceFor) {
  ClassTable<Count> table;
  const auto trace = trace_of(5000);
  for (int i = 0; i < 3; ++i) {
    for (const EventClass& each : trace->event_classes()) EXPECT_EQ(table[each].events++, i);
  }
}

TEST(ClassCache, ForgetsWhenANewTraceComes) {
  ClassCache<Count> cache;
  std::size_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto trace = trace_of(3);
    for (const EventClass& each : trace->event_classes()) ++cache[each].events;
    for (const EventClass& each : trace->event_classes()) EXPECT_EQ(cache[each].events, 1);
    most = std::max(most, cache.entries().size());
  }
  EXPECT_LE(most, ClassCache<Count>::kMany + 3);
}

TEST(ClassCache, RemembersAllOfOneTraceAndOfThoseReadTogether) {
  ClassCache<Count> cache;
  std::vector<std::unique_ptr<TraceDescription>> traces;
  for (int i = 0; i < 1000; ++i) traces.push_back(trace_of(3));
  for (const auto& trace : traces) {
    for (const EventClass& each : trace->event_classes()) ++cache[each].events;
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto& trace : traces) {
      for (const EventClass& each : trace->event_classes()) ++cache[each].events;
    }
  }
  EXPECT_EQ(cache.entries().size(), 3000U) << "nothing is forgotten when no new trace comes";
}

}  // namespace
}  // namespace tracedeck
