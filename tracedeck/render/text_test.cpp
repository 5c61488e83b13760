#include "tracedeck/render/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/render/text_value.hpp"

namespace tracedeck::render {
namespace {

std::string text(const std::vector<Record>& records, TextOptions options = {}) {
  return rendered([&](io::Output& output) { return text_writer(output, options); }, records);
}

std::string value(const Slots& slots, const FieldClassPtr& field_class = nullptr) {
  TextBuffer out;
  TextValues values{Palette(false)};
  EXPECT_EQ(values.append(out, slots.data(), field_class.get()), slots.data() + slots.size());
  EXPECT_EQ(values.style().columns(), out.size());
  return std::string(out.view());
}

FieldClassPtr integer_class(IntegerClass::Form form, DisplayBase base,
                            std::vector<Mapping> mappings = {}) {
  return make_field_class(
      IntegerClass{.form = form, .display_base = base, .mappings = std::move(mappings)});
}

TEST(TextValues, Scalars) {
  EXPECT_EQ(value({boolean_slot(true)}), "true");
  EXPECT_EQ(value({unsigned_slot(7)}), "7");
  EXPECT_EQ(value({signed_slot(-7)}), "-7");
  EXPECT_EQ(value({real_slot(1.0)}), "1.0");
  EXPECT_EQ(value({real_slot(-1.0 / 0.0)}), "-Infinity");
  EXPECT_EQ(value({text_slot("a \"b\"\n\x1B")}), R"("a \"b\"\n\x1b")");
  EXPECT_EQ(value({bytes_slot(SlotKind::kBlob, as_bytes("\x01\xAB").data(), 2)}), "<01ab>");
  EXPECT_EQ(value({unresolved_slot(9)}), "unresolved(9)");
  EXPECT_EQ(value({wide_slot(SlotKind::kWideSigned, std::vector<std::uint8_t>(9, 0xFF))}), "-1");
}

TEST(TextValues, AddressesAreHexadecimal) {
  EXPECT_EQ(value({unsigned_slot(0x55555abc, kSlotAddress)}), "0x55555abc");
  EXPECT_EQ(value({unsigned_slot(0x55555abc)}, address_class()), "0x55555abc");
  const std::vector<std::uint8_t> bytes = {0x10, 0, 0, 0, 0, 0, 0, 0x80};
  EXPECT_EQ(value({packed_slot(PackedElement::kU64Le, bytes.data(), 8, kSlotAddress)}),
            "[0x8000000000000010]");
}

TEST(TextValues, NamesStandBehindTheirValues) {
  ValueNames names;
  const std::uint32_t sensor = names.add("sensor");
  const std::uint32_t tricky = names.add("\x1B[2J");
  TextBuffer out;
  TextValues values{Palette(false)};
  const auto shown = [&](const Slot& slot) {
    out.clear();
    values.append(out, &slot, nullptr);
    return std::string(out.view());
  };
  EXPECT_EQ(shown(named_slot(3, sensor)), "3") << "nothing to look it up in";
  values.style().set_names(&names);
  EXPECT_EQ(shown(named_slot(3, sensor)), "3 (sensor)");
  EXPECT_EQ(shown(named_slot(3, tricky)), "3 (\\x1b[2J)");
  EXPECT_EQ(shown(named_slot(3, 0)), "3");
  EXPECT_EQ(shown(unsigned_slot(3)), "3");
}

TEST(TextValues, SymbolsStandBehindTheirAddresses) {
  const Symbols symbols([] {
    SymbolTable table;
    table.add(0x10, 4, 0, {.name = "main\x1B[2J"});
    table.add(0x20, 0, 0, {.name = "poll", .file = "/a/src/lib.rs", .line = 3});
    table.add(0x20, 0, 1, {.name = "parse", .file = "/a/src/json.rs", .line = 9});
    table.finish();
    return table;
  });
  TextBuffer out;
  TextValues values{Palette(false)};
  values.style().set_symbols(&symbols);
  const auto shown = [&](const Slot& slot, const FieldClassPtr& field_class = nullptr) {
    out.clear();
    values.append(out, &slot, field_class.get());
    return std::string(out.view());
  };
  EXPECT_EQ(shown(unsigned_slot(0x13, kSlotAddress)), "0x13 (main\\x1b[2J)");
  EXPECT_EQ(shown(unsigned_slot(0x10), address_class()), "0x10 (main\\x1b[2J)");
  EXPECT_EQ(shown(unsigned_slot(0x14, kSlotAddress)), "0x14");
  EXPECT_EQ(shown(unsigned_slot(0x20, kSlotAddress)),
            "0x20 (parse src/json.rs:9 < poll src/lib.rs:3)");
  EXPECT_EQ(shown(unsigned_slot(0x10)), "16");
}

TEST(TextValues, IntegersInTheirDisplayBase) {
  using enum IntegerClass::Form;
  EXPECT_EQ(value({unsigned_slot(255)}, integer_class(kNumber, DisplayBase::kHexadecimal)), "0xff");
  EXPECT_EQ(value({signed_slot(-255)}, integer_class(kNumber, DisplayBase::kHexadecimal)), "-0xff");
  EXPECT_EQ(value({unsigned_slot(8)}, integer_class(kNumber, DisplayBase::kOctal)), "0o10");
  EXPECT_EQ(value({unsigned_slot(5)}, integer_class(kNumber, DisplayBase::kBinary)), "0b101");
  EXPECT_EQ(value({unsigned_slot(0)}, integer_class(kNumber, DisplayBase::kBinary)), "0b0");
  EXPECT_EQ(value({unsigned_slot(~std::uint64_t{0})}, integer_class(kNumber, DisplayBase::kOctal)),
            "0o1777777777777777777777");
  EXPECT_EQ(value({wide_slot(SlotKind::kWideUnsigned, {0, 0, 0, 0, 0, 0, 0, 0, 0x0F})},
                  integer_class(kNumber, DisplayBase::kOctal)),
            "0o36000000000000000000000");
  EXPECT_EQ(value({unsigned_slot(5)}, integer_class(kBitArray, DisplayBase::kDecimal)), "0x5");
}

TEST(TextValues, LabelsAndFlags) {
  using enum IntegerClass::Form;
  const std::vector<Mapping> mappings = {{.label = "A", .ranges = {{1, 2}}},
                                         {.label = "two words", .ranges = {{2, 2}}}};
  EXPECT_EQ(value({unsigned_slot(1)}, integer_class(kEnumeration, DisplayBase::kDecimal, mappings)),
            "A(1)");
  EXPECT_EQ(value({unsigned_slot(2)}, integer_class(kEnumeration, DisplayBase::kDecimal, mappings)),
            "A|\"two words\"(2)");
  EXPECT_EQ(
      value({unsigned_slot(3)}, integer_class(kEnumeration, DisplayBase::kHexadecimal, mappings)),
      "?(0x3)");
  EXPECT_EQ(value({unsigned_slot(6)}, integer_class(kBitMap, DisplayBase::kDecimal, mappings)),
            "A|\"two words\"(0x6)");
  EXPECT_EQ(value({unsigned_slot(1)}, integer_class(kBitMap, DisplayBase::kDecimal, mappings)),
            "0x1");
}

TEST(TextValues, CompoundValues) {
  EXPECT_EQ(value({head_slot(SlotKind::kArray, 2, 2), unsigned_slot(1), unsigned_slot(2)}),
            "[1, 2]");
  EXPECT_EQ(value({head_slot(SlotKind::kStructure, 0, 2), unsigned_slot(1), text_slot("x")},
                  structure_class({{"a", unsigned_class()}, {"b c", string_class()}})),
            R"({a=1, "b c"="x"})");
  EXPECT_EQ(value({head_slot(SlotKind::kStringMap, 1, 2), text_slot("k"), text_slot("v")}),
            R"({"k": "v"})");
  EXPECT_EQ(value({head_slot(SlotKind::kMap, 2, 4), unsigned_slot(1), text_slot("v"),
                   unsigned_slot(2), head_slot(SlotKind::kMap, 0, 0)}),
            R"({1: "v", 2: {}})");
  EXPECT_EQ(value({head_slot(SlotKind::kOptional, 0, 0)}), "none");
}

class Text : public testing::Test {
 protected:
  SampleTrace trace_;
};

TEST_F(Text, LinesAreAligned) {
  trace_.stream.keys.clear();
  const EventClass& start = trace_.add(trace_.event_class(
      0, "PollStart", structure_class({{"worker", unsigned_class()}, {"task", unsigned_class()}})));
  const EventClass& end =
      trace_.add(trace_.event_class(1, "PollEnd", structure_class({{"worker", unsigned_class()}})));
  EXPECT_EQ(
      text({Record(trace_.event(start, 503'226'032'430'072, {unsigned_slot(12), unsigned_slot(1)})),
            Record(trace_.event(end, 503'226'032'431'306, {unsigned_slot(1)})),
            Record(trace_.event(start, 503'226'032'431'206,
                                {unsigned_slot(3), unsigned_slot(1000)}))}),
      "503226.032430072 +0.000000000 [] PollStart  worker=12  task=1\n"
      "503226.032431306 +0.000001234 [] PollEnd    worker=1\n"
      "503226.032431206 -0.000000100 [] PollStart  worker=3   task=1000\n");
}

TEST_F(Text, NarrowTimesMoveToTheRight) {
  const EventClass& event_class = trace_.add(trace_.event_class(0, "E", nullptr));
  EXPECT_EQ(text({Record(trace_.event(event_class, 10'000'000'000, {})),
                  Record(trace_.event(event_class, 1, {}))}),
            "10.000000000 +0.000000000 [segment 0] E\n"
            " 0.000000001 -9.999999999 [segment 0] E\n");
}

TEST_F(Text, DatesWhenTheClockCountsFromTheUnixEpoch) {
  trace_.clock.origin = ClockOrigin::kUnixEpoch;
  const EventClass& event_class = trace_.add(trace_.event_class(0, "E", nullptr));
  EXPECT_EQ(text({Record(trace_.event(event_class, 1605112699000000123, {}))}),
            "2020-11-11T16:38:19.000000123Z +0.000000000 [segment 0] E\n");
}

TEST_F(Text, EventsWithoutTimeOrName) {
  EventClass event_class = trace_.event_class(3, {}, structure_class({{"x", unsigned_class()}}));
  event_class.clock = nullptr;
  EXPECT_EQ(text({Record(trace_.event(trace_.add(event_class), 0, {unsigned_slot(1)}))}),
            "- - [segment 0] #3  x=1\n");
}

TEST_F(Text, DurationsAndContexts) {
  trace_.stream_class.packet_context = structure_class({{"cpu", unsigned_class()}});
  trace_.stream_class.common_context = structure_class({{"pid", unsigned_class()}});
  EventClass event_class =
      trace_.event_class(3, "span", structure_class({{"x", unsigned_class()}}));
  event_class.has_duration = true;
  event_class.specific_context = structure_class({{"y", unsigned_class()}});
  trace_.stream.keys = {{"class", 0}, {"id", 2}};
  const Packet packet{.stream = &trace_.stream, .header = {}, .context = {unsigned_slot(7)}};
  Event event = trace_.event(trace_.add(event_class), 1, {unsigned_slot(3)}, {unsigned_slot(42)},
                             {unsigned_slot(1)});
  event.end_time = 251;
  event.packet = &packet;
  EXPECT_EQ(text({Record(event)}),
            "0.000000001 +0.000000000 [class 0, id 2] span  for 0.000000250  packet{cpu=7}  "
            "common{pid=42}  "
            "specific{y=1}  x=3\n");
}

TEST_F(Text, NamesFromTheTraceAreSafeToShow) {
  EventClass event_class =
      trace_.event_class(0, "a\x1B[2Jb", structure_class({{"x\n", string_class()}}));
  const std::string shown =
      text({Record(trace_.event(trace_.add(event_class), 0, {text_slot("\x1B]0;\x07")}))});
  EXPECT_EQ(shown, "0.000000000 +0.000000000 [segment 0] a\\x1b[2Jb  \"x\\n\"=\"\\x1b]0;\\x07\"\n");
}

TEST_F(Text, VeryWideFieldsWidenNoColumn) {
  const EventClass& event_class = trace_.add(trace_.event_class(
      0, "E", structure_class({{"s", string_class()}, {"n", unsigned_class()}})));
  const std::string wide(100, 'w');
  const std::string shown =
      text({Record(trace_.event(event_class, 0, {text_slot(wide), unsigned_slot(1)})),
            Record(trace_.event(event_class, 0, {text_slot("a"), unsigned_slot(2)}))});
  EXPECT_TRUE(shown.ends_with("E  s=\"a\"  n=2\n")) << shown;
  EXPECT_NE(shown.find(wide + "\"  n=1\n"), std::string::npos);
}

TEST_F(Text, ColourIsOnRequest) {
  const EventClass& event_class =
      trace_.add(trace_.event_class(0, "E", structure_class({{"s", string_class()}})));
  EXPECT_EQ(text({Record(trace_.event(event_class, 0, {text_slot("v")}))}, {.color = true}),
            "\x1B[36m0.000000000\x1B[0m \x1B[2m+0.000000000\x1B[0m \x1B[2m[segment 0]\x1B[0m "
            "\x1B[1mE\x1B[0m  "
            "s\x1B[2m=\x1B[0m\x1B[32m\"v\"\x1B[0m\n");
}

TEST_F(Text, OtherRecordsAreShownWhenAskedFor) {
  const Packet packet{.stream = &trace_.stream,
                      .begin = 5,
                      .sequence = 8,
                      .total_size = 512,
                      .content_size = 4001,
                      .header = {},
                      .context = {}};
  const Loss loss{.stream = &trace_.stream,
                  .events = 7,
                  .packets = 1,
                  .begin = Nanoseconds(-5),
                  .end = Nanoseconds(10)};
  const Loss unknown{};
  const Rule rule{
      .id = "dial9/cut", .severity = Severity::kError, .section = "Frames", .summary = "..."};
  const Notice problem{.input = "a.bin",
                       .finding = {.rule = &rule, .offset = 10, .length = 5, .text = "Cut."}};
  const std::vector<Record> records = {Record(RecordKind::kStreamBegin, &trace_.stream),
                                       Record(RecordKind::kPacketBegin, &packet),
                                       Record(&loss),
                                       Record(&unknown),
                                       Record(RecordKind::kProblem, &problem),
                                       Record(RecordKind::kFinding, &problem),
                                       Record(RecordKind::kPacketEnd, &packet),
                                       Record(RecordKind::kStreamEnd, &trace_.stream)};
  EXPECT_EQ(text(records), "");
  EXPECT_EQ(text(records, {.all_records = true}),
            "-- [segment 0] begins\n"
            "-- [segment 0] packet begins at 0.000000005, sequence number 8, 512 bytes, content "
            "4001 bits\n"
            "-- [segment 0] lost events: 7 packets: 1 from -0.000000005 to 0.000000010\n"
            "-- lost something\n"
            "-- a.bin:10: error: dial9/cut: Cut. [Frames]\n"
            "-- [segment 0] packet ends, sequence number 8, 512 bytes, content 4001 bits\n"
            "-- [segment 0] ends\n");
}

}  // namespace
}  // namespace tracedeck::render
