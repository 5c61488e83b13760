// The worked examples of CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Metadata stream".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tracedeck/ctf/metadata/json_auxiliary.hpp"
#include "tracedeck/ctf/metadata/json_field_class.hpp"
#include "tracedeck/ctf/metadata/json_metadata_test.hpp"
#include "tracedeck/ctf/metadata/json_values.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::
    string_view
        kRc3Classes
            [] =
                {
                    R"json({"type":"static-length-array","length":32,"minimum-alignment":32,"element-field-class":{"type":"fixed-length-boolean","length":1,"byte-order":"little-endian"}})json",
                    R"json({"type":"fixed-length-bit-array","length":16,"byte-order":"little-endian"})json",
                    R"json({"type":"fixed-length-bit-array","length":48,"byte-order":"big-endian","alignment":32})json",
                    R"json({"type":"fixed-length-bit-array","length":16,"byte-order":"little-endian","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"fixed-length-boolean","length":16,"byte-order":"little-endian"})json",
                    R"json({"type":"fixed-length-boolean","length":48,"byte-order":"big-endian","alignment":32})json",
                    R"json({"type":"fixed-length-boolean","length":16,"byte-order":"little-endian","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"fixed-length-unsigned-integer","length":16,"byte-order":"little-endian"})json",
                    R"json({"type":"fixed-length-signed-integer","length":48,"byte-order":"big-endian","alignment":32})json",
                    R"json({"type":"fixed-length-unsigned-integer","length":48,"byte-order":"big-endian","preferred-display-base":16})json",
                    R"json({"type":"fixed-length-signed-integer","length":16,"byte-order":"little-endian","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"fixed-length-unsigned-enumeration","length":16,"byte-order":"little-endian","mappings":{"apple":[[1,19]]}})json",
                    R"json({"type":"fixed-length-signed-enumeration","length":48,"byte-order":"big-endian","alignment":32,"mappings":{"banana":[[-27399,-1882],[8,199],[101,101]],"orange":[[67,67],[43,1534]]}})json",
                    R"json({"type":"fixed-length-unsigned-enumeration","length":8,"byte-order":"big-endian","preferred-display-base":16,"mappings":{"lime":[[3,3]],"kiwi":[[8,8]],"blueberry":[[11,11]]}})json",
                    R"json({"type":"fixed-length-signed-enumeration","length":16,"byte-order":"little-endian","mappings":{"mango":[[23,42]]},"user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"fixed-length-floating-point-number","length":32,"byte-order":"little-endian"})json",
                    R"json({"type":"fixed-length-floating-point-number","length":64,"byte-order":"big-endian","alignment":32})json",
                    R"json({"type":"fixed-length-floating-point-number","length":192,"byte-order":"little-endian","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"variable-length-bit-array"})json",
                    R"json({"type":"variable-length-bit-array","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"variable-length-unsigned-integer"})json",
                    R"json({"type":"variable-length-signed-integer","preferred-display-base":16})json",
                    R"json({"type":"variable-length-unsigned-integer","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"variable-length-unsigned-enumeration","mappings":{"apple":[[1,19]]}})json",
                    R"json({"type":"variable-length-unsigned-enumeration","preferred-display-base":16,"mappings":{"lime":[[3,3]],"kiwi":[[8,8]],"blueberry":[[11,11]]}})json",
                    R"json({"type":"variable-length-signed-enumeration","mappings":{"banana":[[-27399,-1882],[8,199],[101,101]],"orange":[[67,67],[43,1534]]},"user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"null-terminated-string"})json",
                    R"json({"type":"null-terminated-string","user-attributes":{"my.tracer":{"is-nice":true}}})json",
                    R"json({"type":"static-length-string","length":0})json",
                    R"json({"type":"static-length-string","length":100})json",
                    R"json({"type":"static-length-string","length":13,"user-attributes":{"my.tracer":null}})json",
                    R"json({"type":"dynamic-length-string","length-field-location":["event-record-payload","length"]})json",
                    R"json({"type":"dynamic-length-string","length-field-location":["event-record-common-context","name-length"],"user-attributes":{"my.tracer":177}})json",
                    R"json({"type":"static-length-blob","length":0})json",
                    R"json({"type":"static-length-blob","length":511267,"media-type":"image/tif"})json",
                    R"json({"type":"static-length-blob","length":2400,"media-type":"text/csv","user-attributes":{"my.tracer":{"csv-cols":12}}})json",
                    R"json({"type":"dynamic-length-blob","length-field-location":["event-record-payload","length"]})json",
                    R"json({"type":"dynamic-length-blob","length-field-location":["event-record-common-context","length"],"media-type":"image/jpeg","user-attributes":{"my.tracer":{"quality":85}}})json",
                    R"json({"type":"structure"})json",
                    R"json({"type":"structure","member-classes":[{"name":"Villeray","field-class":{"type":"null-terminated-string"}},{"name":"Berri","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"little-endian","preferred-display-base":2},"user-attributes":{"my.tracer":{"is-mask":true}}},{"name":"Faillon","field-class":{"type":"fixed-length-boolean","length":8,"byte-order":"little-endian"}}]})json",
                    R"json({"type":"structure","member-classes":[{"name":"St-Denis","field-class":{"type":"null-terminated-string"}},{"name":"Lajeunesse","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"big-endian","alignment":32}}],"minimum-alignment":64})json",
                    R"json({"type":"structure","member-classes":[{"name":"Henri-Julien","field-class":{"type":"fixed-length-signed-integer","length":48,"byte-order":"little-endian"}},{"name":"Casgrain","field-class":{"type":"static-length-string","length":32}}],"user-attributes":{"my.tracer":{"version":4}}})json",
                    R"json({"type":"static-length-array","element-field-class":{"type":"fixed-length-signed-integer","length":16,"byte-order":"little-endian","alignment":16},"length":0})json",
                    R"json({"type":"static-length-array","element-field-class":{"type":"null-terminated-string"},"length":100})json",
                    R"json({"type":"static-length-array","element-field-class":{"type":"variable-length-unsigned-integer"},"length":13,"user-attributes":{"my.tracer":true}})json",
                    R"json({"type":"dynamic-length-array","element-field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"big-endian","alignment":16},"length-field-location":["event-record-payload","length"]})json",
                    R"json({"type":"dynamic-length-array","element-field-class":{"type":"variable-length-unsigned-integer"},"length-field-location":["packet-context","common-length"],"user-attributes":{"my.tracer":177}})json",
                    R"json({"type":"optional","selector-field-location":["event-record-payload","has-ip"],"field-class":{"type":"static-length-array","element-field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","alignment":8},"length":16}})json",
                    R"json({"type":"optional","selector-field-location":["event-record-payload","has-ip"],"selector-field-ranges":[[-12,-12],[-5,0],[15,35]],"field-class":{"type":"null-terminated-string"}})json",
                    R"json({"type":"variant","selector-field-location":["event-record-payload","sel"],"options":[{"selector-field-ranges":[[5,5]],"field-class":{"type":"null-terminated-string"}},{"selector-field-ranges":[[8,8]],"field-class":{"type":"fixed-length-signed-integer","length":16,"byte-order":"little-endian","preferred-display-base":8}}]})json",
                    R"json({"type":"optional","selector-field-location":["event-record-payload","sel"],"selector-field-ranges":[[1,255]],"field-class":{"type":"variant","selector-field-location":["event-record-payload","sel"],"options":[{"selector-field-ranges":[[1,1]],"field-class":{"type":"null-terminated-string"}},{"selector-field-ranges":[[2,2]],"field-class":{"type":"variable-length-signed-integer","preferred-display-base":16}}]}})json",
                    R"json({"type":"variant","selector-field-location":["event-record-specific-context","sel"],"options":[{"selector-field-ranges":[[5,5],[10,10],[15,15]],"field-class":{"type":"static-length-string","length":20}},{"selector-field-ranges":[[0,4],[6,9],[11,14],[16,127]],"field-class":{"type":"fixed-length-floating-point-number","length":32,"byte-order":"big-endian"}}],"user-attributes":{"my.tracer":{"owner":"Jimmy","id":199990}}})json",
};

