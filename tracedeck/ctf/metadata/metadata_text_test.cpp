#include "tracedeck/ctf/metadata/metadata_text.hpp"

#include <gtest/gtest.h>

#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

FieldClassPtr unsigned_class(std::uint32_t width, std::uint32_t alignment = 1) {
  FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = width}}};
  made.alignment = alignment;
  return std::make_shared<const FieldClass>(std::move(made));
}

Member plain_member(std::string name, FieldClassPtr field_class) {
  return {.name = std::move(name), .field_class = std::move(field_class), .attributes = {}};
}

std::unique_ptr<TraceDescription> describe_events(std::vector<Member> members) {
  auto made = std::make_unique<TraceDescription>("t", "ctf", "2");
  const auto& stream_class = made->add_stream_class({.id = 0});
  made->add_event_class(
      {.id = 0,
       .name = "e",
       .stream_class = &stream_class,
       .payload = make_field_class(StructureClass{.members = std::move(members)})});
  return made;
}

std::string text_of(const TraceDescription& description, Dialect dialect) {
  auto text = metadata_text(description, dialect);
  EXPECT_TRUE(text) << (text ? "" : text.error().to_string());
  return text.value_or("");
}

TEST(MetadataText, MinimalInEachDialect) {
  const auto description = describe_events({plain_member("x", unsigned_class(8))});
  const std::string head =
      "\x1e{\"type\":\"preamble\",\"version\":2}\n"
      "\x1e{\"type\":\"data-stream-class\"}\n"
      "\x1e{\"type\":\"event-record-class\",\"name\":\"e\","
      "\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":["
      "{\"name\":\"x\",\"field-class\":{\"type\":\"fixed-length-unsigned-integer\","
      "\"length\":8,\"byte-order\":\"little-endian\"}}]}}\n";
  EXPECT_EQ(text_of(*description, Dialect::kRc3), head);
  EXPECT_EQ(text_of(*description, Dialect::kFinal), head);
  EXPECT_EQ(text_of(*description, Dialect::kCtf1),
            "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n};\n"
            "\nstream {\n};\n\nevent {\n\tname = \"e\";\n\tid = 0;\n\tfields := struct {\n"
            "\t\tinteger { size = 8; align = 1; signed = false; byte_order = le; base = 10; } _x;\n"
            "\t};\n};\n");
}

TEST(MetadataText, LocationsInTheWordsOfTheDialect) {
  const FieldLocation length{.root = FieldLocation::Root::kRelative, .path = {std::nullopt, "n"}};
  const FieldClassPtr inner = make_field_class(StructureClass{
      .members = {plain_member("a", make_field_class(ArrayClass{.element = unsigned_class(8),
                                                                .extent = LengthField{length}}))}});
  const auto description =
      describe_events({plain_member("n", unsigned_class(8)), plain_member("s", inner)});
  EXPECT_NE(text_of(*description, Dialect::kRc3)
                .find("\"length-field-location\":[\"event-record-payload\",\"n\"]"),
            std::string::npos);
  EXPECT_NE(text_of(*description, Dialect::kFinal)
                .find("\"length-field-location\":{\"path\":[null,\"n\"]}"),
            std::string::npos);
  EXPECT_NE(text_of(*description, Dialect::kCtf1).find(" _a[_n];"), std::string::npos);
}

TEST(MetadataText, SharedClassesBecomeAliases) {
  FieldClassPtr inner =
      make_field_class(StructureClass{.members = {plain_member("x", unsigned_class(8))}});
  for (int i = 0; i < 40; ++i)
    inner = make_field_class(
        StructureClass{.members = {plain_member("a", inner), plain_member("b", inner)}});
  const auto description = describe_events({plain_member("m", inner)});
  const std::string text = text_of(*description, Dialect::kFinal);
  EXPECT_LT(text.size(), 20'000U);
  EXPECT_NE(text.find("{\"type\":\"field-class-alias\",\"name\":\"class-0\","), std::string::npos);
  const auto exploded = metadata_text(*description, Dialect::kRc3);
  ASSERT_FALSE(exploded);
  EXPECT_EQ(exploded.error().code, ErrorCode::kLimitExceeded);
}

TEST(MetadataText, RolesInTheWordsOfTheDialect) {
  FieldClass begin{.kind = IntegerClass{.layout = FixedLayout{.width = 64}}};
  begin.alignment = 8;
  begin.roles = {"packet-beginning-default-clock-timestamp"};
  TraceDescription description("t", "ctf", "2");
  const ClockClass& clock = description.add_clock({.id = "c", .offset_seconds = -1});
  description.add_stream_class(
      {.id = 0,
       .default_clock = &clock,
       .packet_context = make_field_class(StructureClass{
           .members = {plain_member("b", std::make_shared<const FieldClass>(std::move(begin)))}})});
  EXPECT_NE(text_of(description, Dialect::kFinal).find("\"roles\":[\"default-clock-timestamp\"]"),
            std::string::npos);
  const std::string tsdl = text_of(description, Dialect::kCtf1);
  EXPECT_NE(tsdl.find("map = clock.c.value; } timestamp_begin;"), std::string::npos);
  EXPECT_NE(tsdl.find("\toffset_s = -1;\n"), std::string::npos);
}

// CTF2-SPECRC-3.0 lets them be, CTF2-SPEC-2.0 rejects them.
TEST(MetadataText, ClockRolesWithoutAClock) {
  FieldClass time{.kind = IntegerClass{.layout = FixedLayout{.width = 64}}};
  time.roles = {"default-clock-timestamp"};
  TraceDescription description("t", "ctf", "2");
  description.add_stream_class(
      {.id = 0,
       .event_header = make_field_class(StructureClass{
           .members = {plain_member("t", std::make_shared<const FieldClass>(std::move(time)))}})});
  EXPECT_NE(text_of(description, Dialect::kRc3).find("\"roles\":[\"default-clock-timestamp\"]"),
            std::string::npos);
  EXPECT_EQ(text_of(description, Dialect::kFinal).find("roles"), std::string::npos);
}

// What is written is read back as what it was.
TEST(MetadataText, IsReadBack) {
  const auto description = describe_events(
      {plain_member("n", unsigned_class(5)), plain_member("in t", unsigned_class(12)),
       plain_member("s", make_field_class(StringClass{
                             .extent = LengthField{{.root = Root::kPayload, .path = {"n"}}}}))});
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    const std::string text = text_of(*description, dialect);
    Metadata metadata("again", 0);
    const auto reader = metadata_reader(as_bytes(text), metadata);
    const auto findings = reader->read(as_bytes(text), true);
    EXPECT_TRUE(findings.empty()) << text;
    ASSERT_EQ(metadata.description()->event_classes().size(), 1U);
    const auto& payload = *metadata.description()->event_classes()[0].payload->as<StructureClass>();
    ASSERT_EQ(payload.members.size(), 3U);
    EXPECT_EQ(payload.members[2].name, "s");
    EXPECT_NE(payload.members[2].field_class->as<StringClass>(), nullptr);
  }
}

// Measures what it is given at once.
class PieceOutput final : public io::Output {
 public:
  const std::string& name() const override { return name_; }
  Result<void> write(ByteSpan bytes) override {
    longest = std::max(longest, bytes.size());
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.size() > most) return fail(ErrorCode::kWriteFailed, "full");
    return {};
  }
  Result<void> flush() override { return {}; }
  Result<void> finish() override { return {}; }

  std::string text;
  std::size_t longest = 0;
  std::size_t most = std::size_t{1} << 30;

 private:
  std::string name_ = "pieces";
};

