// What fragments become.
#include "tracedeck/ctf/metadata/json_metadata_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tracedeck/io/reference_traces_test.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::string_view kRc3Lines =
    R"({"type":"preamble","version":2,"extensions":{"my.tracer":{"ramen":null}}}
{"type":"trace-class","uuid":[229,62,10,184,80,161,79,10,183,16,181,240,187,169,196,172],"user-attributes":{"a":{"b": 1}}}
{"type":"clock-class","name":"c","frequency":8000,"offset":{"seconds":-3,"cycles":7},"description":"d","uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}
{"type":"clock-class","name":"e","frequency":1,"origin-is-unix-epoch":false,"precision":5}
{"type":"data-stream-class","id":3,"name":"s","namespace":"n","default-clock-class-name":"c"}
{"type":"event-record-class","id":4,"data-stream-class-id":3,"name":"ev","payload-field-class":{"type":"structure","minimum-alignment":16,"member-classes":[{"name":"x","user-attributes":{"u":true},"field-class":{"type":"fixed-length-signed-enumeration","length":12,"byte-order":"big-endian","alignment":4,"preferred-display-base":16,"mappings":{"z":[[-1,-1]],"a":[[0,3],[7,9]]}}}]}})";

// The same text makes the same class, wherever it stands; what was found of one is found of each.
TEST(JsonMetadata, ScalarsOfTheSameTextAreOne) {
  const auto event = [](int id, std::string_view scalar, std::string_view other) {
    return fmt::format(
        R"({{"type":"event-record-class","id":{},"name":"e","payload-field-class":{{"type":"structure","member-classes":[{{"name":"a","field-class":{}}},{{"name":"b","field-class":{}}}]}}}})"
        "\n",
        id, scalar, other);
  };
  constexpr std::string_view kPlain =
      R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"big-endian"})";
  constexpr std::string_view kWide =
      R"({"type":"fixed-length-unsigned-integer","length":16,"byte-order":"big-endian"})";
  constexpr std::string_view kUnknown =
      R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"big-endian","new":1})";
  constexpr std::string_view kBroken =
      R"({"type":"fixed-length-unsigned-integer","length":0,"byte-order":"big-endian"})";
  const std::string start = std::string(kRc3Start) + "{\"type\":\"data-stream-class\"}\n";

  const ReadStream plain = read_lines(start + event(0, kPlain, kWide) + event(1, kPlain, kPlain));
  ASSERT_EQ(plain.listing(), "");
  const auto member = [&](int id, std::size_t index) {
    const EventClass* const of = plain.metadata->find_event_class(0, static_cast<unsigned>(id));
    return of->payload->as<StructureClass>()->members.at(index).field_class;
  };
  EXPECT_EQ(member(0, 0), member(1, 0));
  EXPECT_EQ(member(1, 0), member(1, 1));
  EXPECT_NE(member(0, 0), member(0, 1));
  EXPECT_EQ(std::get<FixedLayout>(member(0, 1)->as<IntegerClass>()->layout).width, 16U);

  for (const std::string_view faulty : {kUnknown, kBroken}) {
    const ReadStream read = read_lines(start + event(0, faulty, kPlain) + event(1, kPlain, faulty));
    ASSERT_EQ(read.findings.size(), 2U) << read.listing();
    EXPECT_THAT(read.findings[0].text, testing::HasSubstr("member-classes/0"));
    EXPECT_THAT(read.findings[1].text, testing::HasSubstr("member-classes/1"));
  }
}

