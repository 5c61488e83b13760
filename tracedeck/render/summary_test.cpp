#include "tracedeck/render/summary.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

constexpr Rule kCut = {
    .id = "dial9/cut", .severity = Severity::kError, .section = "Frames", .summary = "..."};
constexpr Rule kBool = {.id = "dial9/bool-value",
                        .severity = Severity::kWarning,
                        .section = "Field Types",
                        .summary = "..."};

class Summary : public testing::Test {
 protected:
  Summary() : description_(std::make_shared<TraceDescription>("dir/\x1B.bin", "dial9", "1")) {
    const ClockClass& clock = description_->add_clock({.id = "timestamp"});
    summary_.description = description_;
    for (const char* const name : {"A", "B"}) {
      const EventClass& added = description_->add_event_class({.id = 7,
                                                               .name = name,
                                                               .name_space = {},
                                                               .uid = {},
                                                               .clock = &clock,
                                                               .payload = nullptr});
      summary_.classes.push_back({{.event_class = &added, .classes = 1, .id = 7}});
    }
    summary_.size = 3028;
    summary_.stored_size = 100;
    summary_.streams = 2;
    summary_.first_streams = {{.stream = {.stream_class = nullptr, .keys = {{"segment", 0}}}}};
    summary_.events = 5;
    summary_.time = flow::TimeRange{.first = 1'000'000, .last = 1'500'000};
    summary_.classes[0].events = 5;
    summary_.classes[0].time = summary_.time;
  }

  void add_trouble() {
    summary_.timeless_events = 2;
    summary_.losses = {.events = 3, .places = 2, .places_of_unknown_size = 1};
    const Notice problem{.input = "a",
                         .finding = {.rule = &kCut, .offset = 9, .length = 4, .text = "Cut."}};
    const Notice finding{.input = "a",
                         .finding = {.rule = &kBool, .offset = 2, .length = 1, .text = "Odd."}};
    summary_.problems = {.count = 2, .bytes = 6, .first = {problem}};
    summary_.findings = {{.rule = &kBool, .count = 3, .first = finding},
                         {.rule = &kCut, .count = 1, .first = problem}};
  }

  std::shared_ptr<TraceDescription> description_;
  flow::TraceSummary summary_;
};

TEST_F(Summary, Text) {
  EXPECT_EQ(summary_text(summary_),
            "dir/\\x1b.bin: dial9 1\n"
            "  size      3028 bytes, stored in 100 bytes\n"
            "  clock     timestamp: 1 ns a tick, from an unknown origin\n"
            "  streams   2: [segment 0] ...\n"
            "  classes   2\n"
            "  events    5\n"
            "  time      0.001000000 to 0.001500000 (0.000500000 s)\n"
            "  losses    none\n"
            "  problems  none\n"
            "  findings  none\n"
            "\n"
            "  EVENTS  ID        FIRST         LAST  EVENT CLASS\n"
            "       5   7  0.001000000  0.001500000  A\n"
            "       0   7                            B\n");
}

TEST_F(Summary, TextOfATraceInTrouble) {
  add_trouble();
  const std::string text = summary_text(summary_);
  EXPECT_NE(text.find("  events    5, 2 of them without a time\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  losses    3 events, in 2 places; in 1 of them nothing says how many\n"
                "  problems  2, 6 bytes not read\n"
                "            a:9: error: dial9/cut: Cut. [Frames]\n"
                "            ...\n"
                "  findings  a:2: warning: dial9/bool-value: Odd. [Field Types] (and 2 more)\n"
                "            a:9: error: dial9/cut: Cut. [Frames]\n"),
      std::string::npos)
      << text;
}

TEST_F(Summary, Json) {
  add_trouble();
  EXPECT_EQ(
      summary_json(summary_),
      R"({"file":"dir/\u001b.bin","format":"dial9","version":"1","size":3028,"stored_size":100,)"
      R"("clocks":[{"id":"timestamp","tick":{"numerator":1,"denominator":1},"offset":{"seconds":0,"ticks":0},"origin":"unknown"}],)"
      R"("streams":{"count":2,"first":[{"segment":0}],"times":[{"stream":{"segment":0}}]},"packets":0,"events":5,"timeless_events":2,)"
      R"("time":{"first":1000000,"last":1500000},)"
      R"("classes":[{"name":"A","id":7,"classes":1,"events":5,"time":{"first":1000000,"last":1500000}},)"
      R"({"name":"B","id":7,"classes":1,"events":0}],)"
      R"("losses":{"records":2,"events":3,"packets":0,"unknown":true},)"
      R"("problems":{"count":2,"bytes":6,"first":[{"file":"a","offset":9,"length":4,"severity":"error","rule":"dial9/cut","text":"Cut.","section":"Frames"}]},)"
      R"("findings":[{"rule":"dial9/bool-value","severity":"warning","count":3,"first":{"file":"a","offset":2,"length":1,"severity":"warning","rule":"dial9/bool-value","text":"Odd.","section":"Field Types"}},)"
      R"({"rule":"dial9/cut","severity":"error","count":1,"first":{"file":"a","offset":9,"length":4,"severity":"error","rule":"dial9/cut","text":"Cut.","section":"Frames"}}]})"
      "\n");
}

TEST_F(Summary, WhatIsUnknownIsAbsent) {
  flow::TraceSummary empty;
  empty.description = std::make_shared<TraceDescription>("standard input", "dial9", "1");
  EXPECT_EQ(
      summary_json(empty),
      R"({"file":"standard input","format":"dial9","version":"1","clocks":[],"streams":{"count":0,"first":[],"times":[]},)"
      R"("packets":0,"events":0,"timeless_events":0,"classes":[],)"
      R"("losses":{"records":0,"events":0,"packets":0,"unknown":false},)"
      R"("problems":{"count":0,"bytes":0,"first":[]},"findings":[]})"
      "\n");
  EXPECT_EQ(summary_text(empty),
            "standard input: dial9 1\n"
            "  size      unknown\n"
            "  streams   0\n"
            "  classes   0\n"
            "  events    0\n"
            "  time      none\n"
            "  losses    none\n"
            "  problems  none\n"
            "  findings  none\n");
}

}  // namespace
}  // namespace tracedeck::render