constexpr std::string_view kRc3Members[] = {
    R"json({"name":"cat","field-class":{"type":"null-terminated-string"}})json",
    R"json({"name":"dog","field-class":{"type":"variable-length-signed-integer","preferred-display-base":8},"user-attributes":{"my.tracer":{"uuid":[243,97,0,184,236,54,72,97,141,107,169,214,171,137,115,201],"is-pid":true}}})json",
};

constexpr std::string_view kRc3Options[] = {
    R"json({"field-class":{"type":"null-terminated-string"},"selector-field-ranges":[[3,9]]})json",
    R"json({"name":"juice","field-class":{"type":"variable-length-signed-integer","preferred-display-base":16},"selector-field-ranges":[[-4,4],[9,9],[100,200]],"user-attributes":{"my.tracer":{"uuid":[243,97,0,184,236,54,72,97,141,107,169,214,171,137,115,201],"is-did":true}}})json",
};

constexpr std::string_view kRc3Fragments[] = {
    R"json({"type":"preamble","version":2})json",
    R"json({"type":"preamble","version":2,"extensions":{"my.tracer":{"piano":{"keys":88,"temperament":"equal"},"ramen":null}}})json",
    R"json({"type":"trace-class","uuid":[30,201,100,148,228,2,69,70,147,219,233,34,43,238,108,199],"packet-header-field-class":{"type":"structure","member-classes":[{"name":"the magic!","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"little-endian","preferred-display-base":16,"roles":["packet-magic-number"]}},{"name":"the UUID","field-class":{"type":"static-length-blob","length":16,"roles":["trace-class-uuid"]}},{"name":"my data stream class ID","field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","roles":["data-stream-class-id"]}},{"name":"my data stream ID","field-class":{"type":"variable-length-unsigned-integer","roles":["data-stream-id"]}}]}})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":1000000000})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":1000000000,"uuid":[116,210,0,140,239,255,77,3,129,99,233,226,134,106,207,32]})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":1000000000,"offset":{"seconds":1605112699,"cycles":2878388}})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":8000000,"precision":100})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":1000000000,"origin-is-unix-epoch":false})json",
    R"json({"type":"clock-class","name":"my clock class","frequency":16000000,"user-attributes":{"my.tracer":{"sys-name":"SOC23","bus":{"name":"LMB5","index":5},"propagation-delay-ps":177}}})json",
};