std::unique_ptr<TraceDescription> describe_labels(std::size_t count, Member more) {
  IntegerClass labels{.layout = FixedLayout{.width = 32}, .form = IntegerClass::Form::kEnumeration};
  for (std::size_t i = 0; i < count; ++i)
    labels.mappings.push_back({.label = "label_" + std::to_string(i), .ranges = {{i, i}}});
  return describe_events({plain_member("l", make_field_class(std::move(labels))), std::move(more)});
}

TEST(MetadataText, OfALongClassComesInPieces) {
  const auto description = describe_labels(20'000, plain_member("x", unsigned_class(8)));
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    PieceOutput output;
    ASSERT_TRUE(write_metadata_text(*description, event_classes_of(*description), dialect, output));
    EXPECT_EQ(output.text, text_of(*description, dialect));
    EXPECT_GT(output.text.size(), 3 * output.longest);
    output.most = 100'000;
    const auto written =
        write_metadata_text(*description, event_classes_of(*description), dialect, output);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kWriteFailed);
  }
}

TEST(MetadataText, OfALongClassThatCannotBeWrittenIsNothing) {
  FieldClassPtr deep = unsigned_class(8);
  for (int i = 0; i < 2000; ++i)
    deep = make_field_class(StructureClass{.members = {plain_member("d", std::move(deep))}});
  const auto description = describe_labels(20'000, plain_member("x", std::move(deep)));
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    PieceOutput output;
    EXPECT_FALSE(
        write_metadata_text(*description, event_classes_of(*description), dialect, output));
    EXPECT_EQ(output.text, "");
  }
}

