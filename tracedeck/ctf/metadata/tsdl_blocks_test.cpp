// What the blocks of TSDL become.
#include "tracedeck/ctf/metadata/tsdl_blocks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/tsdl_reading_test.hpp"

namespace tracedeck::ctf {
namespace {

std::string roles(const FieldClassPtr& field) {
  return field == nullptr ? "no field" : fmt::format("{}", fmt::join(field->roles, " "));
}

constexpr std::string_view kLttng =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
    "trace { major = 1; minor = 8; uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";\n"
    "  byte_order = le; packet.header := struct { uint32_t magic; uint8_t uuid[16];\n"
    "  uint32_t stream_id; uint64_t stream_instance_id; }; };\n"
    "env { domain = \"ust\"; tracer_major = 2; };\n"
    "clock { name = \"monotonic\"; uuid = \"81a04b89-9028-4d3e-a28d-5fbd53a8eb9d\";\n"
    "  description = \"Monotonic Clock\"; freq = 1000000000; offset = 1351530929945824323; };\n"
    "typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := ts27;\n"
    "typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := ts64;\n"
    "struct packet_context { ts64 timestamp_begin; ts64 timestamp_end; uint64_t content_size;\n"
    "  uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded;\n"
    "  uint32_t cpu_id; };\n"
    "struct event_header { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
    "  variant <id> { struct { ts27 timestamp; } compact;\n"
    "  struct { uint32_t id; ts64 timestamp; } extended; } v; } align(8);\n"
    "stream { id = 0; event.header := struct event_header;\n"
    "  packet.context := struct packet_context;\n"
    "  event.context := struct { integer { size = 32; } _vtid; }; };\n"
    "event { name = \"a:b\"; id = 3; stream_id = 0; loglevel = 13;\n"
    "  model.emf.uri = \"http://x\"; fields := struct { uint32_t _id; }; };\n"
    "callsite { name = \"a:b\"; func = \"f\"; ip = 0x40096c; };\n";

TEST(TsdlBlocks, TheLastOfRepeatedEntriesOfTheEnvironmentCounts) {
  const TsdlReading reading(
      "env { n = 3; host = \"a\"; n = \"x\"; };\nenv { host = \"b\"; n = 2; };\n"
      "event { fields := struct { u8 a[env.n]; }; };");
  EXPECT_EQ(reading.faults(), (std::vector<std::string>{"ctf/tsdl-environment-repeated 6:26",
                                                        "ctf/tsdl-environment-repeated 7:7",
                                                        "ctf/tsdl-environment-repeated 7:19"}));
  EXPECT_FALSE(reading.has_errors());
  EXPECT_EQ(reading.trace().environment(), (Attributes{{.key = "n", .value = "2", .is_json = true},
                                                       {.key = "host", .value = "b"}}));
  EXPECT_EQ(spelt(reading.field_as<ArrayClass>({"a"}).extent), "2");
}

TEST(TsdlBlocks, WhatLttngWrites) {
  const TsdlReading reading(kLttng);
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(reading.metadata.dialect(), Dialect::kCtf1);
  const TraceDescription& trace = reading.trace();
  ASSERT_TRUE(reading.metadata.uuid().has_value());
  EXPECT_EQ(reading.metadata.uuid()->front(), 0x2A);
  EXPECT_EQ(trace.environment(),
            (Attributes{{.key = "domain", .value = "ust"},
                        {.key = "tracer_major", .value = "2", .is_json = true}}));

  ASSERT_EQ(trace.clocks().size(), 1U);
  const ClockClass& clock = trace.clocks().front();
  EXPECT_EQ(clock.id, "monotonic");
  EXPECT_EQ(clock.tick, Tick{});
  EXPECT_EQ(clock.offset_seconds, 1351530929);
  EXPECT_EQ(clock.offset_ticks, 945824323U);
  EXPECT_EQ(clock.origin, ClockOrigin::kUnixEpoch);
  EXPECT_EQ(clock.identity.uid, "81a04b89-9028-4d3e-a28d-5fbd53a8eb9d");
  EXPECT_EQ(clock.description, "Monotonic Clock");

  const FieldClassPtr header = trace.trace_class().packet_header;
  EXPECT_EQ(roles(TsdlReading::at(header, {"magic"})), "packet-magic-number");
  EXPECT_EQ(roles(TsdlReading::at(header, {"uuid"})), "trace-class-uuid");
  EXPECT_NE(TsdlReading::at(header, {"uuid"})->as<BlobClass>(), nullptr);
  EXPECT_EQ(roles(TsdlReading::at(header, {"stream_id"})), "data-stream-class-id");
  EXPECT_EQ(roles(TsdlReading::at(header, {"stream_instance_id"})), "data-stream-id");

  const DataStreamClass& stream = reading.stream();
  EXPECT_EQ(stream.default_clock, &clock);
  const auto context = [&](const char* name) {
    return roles(TsdlReading::at(stream.packet_context, {name}));
  };
  EXPECT_EQ(context("timestamp_begin"), "packet-beginning-default-clock-timestamp");
  EXPECT_EQ(context("timestamp_end"), "packet-end-default-clock-timestamp");
  EXPECT_EQ(context("content_size"), "packet-content-size");
  EXPECT_EQ(context("packet_size"), "packet-total-size");
  EXPECT_EQ(context("packet_seq_num"), "packet-sequence-number");
  EXPECT_EQ(context("events_discarded"), "discarded-event-record-counter-snapshot");
  EXPECT_EQ(context("cpu_id"), "");
  const auto in_header = [&](std::vector<std::string> names) {
    return roles(TsdlReading::at(stream.event_header, std::move(names)));
  };
  EXPECT_EQ(in_header({"id"}), "event-record-class-id");
  EXPECT_EQ(in_header({"v", "compact", "timestamp"}), "default-clock-timestamp");
  EXPECT_EQ(in_header({"v", "extended", "id"}), "event-record-class-id");
  EXPECT_EQ(in_header({"v", "extended", "timestamp"}), "default-clock-timestamp");
  EXPECT_NE(TsdlReading::at(stream.common_context, {"vtid"}), nullptr);

  const EventClass& event = reading.event();
  EXPECT_EQ(event.id, 3U);
  EXPECT_EQ(event.name, "a:b");
  EXPECT_EQ(event.clock, &clock);
  EXPECT_EQ(event.attributes, (Attributes{{.key = "loglevel", .value = "13"},
                                          {.key = "model.emf.uri", .value = "http://x"}}));
  EXPECT_EQ(roles(reading.field({"id"})), "");
}

// A conversion says of classes what they were, under names that say which class each is about.
TEST(TsdlBlocks, EmbeddedDescriptionsSayTheirClass) {
  constexpr std::string_view kClasses =
      "stream { id = 2; packet.context := struct { u8 a; }; };\n"
      "event { name = a; id = 0; stream_id = 2; fields := struct { u8 x; }; };\n"
      "event { name = b; id = 5; stream_id = 2; fields := struct { u8 x; }; };\n";
  const auto entry = [](std::string_view name, int number) {
    return fmt::format("env {{ tracedeck_mark_{} = \"{{\\\"marks\\\":[{}]}}\"; }};\n", name,
                       number);
  };
  const auto marks_of = [](const TsdlReading& reading) {
    std::string all;
    const auto add = [&](const Attributes& attributes) {
      for (const Attribute& each : attributes) all += each.value + " ";
    };
    add(reading.trace().stream_classes()[0].attributes);
    for (std::size_t i = 0; i < reading.trace().event_classes().size(); ++i)
      add(reading.event(i).attributes);
    return all;
  };
  const TsdlReading named(entry("event_2_5", 3) + entry("stream_2", 1) + entry("event_2_0", 2) +
                          std::string(kClasses));
  EXPECT_EQ(named.faults(), std::vector<std::string>{});
  EXPECT_EQ(marks_of(named), R"({"marks":[1]} {"marks":[2]} {"marks":[3]} )");

  const TsdlReading numbered(entry("0", 1) + std::string(kClasses));
  EXPECT_EQ(numbered.faults(), std::vector<std::string>{});
  EXPECT_EQ(marks_of(numbered), R"({"marks":[1]} )");

  const std::vector<std::string> fault = {"ctf/tsdl-embedded-description 6:7"};
  const TsdlReading together(entry("0", 1) + entry("1", 2) + std::string(kClasses));
  EXPECT_EQ(together.faults(), fault);
  EXPECT_EQ(marks_of(together), "");
  const TsdlReading astray(entry("event_2_7", 1) + std::string(kClasses));
  EXPECT_EQ(astray.faults(), fault);

  // Entries that are no marks may have such names.
  const std::string others =
      "env { tracedeck_mark_stream_2 = \"u\"; tracedeck_mark_event_2_0 = 5; };\n";
  const TsdlReading beside(others + entry("stream_2_", 1) + entry("event_2_0__", 2) +
                           std::string(kClasses));
  EXPECT_EQ(beside.faults(), std::vector<std::string>{});
  EXPECT_EQ(marks_of(beside), R"({"marks":[1]} {"marks":[2]} )");
  EXPECT_EQ(beside.trace().environment().size(), 2U);
}

// babeltrace2 writes a clock before each of its streams.
TEST(TsdlBlocks, EqualClocksOfANameAreOne) {
  const TsdlReading reading(
      "clock { name = c; freq = 1000; offset_s = 2; };\n"
      "clock { name = c; freq = 1000; offset = 2000; };\n"
      "stream { event.header := struct { integer { size = 8; map = clock.c.value; } t; }; };\n");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(reading.trace().clocks().size(), 1U);
  EXPECT_EQ(reading.stream().default_clock, &reading.trace().clocks()[0]);
}

// A tracer appends to its metadata.
TEST(TsdlBlocks, TextThatGrows) {
  for (std::size_t piece = 1; piece < 200; piece += 13) {
    TsdlReading reading;
    for (std::size_t at = 0; at < kLttng.size(); at += piece)
      reading.read(kLttng.substr(at, piece), at + piece >= kLttng.size());
    EXPECT_EQ(reading.trace().event_classes().size(), 1U);
    reading.read("event { name = later; id = 4; stream_id = 0;", false);
    EXPECT_EQ(reading.trace().event_classes().size(), 1U);
    reading.read(" };", false);
    EXPECT_EQ(reading.event(1).name, "later");
    reading.read("\n/* the end */", true);
    EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  }
}

TEST(TsdlBlocks, ClocksThatAreNoNanoseconds) {
  const TsdlReading reading(
      "clock { name = a; freq = 1000; offset = -1; offset_s = 10; precision = 7;\n"
      "  absolute = TRUE; };\n"
      "clock { name = b; freq = 3; offset_s = -2; offset = 7; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  const ClockClass& a = reading.trace().clocks()[0];
  EXPECT_EQ(a.tick, Tick::from_frequency(1000));
  EXPECT_EQ(a.offset_seconds, 9);
  EXPECT_EQ(a.offset_ticks, 999U);
  EXPECT_EQ(a.precision, 7U);
  EXPECT_EQ(a.attributes, (Attributes{{.key = "absolute", .value = "true"}}));
  const ClockClass& b = reading.trace().clocks()[1];
  EXPECT_EQ(b.offset_seconds, 0);
  EXPECT_EQ(b.offset_ticks, 1U);
}

TEST(TsdlBlocks, TimestampsWithoutAMapping) {
  const std::string_view stream =
      "stream { event.header := struct { u8 timestamp; }; };\nevent { };";
  const TsdlReading one(fmt::format("{} clock {{ name = only; freq = 7; }};", stream));
  EXPECT_EQ(one.faults(), std::vector<std::string>{});
  EXPECT_EQ(one.stream().default_clock->id, "only");
  EXPECT_EQ(roles(TsdlReading::at(one.stream().event_header, {"timestamp"})),
            "default-clock-timestamp");
  const TsdlReading none(stream);
  EXPECT_EQ(none.faults(), std::vector<std::string>{});
  EXPECT_EQ(none.event().clock->id, "default");
  EXPECT_EQ(none.event().clock->tick, Tick{});
  EXPECT_EQ(none.event().clock->origin, ClockOrigin::kUnknown);
  const TsdlReading several(
      fmt::format("clock {{ name = a; }}; clock {{ name = b; }};\n{}", stream));
  EXPECT_EQ(several.faults(), (std::vector<std::string>{"ctf/tsdl-stream 2:11"}));
}

TEST(TsdlBlocks, EventsBeforeTheirStream) {
  const TsdlReading reading(
      "event { id = 1; stream_id = 7; name = a; };\nevent { id = 1; stream_id = 8; };\n"
      "stream { id = 8; }; stream { id = 7; };");
  EXPECT_FALSE(reading.has_errors());
  ASSERT_EQ(reading.trace().event_classes().size(), 2U);
  EXPECT_EQ(reading.event(0).stream_class->id, 8U);
  EXPECT_EQ(reading.event(1).stream_class->id, 7U);
}

TEST(TsdlBlocks, EventsWithoutAnyStream) {
  const TsdlReading reading("event { name = string; fields := struct { u8 a; }; };");
  EXPECT_EQ(reading.faults(), std::vector<std::string>{});
  EXPECT_EQ(reading.stream().id, 0U);
  EXPECT_EQ(reading.event().id, 0U);
  EXPECT_EQ(reading.event().name, "string");
}

TEST(TsdlBlocks, ReservedNamesOfOtherTypes) {
  const TsdlReading reading(
      "/* CTF 1.8 */ typealias integer { size = 32; signed = true; } := i32;\n"
      "typealias integer { size = 16; } := u16;\n"
      "trace { major = 1; minor = 8; byte_order = le;\n"
      "  packet.header := struct { i32 stream_id; u16 magic; u16 uuid[8]; }; };\n");
  EXPECT_EQ(reading.faults(),
            (std::vector<std::string>{"ctf/tsdl-reserved-name 1:25", "ctf/tsdl-reserved-name 2:11",
                                      "ctf/tsdl-reserved-name 4:55"}));
  EXPECT_FALSE(reading.has_errors());
  EXPECT_EQ(roles(TsdlReading::at(reading.trace().trace_class().packet_header, {"magic"})), "");
}

// What is shared has its roles in the root that they belong to, and nowhere else.
TEST(TsdlBlocks, RolesOfSharedTypes) {
  const TsdlReading reading(
      "struct header { u8 id; u8 timestamp; };\n"
      "stream { event.header := struct header; event.context := struct header; };\n"
      "event { fields := struct header; };");
  EXPECT_EQ(roles(TsdlReading::at(reading.stream().event_header, {"id"})), "event-record-class-id");
  EXPECT_EQ(roles(TsdlReading::at(reading.stream().common_context, {"id"})), "");
  EXPECT_EQ(roles(reading.field({"timestamp"})), "");
}

}  // namespace
}  // namespace tracedeck::ctf