constexpr std::string_view kFinalClasses[] = {
    R"({"type":"fixed-length-bit-array","length":32,"byte-order":"little-endian","bit-order":"last-to-first"})",
    R"({"type":"fixed-length-bit-array","length":16,"byte-order":"little-endian","attributes":{"my.tracer":{"is-nice":true}}})",
    R"({"type":"fixed-length-bit-map","length":16,"byte-order":"little-endian","flags":{"FEATURE":[[3,3]]}})",
    R"({"type":"fixed-length-bit-map","length":48,"byte-order":"big-endian","alignment":32,"flags":{"shock":[[3,3]],"cord":[[4,4],[8,10]],"learn":[[2,7]]}})",
    R"({"type":"fixed-length-bit-map","length":16,"byte-order":"little-endian","flags":{"FEATURE":[[3,3]]},"attributes":{"my.tracer":{"is-nice":true}}})",
    R"({"type":"fixed-length-boolean","length":48,"byte-order":"big-endian","alignment":32})",
    R"({"type":"fixed-length-unsigned-integer","length":48,"byte-order":"big-endian","preferred-display-base":16})",
    R"({"type":"fixed-length-signed-integer","length":32,"byte-order":"little-endian","mappings":{"banana":[[-27399,-1882],[8,199],[101,101]],"orange":[[67,67],[43,1534]]}})",
    R"({"type":"fixed-length-floating-point-number","length":192,"byte-order":"little-endian","attributes":{"my.tracer":{"is-nice":true}}})",
    R"({"type":"variable-length-unsigned-integer"})",
    R"({"type":"variable-length-signed-integer","preferred-display-base":16})",
    R"({"type":"variable-length-unsigned-integer","mappings":{"lime":[[3,3]],"kiwi":[[8,8]],"blueberry":[[11,11]]}})",
    R"({"type":"null-terminated-string","encoding":"utf-16le"})",
    R"({"type":"static-length-string","length":0})",
    R"({"type":"static-length-string","encoding":"utf-32be","length":64})",
    R"({"type":"static-length-string","length":13,"attributes":{"my.tracer":null}})",
    R"({"type":"dynamic-length-string","length-field-location":{"origin":"event-record-payload","path":["length"]}})",
    R"({"type":"dynamic-length-string","length-field-location":{"path":[null,"attrs","len"]},"encoding":"utf-16be"})",
    R"({"type":"dynamic-length-string","length-field-location":{"path":["name-length"]},"attributes":{"my.tracer":177}})",
    R"({"type":"static-length-blob","length":511267,"media-type":"image/tiff"})",
    R"({"type":"dynamic-length-blob","length-field-location":{"origin":"event-record-payload","path":["length"]}})",
    R"({"type":"dynamic-length-blob","length-field-location":{"path":[null,"length"]},"media-type":"image/jpeg","attributes":{"my.tracer":{"quality":85}}})",
    R"({"type":"structure","member-classes":[{"name":"Berri","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"little-endian","preferred-display-base":2},"attributes":{"my.tracer":{"is-mask":true}}}],"minimum-alignment":64})",
    R"({"type":"static-length-array","length":32,"minimum-alignment":32,"element-field-class":{"type":"fixed-length-boolean","length":1,"byte-order":"little-endian"}})",
    R"({"type":"dynamic-length-array","element-field-class":{"type":"variable-length-unsigned-integer"},"length-field-location":{"path":["from-user","common-length"]},"attributes":{"my.tracer":177}})",
    R"({"type":"optional","selector-field-location":{"origin":"event-record-payload","path":["has-ip"]},"selector-field-ranges":[[-12,-12],[-5,0],[15,35]],"field-class":{"type":"null-terminated-string"}})",
    R"({"type":"optional","selector-field-location":{"origin":"event-record-payload","path":["sel"]},"selector-field-ranges":[[1,255]],"field-class":{"type":"variant","selector-field-location":{"origin":"event-record-payload","path":["sel"]},"options":[{"selector-field-ranges":[[1,1]],"field-class":{"type":"null-terminated-string"}},{"selector-field-ranges":[[2,2]],"field-class":{"type":"variable-length-signed-integer","preferred-display-base":16}}]}})",
    R"({"type":"variant","selector-field-location":{"origin":"event-record-specific-context","path":["sel"]},"options":[{"selector-field-ranges":[[5,5],[10,10],[15,15]],"field-class":{"type":"static-length-string","length":20}},{"selector-field-ranges":[[0,4],[6,9],[11,14],[16,127]],"field-class":{"type":"fixed-length-floating-point-number","length":32,"byte-order":"big-endian"}}],"attributes":{"my.tracer":{"owner":"Jimmy","id":199990}}})",
};

