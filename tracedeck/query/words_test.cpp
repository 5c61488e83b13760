#include "tracedeck/query/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::query {
namespace {

using render::SampleTrace;
using render::structure_class;
using render::unsigned_class;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(Words, AreThoseOfTheLanguage) {
  EXPECT_THAT(expression_words(), Contains("duration"));
  EXPECT_THAT(expression_words(), Contains("symbol("));
  EXPECT_THAT(expression_words(), Not(Contains("")));
  EXPECT_THAT(stage_words(), Contains("pair"));
  EXPECT_THAT(stage_words(), Contains("count"));
  EXPECT_THAT(stage_words(), Contains("sum("));
  EXPECT_THAT(stage_words(), Contains("p99("));
  EXPECT_THAT(stage_words(), Contains("spans"));
  EXPECT_THAT(stage_words(), Contains("category"));
  EXPECT_THAT(stage_words(), Contains("allocations"));
  EXPECT_THAT(stage_words(), Contains("samples"));
  EXPECT_THAT(stage_words(), Contains("weight_bytes"));
  EXPECT_THAT(stage_words(), Not(Contains("duration")));
}

TEST(KnownNames, AreOfEventsAndFields) {
  SampleTrace trace;
  const auto inner = structure_class({{"a", unsigned_class()}, {"odd key", unsigned_class()}});
  trace.add(trace.event_class(1, "Poll Start", structure_class({{"x", inner}, {"y", inner}})));
  trace.add(trace.event_class(
      2, "it's",
      structure_class({{"z", unsigned_class()}, {"http.status", inner}, {"a..b", inner}})));
  KnownNames names;
  names.see(trace.description);
  EXPECT_THAT(names.events(), ElementsAre("Poll Start"));
  EXPECT_THAT(names.fields(), Contains("x.a"));
  EXPECT_THAT(names.fields(), Contains("z"));
  EXPECT_THAT(names.fields(), Contains("http.status.a"));
  EXPECT_THAT(names.fields(), Not(Contains("a..b")));
  EXPECT_THAT(names.fields(), Not(Contains("odd key")));
  KnownNames few(2);
  few.see(trace.description);
  EXPECT_EQ(few.fields().size(), 2);
}

}  // namespace
}  // namespace tracedeck::query