// A class that cannot be written leaves nothing, also behind megabytes, and those after it are
// read.
TEST(MetadataText, GoesOnBehindAClassThatCannotBeWritten) {
  const FieldClassPtr shared = make_field_class(StructureClass{
      .members = {plain_member("a", unsigned_class(8)), plain_member("b", unsigned_class(16))}});
  const FieldClassPtr map =
      make_field_class(MapClass{.key = unsigned_class(8), .value = unsigned_class(8)});
  std::vector<Member> members = {plain_member("one", shared), plain_member("two", shared)};
  const FieldClassPtr fine = make_field_class(StructureClass{.members = members});
  for (int i = 0; i < 20'000; ++i)
    members.push_back(plain_member("m" + std::to_string(i), unsigned_class(8)));
  members.push_back(plain_member("map", map));
  const FieldClassPtr broken = make_field_class(StructureClass{.members = std::move(members)});
  Attributes mark;
  mark.push_back({.key = "tracedeck", .value = R"({"marks":[]})", .is_json = true});
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    std::string text;
    const auto writer = metadata_writer(dialect, [&](std::string_view piece) -> Result<void> {
      text += piece;
      return {};
    });
    const DataStreamClass streams{.id = 0};
    ASSERT_TRUE(writer->begin({}, {}));
    ASSERT_TRUE(writer->add_stream_class(streams));
    const auto refused = writer->add_event_class(
        {.id = 0, .name = "broken", .stream_class = &streams, .payload = broken}, mark);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
    ASSERT_TRUE(writer->add_event_class(
        {.id = 1, .name = "fine", .stream_class = &streams, .payload = fine}, mark));
    ASSERT_TRUE(writer->hand_on());
    EXPECT_EQ(text.find("broken"), std::string::npos);
    Metadata metadata("again", 0);
    const auto findings = metadata_reader(as_bytes(text), metadata)->read(as_bytes(text), true);
    EXPECT_TRUE(findings.empty()) << text;
    const auto& classes = metadata.description()->event_classes();
    ASSERT_EQ(classes.size(), 1U);
    EXPECT_EQ(classes[0].attributes, mark);
    EXPECT_EQ(classes[0].payload->as<StructureClass>()->members.size(), 2U);
  }
}

// A mark of any length, with what a dialect spells otherwise.
TEST(MetadataText, LongAttributesComeInPieces) {
  std::string value = R"({"marks":[")";
  for (int i = 0; i < 50'000; ++i) value += R"(\"\\ \t)";
  value += "\"]}";
  Attributes mark;
  mark.push_back({.key = "tracedeck", .value = value, .is_json = true});
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    std::string text;
    std::size_t longest = 0;
    const auto writer = metadata_writer(dialect, [&](std::string_view piece) -> Result<void> {
      text += piece;
      longest = std::max(longest, piece.size());
      return {};
    });
    const DataStreamClass streams{.id = 0};
    ASSERT_TRUE(writer->begin({}, {}));
    ASSERT_TRUE(writer->add_stream_class(streams));
    ASSERT_TRUE(writer->add_event_class({.id = 0, .name = "e", .stream_class = &streams}, mark));
    ASSERT_TRUE(writer->hand_on());
    EXPECT_LT(longest, 200'000U);
    Metadata metadata("again", 0);
    const auto findings = metadata_reader(as_bytes(text), metadata)->read(as_bytes(text), true);
    EXPECT_TRUE(findings.empty());
    ASSERT_EQ(metadata.description()->event_classes().size(), 1U);
    EXPECT_EQ(metadata.description()->event_classes()[0].attributes, mark);
  }
}

std::string rewritten(const std::string& tsdl) {
  Metadata metadata("t", 0);
  const auto reader = metadata_reader(as_bytes(tsdl), metadata);
  (void)reader->read(as_bytes(tsdl), true);
  return text_of(*metadata.description(), Dialect::kCtf1);
}

// What was read from CTF 1.8 stays what it was, also options whose labels have an underscore.
TEST(MetadataText, Ctf1KeepsSelectors) {
  const std::string head =
      "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n};\n"
      "\nstream {\n};\n\nevent {\n\tname = \"e\";\n\tid = 0;\n\tfields := struct {\n"
      "\t\tenum : integer { size = 8; align = 8; signed = false; byte_order = le; base = 10; } { ";
  const std::string variant =
      " } _tag;\n\t\tvariant <_tag> {\n"
      "\t\t\tstring { encoding = UTF8; } one;\n\t\t\tstring { encoding = UTF8; } two;\n"
      "\t\t} _v;\n\t};\n};\n";
  const std::string alike = head + "\"one\" = 1 ... 3, \"two\" = 4" + variant;
  EXPECT_EQ(rewritten(alike), alike);
  std::string underscore = head + "\"_one\" = 1 ... 3, \"two\" = 4" + variant;
  underscore.replace(underscore.find(" one;"), 5, " _one;");
  EXPECT_EQ(rewritten(underscore), underscore);
}

TEST(EnvironmentText, IsAnAuxiliaryStream) {
  EXPECT_EQ(environment_text(
                {{.key = "host", .value = "amqui"}, {.key = "n", .value = "3", .is_json = true}}),
            "\x1e{\"std\":{\"environment\":{\"host\":\"amqui\",\"n\":3}}}\n");
}

}  // namespace
}  // namespace tracedeck::ctf