TEST(JsonMetadata, ReleaseCandidate) {
  const ReadStream read = read_lines(kRc3Lines);
  ASSERT_EQ(read.listing(), "");
  const TraceDescription& trace = *read.metadata->description();
  EXPECT_EQ(read.metadata->dialect(), Dialect::kRc3);
  EXPECT_EQ(trace.version(), "2 (CTF2-SPECRC-3.0)");
  EXPECT_THAT(read.metadata->extensions, testing::ElementsAre("my.tracer/ramen"));
  ASSERT_TRUE(read.metadata->uuid());
  EXPECT_EQ((*read.metadata->uuid())[0], 229);
  EXPECT_EQ(trace.trace_class().attributes, (Attributes{{"a", R"({"b":1})", true}}));

  ASSERT_EQ(trace.clocks().size(), 2U);
  const ClockClass& clock = trace.clocks()[0];
  EXPECT_EQ(clock.id, "c");
  EXPECT_EQ(clock.tick, Tick::from_frequency(8000));
  EXPECT_EQ(clock.offset_seconds, -3);
  EXPECT_EQ(clock.offset_ticks, 7U);
  EXPECT_EQ(clock.origin, ClockOrigin::kUnixEpoch);
  EXPECT_EQ(clock.precision, 0U);
  EXPECT_FALSE(clock.accuracy);
  EXPECT_EQ(clock.description, "d");
  EXPECT_EQ(clock.identity.uid, "00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(trace.clocks()[1].origin, ClockOrigin::kUnknown);
  EXPECT_EQ(trace.clocks()[1].precision, 5U);

  const DataStreamClass* stream = read.metadata->find_stream_class(3);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->name, "s");
  EXPECT_EQ(stream->name_space, "n");
  EXPECT_EQ(stream->default_clock, &clock);

  const EventClass* event = read.metadata->find_event_class(3, 4);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->name, "ev");
  const auto* payload = event->payload->as<StructureClass>();
  ASSERT_NE(payload, nullptr);
  EXPECT_EQ(payload->minimum_alignment, 16U);
  const Member& member = payload->members.at(0);
  EXPECT_EQ(member.attributes, (Attributes{{"u", "true", true}}));
  EXPECT_EQ(member.field_class->alignment, 4U);
  const auto* integer = member.field_class->as<IntegerClass>();
  ASSERT_NE(integer, nullptr);
  EXPECT_TRUE(integer->is_signed);
  EXPECT_EQ(integer->form, IntegerClass::Form::kEnumeration);
  EXPECT_EQ(integer->display_base, DisplayBase::kHexadecimal);
  const auto& layout = std::get<FixedLayout>(integer->layout);
  EXPECT_EQ(layout.width, 12U);
  EXPECT_EQ(layout.byte_order, ByteOrder::kBig);
  EXPECT_FALSE(layout.reversed);
  ASSERT_EQ(integer->mappings.size(), 2U);
  EXPECT_EQ(integer->mappings[0].label, "z");
  EXPECT_TRUE(integer->mappings[1].ranges[1].upper == 9);
}

