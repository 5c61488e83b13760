#include "tracedeck/render/statistics.hpp"

#include <gtest/gtest.h>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

class Statistics : public testing::Test {
 protected:
  Statistics() {
    const EventClass& event_class = trace_.add(trace_.event_class(3, "Poll", nullptr));
    statistics_.events = 3;
    statistics_.bytes = 40;
    statistics_.time = flow::TimeRange{.first = 0, .last = 2'000'000'000};
    flow::ClassStatistics& group = statistics_.classes.emplace_back();
    group.event_class = &event_class;
    group.classes = 2;
    group.events = 3;
    group.bytes = 30;
    group.time = statistics_.time;
    statistics_.begins = statistics_.time;
    group.fields = {{.path = "n",
                     .member = &number_,
                     .count = 2,
                     .minimum = unsigned_slot(1),
                     .maximum = unsigned_slot(4),
                     .unsigned_sum = 5},
                    {.part = flow::FieldStatistics::Part::kCommonContext,
                     .path = "r.x",
                     .member = &real_,
                     .kind = flow::FieldStatistics::Kind::kReal,
                     .minimum = real_slot(0),
                     .maximum = real_slot(0),
                     .real_sum = 0,
                     .left_out = 1}};
  }

  SampleTrace trace_;
  Member number_ = {.name = "n", .field_class = unsigned_class(), .attributes = {}};
  Member real_ = {.name = "x", .field_class = make_field_class(RealClass{}), .attributes = {}};
  flow::TraceStatistics statistics_;
};

TEST_F(Statistics, Text) {
  EXPECT_EQ(statistics_text(statistics_),
            "3 events, 40 bytes\n"
            "\n"
            "EVENTS  BYTES  SHARE  EVENTS/S        FIRST         LAST  EVENT CLASS\n"
            "     3     30  75.0%       1.5  0.000000000  2.000000000  Poll\n"
            "\n"
            "Poll\n"
            "  FIELD        VALUES  MINIMUM  MEAN  MAXIMUM\n"
            "  n                 2        1   2.5        4\n"
            "  common: r.x       0                          1 left out\n");
}

TEST_F(Statistics, Json) {
  EXPECT_EQ(
      statistics_json(statistics_),
      R"({"events":3,"bytes":40,"first":0,"last":2000000000,"classes":[{"name":"Poll","classes":2,"events":3,)"
      R"("bytes":30,"share":0.75,"rate":1.5,"first":0,"last":2000000000,"fields":[)"
      R"({"part":"payload","name":"n","type":"unsigned-integer","count":2,"min":1,"mean":2.5,"max":4,"left_out":0},)"
      R"({"part":"common","name":"r.x","type":"real","count":0,"left_out":1}]}]})"
      "\n");
}

TEST_F(Statistics, OfNothing) {
  EXPECT_EQ(statistics_json({}), "{\"events\":0,\"bytes\":0,\"classes\":[]}\n");
  EXPECT_EQ(statistics_text({}), "0 events, 0 bytes\n");
}

}  // namespace
}  // namespace tracedeck::render
