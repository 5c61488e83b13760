#include "tracedeck/lower/description_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/random_description_test.hpp"
#include "tracedeck/lower/same_description_test.hpp"

namespace tracedeck::lower {
namespace {

// A description with a clock, a data stream class, and what a test adds.
struct Sample {
  TraceDescription description{"sample", "ctf", "2.0"};
  const ClockClass* clock = &description.add_clock({.id = "mono"});
  const DataStreamClass* stream_class = &description.add_stream_class({});
};

void read_all(DescriptionReader& reader, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto added = reader.add(text);
    EXPECT_TRUE(added.has_value()) << text << "\n" << added.error().to_string();
  }
}

// Whether a description comes back as it was, and says `key` in one of its texts.
void expect_kept(const TraceDescription& description, std::string_view key) {
  const auto texts = texts_of(description);
  bool says_key = false;
  for (const std::string& text : texts)
    says_key = says_key || text.find("\"" + std::string(key) + "\":") != std::string::npos;
  EXPECT_TRUE(says_key) << key;
  DescriptionReader reader("again");
  read_all(reader, texts);
  ASSERT_NE(reader.description(), nullptr);
  EXPECT_TRUE(same_description(description, *reader.description())) << key;
  EXPECT_EQ(texts_of(*reader.description()), texts);
}

FieldClassPtr scalar() { return make_field_class(IntegerClass{}); }
FieldClassPtr structure_of(FieldClassPtr field_class) {
  return make_field_class(
      StructureClass{.members = {{.name = "x", .field_class = std::move(field_class)}}});
}

TEST(DescriptionText, IsOneObjectWithWhatIsNotUsual) {
  Sample sample;
  const FieldClassPtr word = make_field_class(IntegerClass{.layout = FixedLayout{.width = 32}});
  const EventClass& made = sample.description.add_event_class(
      {.id = 7,
       .name = "sched",
       .stream_class = sample.stream_class,
       .clock = sample.clock,
       .payload =
           make_field_class(StructureClass{.members = {{.name = "tid", .field_class = word},
                                                       {.name = "\xff", .field_class = word}}})});
  EXPECT_EQ(text_of(made),
            R"({"entity":"event-class","ordinal":0,"fields":[{"kind":"integer","width":32},)"
            R"({"kind":"structure","members":[["tid",0],[{"hex":"ff"},0]]}],)"
            R"("id":7,"name":"sched","stream-class":0,"clock":0,"payload":1})");
  EXPECT_EQ(text_of(sample.description),
            R"({"entity":"trace","tracedeck":1,"format":"ctf","version":"2.0"})");
  EXPECT_EQ(text_of(*sample.clock), R"({"entity":"clock","ordinal":0,"id":"mono"})");
  EXPECT_EQ(text_of(*sample.stream_class), R"({"entity":"stream-class","ordinal":0})");
  EXPECT_EQ(text_of(Attribute{.key = "host", .value = "a"}, 3),
            R"({"entity":"environment","ordinal":3,"key":"host","value":"a"})");
  const DataStream stream{.entity = sample.description.next_stream(),
                          .stream_class = sample.stream_class,
                          .keys = {{.name = "cpu", .value = 1}},
                          .file = "s0"};
  EXPECT_EQ(text_of(stream),
            R"({"entity":"data-stream","ordinal":0,"stream-class":0,"keys":[["cpu",1]],)"
            R"("file":"s0"})");
}

TEST(DescriptionText, KeepsEachMemberOfATraceClass) {
  const std::vector<std::pair<std::string_view, TraceClass>> cases = {
      {"uuid", {.uuid = Uuid{1, 2, 3, 255}}},
      {"namespace", {.name_space = "n"}},
      {"name", {.name = ""}},
      {"uid", {.uid = "u"}},
      {"packet-header", {.packet_header = structure_of(scalar())}},
      {"attributes", {.attributes = {{.key = "k", .value = "{}", .is_json = true}}}},
  };
  for (const auto& [key, trace_class] : cases) {
    Sample sample;
    sample.description.set_trace_class(trace_class);
    expect_kept(sample.description, key);
  }
}

TEST(DescriptionText, KeepsTheEnvironment) {
  Sample sample;
  sample.description.add_environment({.key = "a", .value = "\xff"});
  sample.description.add_environment({.key = "b", .value = "7", .is_json = true});
  sample.description.add_environment({});
  expect_kept(sample.description, "json");
}

TEST(DescriptionText, KeepsEachMemberOfAClock) {
  constexpr auto kMost = ~std::uint64_t{0};
  const std::vector<std::pair<std::string_view, ClockClass>> cases = {
      {"id", {.id = "\xff"}},
      {"tick", {.tick = {.numerator = kMost, .denominator = kMost - 1}}},
      {"offset-seconds", {.offset_seconds = INT64_MIN}},
      {"offset-ticks", {.offset_ticks = kMost}},
      {"shift", {.shift = INT64_MAX}},
      {"origin", {.origin = ClockOrigin::kUnixEpoch}},
      {"origin", {.origin = ClockOrigin::kCustom}},
      {"namespace", {.identity = {.name_space = "x"}}},
      {"name", {.identity = {.name = "x"}}},
      {"uid", {.identity = {.uid = "x"}}},
      {"origin-identity", {.origin_identity = {.name = "x"}}},
      {"precision", {.precision = 0}},
      {"accuracy", {.accuracy = kMost}},
      {"description", {.description = "x"}},
      {"attributes", {.attributes = {{.key = "k"}}}},
  };
  for (const auto& [key, clock] : cases) {
    TraceDescription description("sample", "ctf", "1.8");
    description.add_clock(clock);
    expect_kept(description, key);
  }
}

TEST(DescriptionText, KeepsEachMemberOfADataStreamClass) {
  using Change = std::function<void(DataStreamClass&, const Sample&)>;
  const std::vector<std::pair<std::string_view, Change>> cases = {
      {"id", [](auto& made, auto&) { made.id = 0; }},
      {"name", [](auto& made, auto&) { made.name = ""; }},
      {"namespace", [](auto& made, auto&) { made.name_space = "x"; }},
      {"uid", [](auto& made, auto&) { made.uid = "x"; }},
      {"clock", [](auto& made, auto& sample) { made.default_clock = sample.clock; }},
      {"packet-context", [](auto& made, auto&) { made.packet_context = structure_of(scalar()); }},
      {"event-header", [](auto& made, auto&) { made.event_header = structure_of(scalar()); }},
      {"common-context", [](auto& made, auto&) { made.common_context = structure_of(scalar()); }},
      {"context-identifies", [](auto& made, auto&) { made.context_identifies = true; }},
      {"streams-are-parts", [](auto& made, auto&) { made.streams_are_parts = true; }},
      {"has-describing-events", [](auto& made, auto&) { made.has_describing_events = true; }},
      {"attributes", [](auto& made, auto&) { made.attributes = {{.key = "k"}}; }},
  };
  for (const auto& [key, change] : cases) {
    Sample sample;
    DataStreamClass made;
    change(made, sample);
    sample.description.add_stream_class(made);
    expect_kept(sample.description, key);
  }
}

TEST(DescriptionText, KeepsEachMemberOfAnEventClass) {
  using Change = std::function<void(EventClass&, const Sample&)>;
  const FieldClassPtr dynamic = make_field_class(DynamicClass{});
  const FieldClassPtr described = make_field_class(StructureClass{
      .members = {{.name = "name", .field_class = make_field_class(StringClass{})},
                  {.name = "fields",
                   .field_class = make_field_class(MapClass{.key = dynamic, .value = dynamic})}}});
  const std::vector<std::pair<std::string_view, Change>> cases = {
      {"id", [](auto& made, auto&) { made.id = ~std::uint64_t{0}; }},
      {"name", [](auto& made, auto&) { made.name = ""; }},
      {"namespace", [](auto& made, auto&) { made.name_space = "x"; }},
      {"uid", [](auto& made, auto&) { made.uid = "x"; }},
      {"clock", [](auto& made, auto& sample) { made.clock = sample.clock; }},
      {"has-duration", [](auto& made, auto&) { made.has_duration = true; }},
      {"nominal-time", [](auto& made, auto&) { made.nominal_time = true; }},
      {"describes-others", [](auto& made, auto&) { made.describes_others = true; }},
      {"self-described",
       [&](auto& made, auto&) {
         made.self_described = true;
         made.payload = described;
       }},
      {"specific-context",
       [](auto& made, auto&) { made.specific_context = structure_of(scalar()); }},
      {"payload", [](auto& made, auto&) { made.payload = structure_of(scalar()); }},
      {"attributes", [](auto& made, auto&) { made.attributes = {{.key = "k"}}; }},
  };
  for (const auto& [key, change] : cases) {
    Sample sample;
    EventClass made{.stream_class = sample.stream_class};
    change(made, sample);
    sample.description.add_event_class(made);
    expect_kept(sample.description, key);
  }
}

TEST(DescriptionText, KeepsEachMemberOfADataStream) {
  Sample sample;
  const std::vector<DataStream> cases = {
      {.stream_class = sample.stream_class},
      {.stream_class = sample.stream_class, .keys = {{.name = "\xff", .value = 1}, {}}},
      {.stream_class = sample.stream_class, .keys = {{.digits = "18446744073709551616"}}},
      {.stream_class = sample.stream_class, .file = "dir/s"},
  };
  DescriptionReader reader("again");
  read_all(reader, texts_of(sample.description));
  for (DataStream stream : cases) {
    stream.entity = sample.description.next_stream();
    read_all(reader, {text_of(stream)});
    const auto again = reader.data_stream(stream.entity.ordinal);
    ASSERT_NE(again, nullptr);
    EXPECT_TRUE(same_object(stream, *again));
    EXPECT_EQ(again->stream_class->trace, reader.description().get());
  }
  EXPECT_EQ(reader.data_stream(cases.size()), nullptr);
}

// A case for each member of each kind of field class.
std::vector<std::pair<std::string_view, FieldClass>> field_class_cases() {
  const FieldClassPtr inner = scalar();
  const FieldLocation location{.root = FieldLocation::Root::kCommonContext,
                               .path = {"a", std::nullopt, "\xff", ""}};
  const Integer most(~Uint128{0}, false);
  const Integer least(Uint128{1} << 127U, true);
  const IntegerRanges ranges = {{least, most}, {-1, 1}, {3, 3}};
  const auto kind = [](FieldClass::Kind of) { return FieldClass{.kind = std::move(of)}; };
  const auto fixed = [&](FixedLayout layout) { return kind(IntegerClass{.layout = layout}); };
  using Form = IntegerClass::Form;
  std::vector<std::pair<std::string_view, FieldClass>> cases = {
      {"kind", kind(BooleanClass{})},
      {"width", kind(BooleanClass{{.width = 1}})},
      {"width", fixed({.width = 65'536})},
      {"byte-order", fixed({.byte_order = ByteOrder::kBig})},
      {"reversed", fixed({.reversed = true})},
      {"leb128", kind(IntegerClass{.layout = Leb128Layout{}})},
      {"signed", kind(IntegerClass{.is_signed = true})},
      {"form", kind(IntegerClass{.form = Form::kEnumeration})},
      {"form", kind(IntegerClass{.form = Form::kBitArray})},
      {"form", kind(IntegerClass{.form = Form::kBitMap})},
      {"form", kind(IntegerClass{.form = Form::kAddress})},
      {"base", kind(IntegerClass{.display_base = DisplayBase::kBinary})},
      {"base", kind(IntegerClass{.display_base = DisplayBase::kOctal})},
      {"base", kind(IntegerClass{.display_base = DisplayBase::kHexadecimal})},
      {"mappings",
       kind(IntegerClass{.mappings = {{.label = "\xff", .ranges = ranges}, {.label = ""}}})},
      {"width", kind(RealClass{.layout = {.width = 8 * 4}})},
      {"kind", kind(RealClass{})},
      {"static", kind(StringClass{.extent = StaticLength{~std::uint64_t{0}}})},
      {"prefix", kind(StringClass{.extent = LengthPrefixed{}})},
      {"prefix", kind(StringClass{.extent = LengthPrefixed{.width = 16}})},
      {"byte-order", kind(StringClass{.extent = LengthPrefixed{.byte_order = ByteOrder::kBig}})},
      {"field", kind(StringClass{.extent = LengthField{location}})},
      {"rest", kind(StringClass{.extent = RestOfRecord{}})},
      {"encoding", kind(StringClass{.encoding = TextEncoding::kUtf16Le})},
      {"encoding", kind(StringClass{.encoding = TextEncoding::kUtf16Be})},
      {"encoding", kind(StringClass{.encoding = TextEncoding::kUtf32Le})},
      {"encoding", kind(StringClass{.encoding = TextEncoding::kUtf32Be})},
      {"interned", kind(StringClass{.interned = true})},
      {"extent", kind(BlobClass{.extent = StaticLength{}})},
      {"media-type", kind(BlobClass{.media_type = ""})},
      {"element", kind(ArrayClass{.element = inner})},
      {"extent", kind(ArrayClass{.element = inner, .extent = RestOfRecord{}})},
      {"minimum-alignment", kind(ArrayClass{.element = inner, .minimum_alignment = 64})},
      {"interned", kind(ArrayClass{.element = inner, .interned = true})},
      {"kind", kind(StructureClass{})},
      {"members", kind(StructureClass{.members = {{.name = "", .field_class = inner}}})},
      {"members",
       kind(StructureClass{
           .members = {{.name = "a", .field_class = inner, .attributes = {{.key = "k"}}}}})},
      {"minimum-alignment", kind(StructureClass{.minimum_alignment = 0x8000'0000U})},
      {"key", kind(MapClass{.key = inner, .value = inner})},
      {"value", kind(OptionalClass{.value = inner})},
      {"selector", kind(OptionalClass{.value = inner, .presence = {.selector = location}})},
      {"ranges", kind(OptionalClass{.value = inner, .presence = {.ranges = ranges}})},
      {"kind", kind(VariantClass{})},
      {"options", kind(VariantClass{.options = {{.name = "a",
                                                 .field_class = inner,
                                                 .ranges = ranges,
                                                 .attributes = {{.key = "k"}}},
                                                {.name = "\xff", .field_class = inner}}})},
      {"selector", kind(VariantClass{.selector = FieldLocation{}})},
      {"kind", kind(DynamicClass{})},
      {"alignment", {.kind = IntegerClass{}, .alignment = 0x8000'0000U}},
      {"roles", {.kind = IntegerClass{}, .roles = {"default-clock-timestamp", "\xff"}}},
      {"attributes", {.kind = IntegerClass{}, .attributes = {{.key = "k", .value = "v"}}}},
  };
  for (std::size_t root = 0; root < 7; ++root) {
    const FieldLocation at{.root = static_cast<FieldLocation::Root>(root)};
    cases.emplace_back("selector", kind(VariantClass{.selector = at}));
  }
  return cases;
}

TEST(DescriptionText, KeepsEachMemberOfEachKindOfFieldClass) {
  for (const auto& [key, field_class] : field_class_cases()) {
    Sample sample;
    sample.description.add_event_class(
        {.stream_class = sample.stream_class,
         .payload = structure_of(std::make_shared<const FieldClass>(field_class))});
    expect_kept(sample.description, key);
  }
}

TEST(DescriptionText, SaysASharedClassOnce) {
  // Written out, this is a class of 2^20 members.
  FieldClassPtr shared = scalar();
  for (int i = 0; i < 19; ++i) {
    shared = make_field_class(StructureClass{
        .members = {{.name = "a", .field_class = shared}, {.name = "b", .field_class = shared}}});
  }
  Sample sample;
  const EventClass& made = sample.description.add_event_class(
      {.stream_class = sample.stream_class, .specific_context = shared, .payload = shared});
  EXPECT_LT(text_of(made).size(), 2'000U);
  sample.description.add_event_class({.stream_class = sample.stream_class});
  DescriptionReader reader("again");
  const auto texts = texts_of(sample.description);
  for (const std::size_t i : {0U, 1U, 2U}) ASSERT_TRUE(reader.add(texts[i]).has_value());
  const auto added = reader.add(texts[3]);
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::kLimitExceeded);
}

TEST(DescriptionText, WritesWhatIsNestedTooDeepToBeRead) {
  FieldClassPtr deep = scalar();
  for (int i = 0; i < 2'000; ++i) deep = make_field_class(OptionalClass{.value = deep});
  Sample sample;
  const EventClass& made = sample.description.add_event_class(
      {.stream_class = sample.stream_class, .payload = structure_of(deep)});
  EXPECT_GT(text_of(made).size(), 40'000U);
}

RC_GTEST_PROP(DescriptionText, BringsRandomDescriptionsBack, (std::uint64_t seed)) {
  const RandomDescription random(seed);
  DescriptionReader reader("again");
  const auto texts = texts_of(*random.description());
  for (const std::string& text : texts) {
    const auto added = reader.add(text);
    if (!added) RC_LOG() << text << "\n" << added.error().to_string();
    RC_ASSERT(added.has_value());
  }
  RC_ASSERT(same_description(*random.description(), *reader.description()));
  RC_ASSERT(texts_of(*reader.description()) == texts);
  for (const auto& stream : random.streams()) {
    const std::string text = text_of(*stream);
    RC_ASSERT(reader.add(text).has_value());
    const auto again = reader.data_stream(stream->entity.ordinal);
    RC_ASSERT(same_object(*stream, *again));
    RC_ASSERT(text_of(*again) == text);
  }
  // Once more changes nothing.
  for (const std::string& text : texts) RC_ASSERT(reader.add(text).has_value());
  RC_ASSERT(texts_of(*reader.description()) == texts);
}

}  // namespace
}  // namespace tracedeck::lower
