#include "tracedeck/render/schema.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/render/field_class_json.hpp"
#include "tracedeck/render/field_class_text.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

std::string json(const FieldClassPtr& field_class) {
  TextBuffer out;
  append_field_class(out, *field_class);
  return std::string(out.view());
}

TEST(FieldClassJson, Scalars) {
  EXPECT_EQ(json(make_field_class(BooleanClass{})),
            R"({"type":"boolean","width":8,"byte_order":"little","bit_order":"first-to-last"})");
  EXPECT_EQ(json(make_field_class(RealClass{.layout =
                                                {
                                                    .width = 32,
                                                    .byte_order = ByteOrder::kBig,
                                                }})),
            R"({"type":"real","width":32,"byte_order":"big","bit_order":"last-to-first"})");
  EXPECT_EQ(json(make_field_class(IntegerClass{.is_signed = true, .layout = Leb128Layout{}})),
            R"({"type":"signed-integer","encoding":"leb128"})");
  EXPECT_EQ(json(make_field_class(
                StringClass{.extent = NullTerminated{}, .encoding = TextEncoding::kUtf16Be})),
            R"({"type":"string","length":{"kind":"null-terminated"},"encoding":"utf-16be"})");
  EXPECT_EQ(
      json(make_field_class(StringClass{.extent = LengthPrefixed{}, .interned = true})),
      R"({"type":"string","length":{"kind":"prefix","width":32,"byte_order":"little"},"interned":true})");
  EXPECT_EQ(
      json(make_field_class(BlobClass{.extent = StaticLength{16}, .media_type = "image/png"})),
      R"({"type":"blob","length":{"kind":"static","length":16},"media_type":"image/png"})");
  EXPECT_EQ(json(make_field_class(DynamicClass{})), R"({"type":"dynamic"})");
}

TEST(FieldClassJson, MappingsKeepTheirOrderAndTheirWidth) {
  EXPECT_EQ(
      json(make_field_class(IntegerClass{
          .layout = Leb128Layout{},
          .form = IntegerClass::Form::kEnumeration,
          .display_base = DisplayBase::kHexadecimal,
          .mappings = {{.label = "Z", .ranges = {{-1, -1}, {0, (Int128{1} << 64) - 1}}},
                       {.label = "A", .ranges = {}}}})),
      R"({"type":"unsigned-enumeration","encoding":"leb128","display_base":16,"mappings":[)"
      R"({"label":"Z","ranges":[[-1,-1],[0,18446744073709551615]]},{"label":"A","ranges":[]}]})");
}

TEST(FieldClassJson, CompoundClasses) {
  const FieldClassPtr any = make_field_class(DynamicClass{});
  const FieldLocation location{.root = FieldLocation::Root::kPayload, .path = {"a", std::nullopt}};
  EXPECT_EQ(
      json(make_field_class(ArrayClass{.element = any, .extent = LengthField{location}})),
      R"({"type":"array","length":{"kind":"field","location":{"root":"payload","path":["a",null]}},"element":{"type":"dynamic"}})");
  EXPECT_EQ(json(make_field_class(MapClass{.key = any, .value = any})),
            R"({"type":"map","key":{"type":"dynamic"},"value":{"type":"dynamic"}})");
  EXPECT_EQ(
      json(make_field_class(
          OptionalClass{.value = any, .presence = {.selector = location, .ranges = {{1, 2}}}})),
      R"({"type":"optional","selector":{"root":"payload","path":["a",null]},"ranges":[[1,2]],"value":{"type":"dynamic"}})");
  EXPECT_EQ(json(make_field_class(OptionalClass{.value = any})),
            R"({"type":"optional","value":{"type":"dynamic"}})");
  EXPECT_EQ(
      json(make_field_class(VariantClass{
          .options = {{.name = "o", .field_class = any, .ranges = {{3, 3}}, .attributes = {}}}})),
      R"({"type":"variant","options":[{"name":"o","ranges":[[3,3]],"class":{"type":"dynamic"}}]})");
}

TEST(FieldClassJson, AttributesAndRoles) {
  FieldClass field_class{
      .kind = StructureClass{.minimum_alignment = 8}, .alignment = 64, .roles = {"role"}};
  field_class.attributes = {{.key = "unit", .value = "ns"},
                            {.key = "ns", .value = "{}", .is_json = true},
                            {.key = "raw", .value = "\xFF"}};
  TextBuffer out;
  append_field_class(out, field_class);
  EXPECT_EQ(
      out.view(),
      R"({"type":"structure","minimum_alignment":8,"members":[],"alignment":64,"roles":["role"],"attributes":[)"
      R"({"key":"unit","value":"ns"},{"key":"ns","value":"{}","json":true},{"key":"raw","base64":"/w=="}]})");
}

