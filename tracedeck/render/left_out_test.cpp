#include "tracedeck/render/left_out.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/render/text.hpp"

namespace tracedeck::render {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

class LeftOutOf : public testing::Test {
 protected:
  static Counts counts(const Receipt& receipt) {
    Counts counts;
    for (const ReceiptEntry& entry : receipt) {
      EXPECT_TRUE(entry.lossy);
      counts.emplace_back(entry.what, entry.count);
    }
    return counts;
  }

  Counts of(const std::vector<Record>& records, bool all_records = false) {
    LeftOut left_out(all_records);
    for (const Record& record : records) left_out.see(record);
    return counts(left_out.receipt());
  }

  Record begin() { return {RecordKind::kStreamBegin, &trace_.stream}; }
  Record end() { return {RecordKind::kStreamEnd, &trace_.stream}; }

  SampleTrace trace_;
};

TEST_F(LeftOutOf, APlainTraceIsNothing) { EXPECT_EQ(of({begin(), end()}), Counts{}); }

TEST_F(LeftOutOf, RecordsThatAreNotShown) {
  const Packet packet{.stream = &trace_.stream};
  const Loss loss{.stream = &trace_.stream, .events = 3};
  const Loss wrong{.stream = &trace_.stream, .events = 3, .taken_back = true};
  const Notice damage;
  const std::vector<Record> records{begin(),
                                    {RecordKind::kPacketBegin, &packet},
                                    Record(&loss),
                                    Record(&loss),
                                    Record(&wrong),
                                    {RecordKind::kPacketEnd, &packet},
                                    {RecordKind::kProblem, &damage},
                                    {RecordKind::kFinding, &damage},
                                    end()};
  EXPECT_EQ(
      of(records),
      (Counts{{"packets", 1}, {"losses that the producer recorded", 2}, {"damaged ranges", 1}}));
  EXPECT_EQ(of(records, true), Counts{});
  EXPECT_EQ(of({begin(), Record(&loss), Record(&wrong), end()}), Counts{}) << "all came after all";
}

TEST_F(LeftOutOf, WhatIsKnownBesideTheEvents) {
  trace_.clock.precision = 100;
  trace_.description.add_environment({.key = "host", .value = "h"});
  LeftOut left_out(true);
  left_out.see(begin());
  trace_.description.add_environment({.key = "user", .value = "u"});
  left_out.see(begin());
  left_out.see(end());
  left_out.see(end());
  EXPECT_EQ(counts(left_out.receipt()),
            (Counts{{"clocks of which more is known than their times", 1},
                    {"entries of the environment", 2}}));
}

TEST_F(LeftOutOf, AttributesIdentitiesAndClassesWithoutEvents) {
  const Attribute unit{.key = "unit", .value = "ms"};
  FieldClass field{.kind = IntegerClass{.layout = FixedLayout{.width = 8}}, .attributes = {unit}};
  const FieldClassPtr shared = structure_class({{"x", std::make_shared<FieldClass>(field)}});
  StructureClass payload = *shared->as<StructureClass>();
  payload.members.push_back({.name = "inside", .field_class = shared, .attributes = {unit, unit}});
  const EventClass& used = trace_.add({.name = "used",
                                       .name_space = "space",
                                       .stream_class = &trace_.stream_class,
                                       .clock = &trace_.clock,
                                       .payload = make_field_class(std::move(payload)),
                                       .attributes = {unit}});
  trace_.add({.name = "unused", .stream_class = &trace_.stream_class, .payload = shared});
  TraceClass trace_class;
  trace_class.name = "t";
  trace_class.attributes = {unit};
  trace_.description.set_trace_class(std::move(trace_class));
  LeftOut left_out(true);
  left_out.see(begin());
  for (int i = 0; i < 2; ++i) left_out.see(trace_.event(used, 1, {}));
  left_out.see(end());
  EXPECT_EQ(counts(left_out.receipt()),
            (Counts{{"attributes of traces, classes and fields", 6},
                    {"identities of traces and classes beside names and ids", 2},
                    {"classes without events", 1}}));
}

TEST_F(LeftOutOf, TracesThatFollowOneAnother) {
  LeftOut left_out(false);
  for (int i = 0; i < 3; ++i) {
    SampleTrace trace;
    trace.description.add_environment({.key = "host", .value = "h"});
    left_out.see({RecordKind::kStreamBegin, &trace.stream});
    left_out.see({RecordKind::kStreamEnd, &trace.stream});
  }
  EXPECT_EQ(counts(left_out.receipt()), (Counts{{"entries of the environment", 3}}));
}

TEST_F(LeftOutOf, EveryRendererCounts) {
  const Packet packet{.stream = &trace_.stream};
  std::string text;
  const auto output = io::memory_output(text);
  for (const auto& writer :
       {json_lines_writer(*output), csv_writer(*output), text_writer(*output)}) {
    ASSERT_TRUE(writer->write({RecordKind::kPacketBegin, &packet}));
    EXPECT_EQ(counts(writer->receipt()), (Counts{{"packets", 1}}));
  }
}

}  // namespace
}  // namespace tracedeck::render