TEST(JsonMetadata, FinalDocument) {
  const ReadStream read = read_lines(
      R"({"type":"preamble","version":2,"uuid":[229,62,10,184,80,161,79,10,183,16,181,240,187,169,196,172]}
{"type":"field-class-alias","name":"u8","field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","bit-order":"last-to-first","mappings":{}}}
{"type":"trace-class","namespace":"n","name":"t","uid":"u","environment":{"host":"amqui","major":-2}}
{"type":"clock-class","id":"c","frequency":10,"namespace":"a","name":"b","uid":"d","accuracy":4,"origin":{"name":"x","uid":"y"}}
{"type":"data-stream-class","uid":"su","default-clock-class-id":"c"}
{"type":"event-record-class","uid":"eu","payload-field-class":{"type":"structure","member-classes":[{"name":"a","field-class":"u8"},{"name":"b","field-class":"u8"},{"name":"m","field-class":{"type":"fixed-length-bit-map","length":8,"byte-order":"big-endian","flags":{"f":[[1,2]]}}},{"name":"in","field-class":{"type":"structure","member-classes":[{"name":"s","field-class":{"type":"dynamic-length-string","encoding":"utf-16be","length-field-location":{"path":[null,"b"]}}}]}}]}})");
  ASSERT_EQ(read.listing(), "");
  const TraceDescription& trace = *read.metadata->description();
  EXPECT_EQ(read.metadata->dialect(), Dialect::kFinal);
  EXPECT_EQ(trace.version(), "2 (CTF2-SPEC-2.0)");
  EXPECT_EQ((*read.metadata->uuid())[15], 172);
  EXPECT_EQ(trace.trace_class().name_space, "n");
  EXPECT_EQ(trace.trace_class().name, "t");
  EXPECT_EQ(trace.trace_class().uid, "u");
  EXPECT_EQ(trace.environment(), (Attributes{{"host", "amqui", false}, {"major", "-2", true}}));
  const ClockClass& clock = trace.clocks().at(0);
  EXPECT_EQ(clock.origin, ClockOrigin::kCustom);
  EXPECT_EQ(clock.identity, (Identity{"a", "b", "d"}));
  EXPECT_EQ(clock.origin_identity, (Identity{"", "x", "y"}));
  EXPECT_EQ(clock.accuracy, 4U);
  EXPECT_FALSE(clock.precision);
  EXPECT_EQ(trace.stream_classes().at(0).uid, "su");

  const EventClass* event = read.metadata->find_event_class(0, 0);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->uid, "eu");
  EXPECT_FALSE(event->name);
  const auto& members = event->payload->as<StructureClass>()->members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[0].field_class, members[1].field_class);
  const auto* integer = members[0].field_class->as<IntegerClass>();
  EXPECT_EQ(integer->form, IntegerClass::Form::kEnumeration);
  EXPECT_TRUE(std::get<FixedLayout>(integer->layout).reversed);
  const auto* map = members[2].field_class->as<IntegerClass>();
  EXPECT_EQ(map->form, IntegerClass::Form::kBitMap);
  EXPECT_EQ(map->mappings.at(0).label, "f");
  const auto* string =
      members[3].field_class->as<StructureClass>()->members[0].field_class->as<StringClass>();
  EXPECT_EQ(string->encoding, TextEncoding::kUtf16Be);
  const auto& location = std::get<LengthField>(string->extent).location;
  EXPECT_EQ(location.root, FieldLocation::Root::kRelative);
  EXPECT_THAT(location.path, testing::ElementsAre(std::nullopt, std::optional<std::string>("b")));
}

TEST(JsonMetadata, UuidOfThePreambleNeedsNoTraceClass) {
  const ReadStream read = read_lines(
      R"({"type":"preamble","version":2,"uuid":[229,62,10,184,80,161,79,10,183,16,181,240,187,169,196,172]}
{"type":"data-stream-class"})");
  ASSERT_EQ(read.listing(), "");
  EXPECT_TRUE(read.metadata->uuid());
}

// Cutting the stream anywhere changes nothing.
TEST(JsonMetadata, ComesInPieces) {
  const std::string stream = as_sequence(kRc3Lines);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Metadata metadata("trace", 0);
    const auto reader = json_metadata_reader(metadata);
    EXPECT_TRUE(reader->read(as_bytes(stream).first(cut), false).empty());
    EXPECT_TRUE(reader->read(as_bytes(stream).subspan(cut), true).empty()) << cut;
    EXPECT_NE(metadata.find_event_class(3, 4), nullptr);
  }
  Metadata metadata("trace", 0);
  const auto reader = json_metadata_reader(metadata);
  for (std::size_t i = 0; i < stream.size(); ++i)
    EXPECT_TRUE(reader->read(as_bytes(stream).subspan(i, 1), i + 1 == stream.size()).empty());
  EXPECT_NE(metadata.find_event_class(3, 4), nullptr);
}

TEST(JsonMetadata, Grows) {
  Metadata metadata("trace", 0);
  const auto reader = json_metadata_reader(metadata);
  const auto add = [&](std::string_view bytes) { return reader->read(as_bytes(bytes), true); };
  EXPECT_TRUE(add("\x1E{\"type\":\"preamble\",\"version\":2}\n\x1E{\"type\":\"data-stream-class\"}")
                  .empty());
  EXPECT_TRUE(add("\n").empty());
  EXPECT_TRUE(add("\x1E{\"type\":\"event-record-class\",\"attributes\":{}}\n").empty());
  EXPECT_EQ(metadata.dialect(), Dialect::kFinal);
  EXPECT_NE(metadata.find_event_class(0, 0), nullptr);
  // A text that is cut is reported once, and read when the rest has come.
  const auto cut = add("\x1E{\"type\":\"event-rec");
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].rule->id, "ctf/json-truncated");
  EXPECT_TRUE(add("").empty());
  EXPECT_TRUE(add("ord-class\",\"id\":1}\n").empty());
  EXPECT_NE(metadata.find_event_class(0, 1), nullptr);
}