// Streams of the examples' fragments.
constexpr std::string_view kFinalStreams[] = {
    R"({"type":"preamble","version":2,"uuid":[229,62,10,184,80,161,79,10,183,16,181,240,187,169,196,172]}
{"type":"data-stream-class"})",
    R"({"type":"preamble","version":2}
{"type":"field-class-alias","name":"u8","field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian"}}
{"type":"field-class-alias","name":"uint8","field-class":"u8"}
{"type":"data-stream-class"})",
    R"({"type":"preamble","version":2,"uuid":[30,201,100,148,228,2,69,70,147,219,233,34,43,238,108,199]}
{"type":"trace-class","packet-header-field-class":{"type":"structure","member-classes":[{"name":"the magic!","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"little-endian","preferred-display-base":16,"roles":["packet-magic-number"]}},{"name":"the UUID","field-class":{"type":"static-length-blob","length":16,"roles":["metadata-stream-uuid"]}},{"name":"my data stream class ID","field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","roles":["data-stream-class-id"]}},{"name":"my data stream ID","field-class":{"type":"variable-length-unsigned-integer","roles":["data-stream-id"]}}]}}
{"type":"data-stream-class"})",
    R"({"type":"preamble","version":2}
{"type":"clock-class","id":"a","frequency":1000000000}
{"type":"clock-class","id":"b","frequency":1000000000,"origin":"unix-epoch"}
{"type":"clock-class","id":"c","namespace":"some-tracer","name":"hot","uid":"wheels.28","frequency":80000000}
{"type":"clock-class","id":"d","frequency":1000000000,"origin":{"name":"my origin","uid":"60:57:18:a3:42:29"}}
{"type":"clock-class","id":"e","frequency":1000000000,"offset-from-origin":{"seconds":1605112699,"cycles":2878388}}
{"type":"clock-class","id":"f","frequency":8000000,"precision":100}
{"type":"clock-class","id":"g","frequency":16000000,"accuracy":1500}
{"type":"clock-class","id":"h","frequency":32000000,"attributes":{"my.tracer":{"sys-name":"SOC23","bus":{"name":"LMB5","index":5},"propagation-delay-ps":177}}}
{"type":"clock-class","id":"i","frequency":32000000,"offset-from-origin":{}}
{"type":"clock-class","id":"j","frequency":32000000,"offset-from-origin":{"seconds":-18003,"cycles":11928547}}
{"type":"data-stream-class"})",
};

void expect_class(std::string_view json, Dialect dialect) {
  JsonParser parser;
  const auto text = parser.parse(as_bytes(json), 0, 1);
  ASSERT_TRUE(text) << json;
  JsonFindings findings("fragment");
  JsonScope scope(findings);
  scope.dialect = dialect;
  const BuiltClass built = read_field_class((*text)->root(), scope);
  EXPECT_TRUE(built.sound) << json;
  EXPECT_NE(built.field_class, nullptr);
  for (const Finding& finding : findings.take()) ADD_FAILURE() << finding.text << "\n" << json;
}

TEST(JsonExamples, FieldClassesOfTheReleaseCandidate) {
  for (const std::string_view json : kRc3Classes) expect_class(json, Dialect::kRc3);
}

TEST(JsonExamples, FieldClassesOfTheFinalDocument) {
  for (const std::string_view json : kFinalClasses) expect_class(json, Dialect::kFinal);
}

TEST(JsonExamples, MembersAndOptions) {
  for (const std::string_view json : kRc3Members) {
    expect_class(fmt::format(R"({{"type":"structure","member-classes":[{}]}})", json),
                 Dialect::kRc3);
  }
  for (const std::string_view json : kRc3Options) {
    expect_class(fmt::format(R"({{"type":"variant","selector-field-location":)"
                             R"(["event-record-payload","sel"],"options":[{}]}})",
                             json),
                 Dialect::kRc3);
  }
}

TEST(JsonExamples, FragmentsOfTheReleaseCandidate) {
  for (const std::string_view json : kRc3Fragments) {
    const bool preamble = json.starts_with(R"({"type":"preamble")");
    const ReadStream read = read_lines(
        fmt::format("{}{}\n{{\"type\":\"data-stream-class\"}}", preamble ? "" : kRc3Start, json));
    EXPECT_EQ(read.listing(), "") << json;
  }
}

TEST(JsonExamples, FragmentsOfTheFinalDocument) {
  for (const std::string_view lines : kFinalStreams) {
    const ReadStream read = read_lines(lines);
    EXPECT_EQ(read.listing(), "") << lines;
    EXPECT_EQ(read.metadata->dialect(), Dialect::kFinal);
  }
}

TEST(JsonExamples, Mappings) {
  JsonParser parser;
  const auto text =
      parser.parse(as_bytes(R"({"fortune":[[3,67],[-45,1],[84,84]],"building":[[4,5],[75,82]],)"
                            R"("journal":[[100,2305],[80,80]]})"),
                   0, 1);
  ASSERT_TRUE(text);
  JsonFindings findings("fragment");
  const auto mappings = read_mappings((*text)->root(), false, MetadataRule::kMappings, findings);
  ASSERT_TRUE(mappings);
  ASSERT_EQ(mappings->size(), 3U);
  EXPECT_EQ((*mappings)[0].label, "fortune");
  EXPECT_TRUE((*mappings)[0].ranges[1].lower == -45);
  EXPECT_TRUE((*mappings)[2].ranges[0].upper == 2305);
}

TEST(JsonExamples, AuxiliaryStream) {
  Metadata metadata("trace", 0);
  const auto findings =
      read_auxiliary_stream(as_bytes(as_sequence(
                                R"({"my.tracer":{"version":[1,3,2],"session-name":"amqui"}}
{"328c7a2d-a959-4f60-bd22-cca74359326f":42}
{"std":{"environment":{"hostname":"amqui","tracer_major":2, "more": {"a": [1, 2]}}}})")),
                            metadata);
  EXPECT_TRUE(findings.empty());
  const Attributes expected = {
      {"hostname", "amqui", false}, {"tracer_major", "2", true}, {"more", R"({"a":[1,2]})", true}};
  EXPECT_EQ(metadata.description()->environment(), expected);
}

TEST(JsonExamples, FirstElementOfAnAuxiliaryStream) {
  const auto begins = [](std::string_view text, std::size_t portion) {
    FirstElement first;
    ByteSpan bytes = as_bytes(text);
    while (!bytes.empty() && first.take(bytes.first(std::min(portion, bytes.size()))))
      bytes = bytes.subspan(std::min(portion, bytes.size()));
    return begins_auxiliary_stream(first.bytes());
  };
  for (const std::size_t portion : {std::size_t{1}, std::size_t{4096}}) {
    EXPECT_TRUE(begins("\x1e{\"a\": 1}", portion));
    EXPECT_TRUE(begins("\x1e\x1e \n{\"a\": {\"b\": 1, \"c\": 2}}\n\x1e{", portion));
    for (const std::string_view none :
         {"", "{\"a\": 1}", "\x1e", "\x1e{}", "\x1e[1]", "\x1e{\"a\": 1, \"b\": 2}",
          "\x1e{\"a\": 1, \"a\": 1}", "\x1e{\"a\": ", "\x1e{\"a\": 1}\x01", "\x1e{\"a\": 1} 2\x1e"})
      EXPECT_FALSE(begins(none, portion)) << none;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