TEST(FieldClassText, OneLineEach) {
  const auto text = [](FieldClass::Kind kind) {
    return field_class_text(*make_field_class(std::move(kind)));
  };
  EXPECT_EQ(text(IntegerClass{.layout = Leb128Layout{}}), "unsigned-integer, LEB128");
  EXPECT_EQ(text(IntegerClass{.is_signed = true,
                              .layout = FixedLayout{.width = 16, .byte_order = ByteOrder::kBig}}),
            "signed-integer, 16 bits big-endian");
  EXPECT_EQ(text(IntegerClass{.form = IntegerClass::Form::kEnumeration,
                              .mappings = {{.label = "A", .ranges = {{0, 3}, {7, 7}}},
                                           {.label = "B", .ranges = {{9, 9}}}}}),
            "unsigned-enumeration, 8 bits: A = 0..3, 7; B = 9");
  EXPECT_EQ(text(ArrayClass{.element = address_class(), .extent = LengthPrefixed{}}),
            "array of address, 64 bits; length in 32 bits before it");
  EXPECT_EQ(text(ArrayClass{.element = address_class(), .interned = true}),
            "array of address, 64 bits; interned");
  EXPECT_EQ(text(OptionalClass{.value = make_field_class(StringClass{.interned = true})}),
            "optional string, interned");
  EXPECT_EQ(text(MapClass{.key = string_class(), .value = make_field_class(DynamicClass{})}),
            "map of string to dynamic");
}

class Schema : public testing::Test {
 protected:
  SampleTrace trace_;
};

TEST_F(Schema, TextShowsAlikeClassesOnce) {
  StructureClass payload;
  payload.members.push_back({.name = "worker",
                             .field_class = unsigned_class(),
                             .attributes = {{.key = "unit", .value = "ns\n"}}});
  payload.members.push_back({.name = "list",
                             .field_class = array_class(structure_class({{"x", unsigned_class()}})),
                             .attributes = {}});
  const FieldClassPtr payload_class = make_field_class(payload);
  trace_.add(trace_.event_class(0, "Poll", payload_class));
  trace_.add(trace_.event_class(4, "Poll", payload_class));
  EventClass other = trace_.event_class(1, "Span\x1B", structure_class({}));
  other.clock = nullptr;
  other.has_duration = true;
  trace_.add(other);
  EXPECT_EQ(schema_text(trace_.description),
            "sample.bin: dial9 1\n"
            "clock 1 ns a tick, from an unknown origin\n"
            "\n"
            "event class Poll, described 2 times\n"
            "  worker   unsigned-integer, 64 bits\n"
            "    @unit  ns\\n\n"
            "  list     array of structure; length in 32 bits before it\n"
            "    x      unsigned-integer, 64 bits\n"
            "\n"
            "event class Span\\x1b (id 1), without a time, with a duration\n");
}

TEST_F(Schema, TextOfStreamClasses) {
  trace_.stream_class.id = 2;
  trace_.stream_class.name = "kernel";
  trace_.stream_class.packet_context = structure_class({{"cpu", unsigned_class()}});
  trace_.description.add_environment({.key = "host", .value = "h1"});
  EXPECT_EQ(schema_text(trace_.description),
            "sample.bin: dial9 1\n"
            "clock 1 ns a tick, from an unknown origin\n"
            "environment host = h1\n"
            "\n"
            "stream class kernel (id 2)\n"
            "  packet context\n"
            "    cpu           unsigned-integer, 64 bits\n");
}

TEST_F(Schema, Json) {
  trace_.clock.origin = ClockOrigin::kUnixEpoch;
  trace_.clock.tick = {.numerator = 3, .denominator = 2};
  trace_.clock.precision = 4;
  trace_.stream_class.common_context = structure_class({});
  trace_.description.add_environment({.key = "host", .value = "h1"});
  trace_.add(
      trace_.event_class(0, "Poll", structure_class({{"x", make_field_class(DynamicClass{})}})));
  EXPECT_EQ(
      schema_json(trace_.description),
      R"({"file":"sample.bin","format":"dial9","version":"1","clocks":[{"id":"","tick":{"numerator":3,"denominator":2},)"
      R"("offset":{"seconds":0,"ticks":0},"origin":"unix-epoch","precision":4}],)"
      R"("stream_classes":[{"clock":0,"common_context":{"type":"structure","members":[]}}],)"
      R"("event_classes":[{"name":"Poll","id":0,"stream_class":0,"clock":0,"duration":false,)"
      R"("payload":{"type":"structure","members":[{"name":"x","class":{"type":"dynamic"}}]}}],)"
      R"("environment":[{"key":"host","value":"h1"}]})"
      "\n");
}

TEST_F(Schema, ClocksOfOtherOrigins) {
  trace_.clock.id = "c";
  trace_.clock.origin = ClockOrigin::kCustom;
  trace_.clock.origin_identity = {.name_space = "ns", .name = "boot", .uid = ""};
  trace_.clock.identity = {.name_space = "", .name = "monotonic", .uid = "u"};
  trace_.clock.tick = {.numerator = 1'000'000'000, .denominator = 333'333'333};
  trace_.clock.offset_seconds = -5;
  EXPECT_NE(
      schema_json(trace_.description)
          .find(
              R"("offset":{"seconds":-5,"ticks":0},"origin":{"namespace":"ns","name":"boot"},"name":"monotonic","uid":"u"})"),
      std::string::npos);
  EXPECT_NE(schema_text(trace_.description)
                .find("clock c: 1000000000/333333333 ns a tick, from origin boot, offset -5 s and "
                      "0 ticks\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tracedeck::render