TEST(JsonMetadata, DialectIsThatOfTheFirstDistinguishingWord) {
  // The word stands in the last fragment, and the first ones wait for it.
  const ReadStream read = read_lines(R"({"type":"preamble","version":2}
{"type":"trace-class","packet-header-field-class":{"type":"structure"}}
{"type":"data-stream-class"}
{"type":"event-record-class","payload-field-class":{"type":"structure","member-classes":[{"name":"a","field-class":{"type":"static-length-array","length":1,"element-field-class":{"type":"null-terminated-string","encoding":"utf-8"}}}]}})");
  EXPECT_EQ(read.listing(), "");
  EXPECT_EQ(read.metadata->dialect(), Dialect::kFinal);
  const ReadStream none =
      read_lines("{\"type\":\"preamble\",\"version\":2}\n{\"type\":\"data-stream-class\"}");
  EXPECT_EQ(none.metadata->dialect(), Dialect::kRc3);
}

TEST(JsonMetadata, ReportsAllIndependentFaultsAndNoOthers) {
  const ReadStream read = read_lines(R"({"type":"preamble","version":3,"user-attributes":{}}
{"type":"clock-class","name":"c"}
{"type":"data-stream-class","default-clock-class-name":"c","packet-context-field-class":{"type":"structure","member-classes":[{"name":"a","field-class":{"type":"fixed-length-boolean","length":0,"byte-order":"middle"}},{"name":"a","field-class":{"type":"variable-length-signed-integer","roles":["packet-total-size"]}}]}}
{"type":"event-record-class","payload-field-class":{"type":"structure","minimum-alignment":3}}
{"type":"event-record-class","data-stream-class-id":1})");
  std::vector<std::string> found;
  for (const Finding& finding : read.findings)
    found.push_back(std::string(finding.rule->id) + " " +
                    finding.text.substr(0, finding.text.find(": ")));
  EXPECT_THAT(
      found, testing::ElementsAre(
                 "ctf/version fragment 1, /version", "ctf/clock-class fragment 2",
                 "ctf/fixed-length fragment 3, "
                 "/packet-context-field-class/member-classes/0/field-class/length",
                 "ctf/field-byte-order fragment 3, "
                 "/packet-context-field-class/member-classes/0/field-class/byte-order",
                 "ctf/member-classes fragment 3, /packet-context-field-class/member-classes/1/name",
                 "ctf/packet-context-role fragment 3, "
                 "/packet-context-field-class/member-classes/1/field-class/roles/0",
                 "ctf/structure-alignment fragment 4, /payload-field-class/minimum-alignment",
                 "ctf/event-record-class-parent fragment 5, /data-stream-class-id"));
}

TEST(JsonMetadata, PlaceOfAFaultInAnAliasIsTheAlias) {
  const ReadStream read = read_lines(R"({"type":"preamble","version":2}
{"type":"field-class-alias","name":"s","field-class":{"type":"structure","member-classes":[{"name":"a","field-class":{"type":"dynamic-length-string","length-field-location":{"path":["nowhere"]}}}]}}
{"type":"data-stream-class"}
{"type":"event-record-class","payload-field-class":"s"})");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_TRUE(
      read.findings[0].text.starts_with("fragment 2, /field-class/member-classes/0/field-class: "))
      << read.listing();
}

// Classes in classes through aliases do not escape the limit of nesting, nor do they take time that
// grows with the number of ways through them.
TEST(JsonMetadata, AliasesOfAliases) {
  std::string lines(kFinalStart);
  lines += R"({"type":"field-class-alias","name":"0","field-class":{"type":"structure"}})";
  for (int i = 1; i < 300; ++i) {
    lines += fmt::format(
        "\n{{\"type\":\"field-class-alias\",\"name\":\"{0}\",\"field-class\":{{\"type\":"
        "\"structure\",\"member-classes\":[{{\"name\":\"a\",\"field-class\":\"{1}\"}},{{\"name\":"
        "\"b\",\"field-class\":\"{1}\"}}]}}}}",
        i, i - 1);
  }
  lines += "\n{\"type\":\"data-stream-class\"}";
  const ReadStream read = read_lines(lines);
  ASSERT_EQ(read.findings.size(), 1U) << read.listing();
  EXPECT_EQ(read.findings[0].rule->id, "ctf/metadata-limit");
}

TEST(JsonMetadata, ManyFaultsTakeLittle) {
  std::string lines(kRc3Start);
  lines +=
      R"({"type":"data-stream-class","packet-context-field-class":{"type":"structure","roles":[)";
  for (int i = 0; i < 200'000; ++i) lines += "1,";
  lines += "1]}}";
  const auto start = std::chrono::steady_clock::now();
  const ReadStream read = read_lines(lines);
  EXPECT_LE(read.findings.size(), 10'001U);
  EXPECT_TRUE(read.has_errors());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// The reference traces.
class JsonTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing(reference_traces("ctf")); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(JsonTraces, ValidOnesHaveNoErrors) {
  for (const char* const folder : {"rc3", "final"}) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(reference_traces("ctf") / folder)) {
      if (!entry.is_directory()) continue;
      ++count;
      const ReadStream read = read_stream(file_bytes(entry.path() / "metadata"));
      EXPECT_FALSE(read.has_errors()) << entry.path() << "\n" << read.listing();
    }
    EXPECT_GT(count, 50U);
  }
}

TEST(JsonMetadata, ClassesAreNested256Deep) {
  // As many structures in each other, the payload included.
  const auto nested = [](int depth) {
    std::string text = R"({"type":"structure"})";
    for (int i = 1; i < depth; ++i) {
      text = R"({"type":"structure","member-classes":[{"name":"a","field-class":)" + text + "}]}";
    }
    return read_lines(std::string(kRc3Start) +
                      "{\"type\":\"data-stream-class\"}\n"
                      "{\"type\":\"event-record-class\",\"payload-field-class\":" +
                      text + "}\n");
  };
  EXPECT_EQ(nested(256).listing(), "");
  for (const int depth : {257, 300, 400}) {
    const ReadStream read = nested(depth);
    ASSERT_EQ(read.findings.size(), 1U) << depth;
    EXPECT_EQ(read.findings[0].rule->id, "ctf/metadata-limit");
  }
}

TEST_F(JsonTraces, BrokenOnesHaveOneErrorOfTheRightSection) {
  const auto folder = reference_traces("ctf/rc3-invalid-metadata");
  // Of the same demand; the document states it in both places.
  const std::map<std::string, std::string> twins = {{"frag type", "frag"}};
  std::ifstream table(folder / "expect.tsv");
  std::string line;
  std::getline(table, line);
  std::size_t count = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> columns(1);
    for (const char c : line) {
      if (c == '\t') {
        columns.emplace_back();
      } else {
        columns.back() += c;
      }
    }
    ASSERT_GE(columns.size(), 5U) << line;
    ++count;
    const auto twin = twins.find(columns[3]);
    const std::string anchor = twin == twins.end() ? columns[3] : twin->second;
    const ReadStream read = read_stream(file_bytes(folder / columns[0] / "metadata"));
    std::size_t errors = 0;
    for (const Finding& finding : read.findings) {
      if (finding.rule->severity != Severity::kError) continue;
      ++errors;
      EXPECT_EQ(finding.rule->section, "CTF2-SPECRC-3.0 " + anchor) << columns[0] << read.listing();
    }
    EXPECT_EQ(errors, 1U) << columns[0] << "\n" << read.listing();
  }
  EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace tracedeck::ctf
