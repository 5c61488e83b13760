#include "tracedeck/lower/description_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/description_text.hpp"

namespace tracedeck::lower {
namespace {

constexpr std::string_view kTrace =
    R"x({"entity":"trace","tracedeck":1,"format":"ctf","version":"2 (CTF2-SPEC-2.0)"})x";

// A reader of a trace with clock 0, data stream class 0, and class 5 whose data streams are parts.
struct Begun {
  DescriptionReader reader{"in"};

  Begun() {
    for (const std::string_view text :
         {kTrace, std::string_view(R"({"entity":"clock","ordinal":0})"),
          std::string_view(R"({"entity":"stream-class","ordinal":0,"clock":0})"),
          std::string_view(R"({"entity":"stream-class","ordinal":5,"streams-are-parts":true})")}) {
      EXPECT_TRUE(reader.add(text).has_value());
    }
  }
};

struct Broken {
  std::string text;
  std::string_view message;  // a part of it
  std::string_view path;
};

void expect_refused(const std::vector<Broken>& cases) {
  for (const auto& [text, message, path] : cases) {
    Begun begun;
    const auto before = texts_of(*begun.reader.description());
    const auto added = begun.reader.add(text);
    ASSERT_FALSE(added.has_value()) << text;
    const Error& error = added.error();
    EXPECT_NE(error.message.find(message), std::string::npos) << text << "\n" << error.message;
    EXPECT_EQ(error.path, path) << text;
    EXPECT_EQ(error.input, "in");
    EXPECT_EQ(texts_of(*begun.reader.description()), before);
    EXPECT_EQ(begun.reader.data_stream(0), nullptr);
  }
}

// An event class whose first field class is `object`, and what is behind its fields.
std::string event_class_of(std::string_view object, std::string_view behind = {}) {
  return R"({"entity":"event-class","ordinal":0,"stream-class":0,"fields":[)" +
         std::string(object) + "]" + std::string(behind) + "}";
}

// What is wrong with the first field class, at `place` in it.
void expect_class_refused(std::string_view object, std::string_view message,
                          std::string_view place = {}) {
  const std::string path = "event-class 0/fields/0" + std::string(place);
  expect_refused({{event_class_of(object), message, path}});
}

TEST(DescriptionReader, RefusesWhatIsNoText) {
  constexpr std::string_view kAny = "";
  expect_refused({
      {"", "no JSON text at byte 0", kAny},
      {"{", "text that is no JSON", kAny},
      {"7", "neither an object nor an array", kAny},
      {"\"\xff\"", "not UTF-8", kAny},
      {"[]", "found an array, expected an object", "a text of a description"},
      {"{}", "an `entity` that is a string", "a text of a description"},
      {R"({"entity":7})", "found 7, expected an `entity`", "a text of a description/entity"},
      {R"({"entity":"x"})", "expected an entity of a description",
       "a text of a description/entity"},
      {R"({"entity":"clock"})", "expected an `ordinal`", "clock"},
      {R"({"entity":"clock","ordinal":-1})", "an unsigned integer of 64 bits", "clock/ordinal"},
      {R"({"entity":"clock","ordinal":1,"ordinal":1})", "stands twice",
       "a text of a description/ordinal"},
      {R"({"entity":"clock","ordinal":1,"color":"red"})", "has no meaning here", "clock 1/color"},
  });
}

TEST(DescriptionReader, WantsTheTraceFirstAndOfThisVersion) {
  DescriptionReader reader("in");
  EXPECT_EQ(reader.description(), nullptr);
  const auto early = reader.add(R"({"entity":"clock","ordinal":0})");
  ASSERT_FALSE(early.has_value());
  EXPECT_EQ(early.error().to_string(), "in: clock: the text of the trace must come first");
  for (const std::string_view text :
       {R"({"entity":"trace","format":"ctf"})", R"({"entity":"trace","tracedeck":2})",
        R"({"entity":"trace","tracedeck":1,"format":"a\u001bb"})",
        R"({"entity":"trace","tracedeck":1,"version":"\u00e9"})",
        R"({"entity":"trace","tracedeck":1,"uuid":"00"})",
        R"({"entity":"trace","tracedeck":1,"uuid":"0123456789abcdef0123456789abcdeF"})",
        R"({"entity":"trace","tracedeck":1,"ordinal":0})",
        R"({"entity":"trace","tracedeck":1,"fields":[{"kind":"map"}]})",
        R"({"entity":"trace","tracedeck":1,"fields":[{"kind":"real"}],"packet-header":0})"}) {
    EXPECT_FALSE(reader.add(text).has_value()) << text;
  }
  EXPECT_EQ(reader.description(), nullptr);
  EXPECT_TRUE(reader.add(kTrace).has_value());
  ASSERT_NE(reader.description(), nullptr);
  EXPECT_EQ(reader.description()->input(), "in");
  EXPECT_TRUE(reader.add(kTrace).has_value());
  EXPECT_FALSE(reader.add(R"({"entity":"trace","tracedeck":1,"format":"ctf"})").has_value());
  EXPECT_EQ(reader.description()->version(), "2 (CTF2-SPEC-2.0)");
}

TEST(DescriptionReader, RefusesValuesThatCannotBe) {
  expect_refused({
      {R"({"entity":"clock","ordinal":1,"tick":[0,1]})", "not 0", "clock 1/tick"},
      {R"({"entity":"clock","ordinal":1,"tick":[1,0]})", "not 0", "clock 1/tick"},
      {R"({"entity":"clock","ordinal":1,"tick":[1]})", "[numerator, denominator]", "clock 1/tick"},
      {R"({"entity":"clock","ordinal":1,"tick":[1,1,1]})", "[numerator,", "clock 1/tick"},
      {R"({"entity":"clock","ordinal":1,"origin":"moon"})", "one of: unknown, unix-epoch, custom",
       "clock 1/origin"},
      {R"({"entity":"clock","ordinal":1,"shift":9223372036854775808})", "a signed integer of 64",
       "clock 1/shift"},
      {R"({"entity":"clock","ordinal":1,"shift":1.0})", "an integer", "clock 1/shift"},
      {R"({"entity":"clock","ordinal":1,"id":7})", "expected a string", "clock 1/id"},
      {R"({"entity":"clock","ordinal":1,"id":{"hex":"0"}})", "pairs of lower", "clock 1/id/hex"},
      {R"({"entity":"clock","ordinal":1,"id":{"hex":"0G"}})", "pairs of lower", "clock 1/id/hex"},
      {R"({"entity":"clock","ordinal":1,"id":{"hex":"00","x":1}})", "a string", "clock 1/id"},
      {R"({"entity":"clock","ordinal":1,"identity":{"id":"x"}})", "no meaning",
       "clock 1/identity/id"},
      {R"({"entity":"clock","ordinal":1,"attributes":[["k"]]})", "[key, value]",
       "clock 1/attributes/0"},
      {R"({"entity":"clock","ordinal":1,"attributes":[["k","{",true]]})", "a JSON value",
       "clock 1/attributes/0/1"},
      {R"({"entity":"clock","ordinal":1,"attributes":[["k","1,2",true]]})", "a JSON value",
       "clock 1/attributes/0/1"},
      {R"({"entity":"clock","ordinal":1,"attributes":[["k","\n1",true]]})", "white space",
       "clock 1/attributes/0/1"},
      {R"({"entity":"environment","ordinal":1,"value":"","json":true})", "a JSON value",
       "environment 1"},
      {R"({"entity":"data-stream","ordinal":0,"stream-class":0,"keys":[["k",0,"7\""]]})",
       "decimal digits", "data-stream 0/keys/0/2"},
      {R"({"entity":"data-stream","ordinal":0,"stream-class":0,"keys":[["k"]]})", "[name, value]",
       "data-stream 0/keys/0"},
  });
}

TEST(DescriptionReader, RefusesWhatRefersToNothing) {
  expect_refused({
      {R"({"entity":"event-class","ordinal":0})", "there is no `stream-class`", "event-class 0"},
      {R"({"entity":"event-class","ordinal":0,"stream-class":1})", "whose text came before",
       "event-class 0/stream-class"},
      {R"({"entity":"event-class","ordinal":0,"stream-class":0,"clock":1})", "of a clock class",
       "event-class 0/clock"},
      {R"({"entity":"stream-class","ordinal":1,"clock":1})", "of a clock class",
       "stream-class 1/clock"},
      {R"({"entity":"data-stream","ordinal":0})", "there is no `stream-class`", "data-stream 0"},
      {R"({"entity":"data-stream","ordinal":0,"stream-class":9})", "of a data stream class",
       "data-stream 0/stream-class"},
      {R"({"entity":"event-class","ordinal":0,"stream-class":0,"payload":0})",
       "one of 0 field classes", "event-class 0/payload"},
      {event_class_of(R"({"kind":"array","element":0})"), "one of 0 field classes",
       "event-class 0/fields/0/element"},
      {event_class_of(R"({"kind":"real"},{"kind":"structure","members":[["a",1]]})"),
       "one of 1 field classes", "event-class 0/fields/1/members/0/1"},
  });
}

TEST(DescriptionReader, WantsStructuresAndWhatFlagsPromise) {
  for (const std::string_view root : {"payload", "specific-context"}) {
    const std::string path = "event-class 0/" + std::string(root);
    expect_refused({{event_class_of(R"({"kind":"real"})", ",\"" + std::string(root) + "\":0"),
                     "the number of a structure", path}});
  }
  for (const std::string_view root : {"packet-context", "event-header", "common-context"}) {
    const std::string word(root);
    expect_refused(
        {{R"({"entity":"stream-class","ordinal":1,"fields":[{"kind":"map"}],")" + word + R"(":0})",
          "there is no `key`", "stream-class 1/fields/0"},
         {R"({"entity":"stream-class","ordinal":1,"fields":[{"kind":"dynamic"}],")" + word +
              R"(":0})",
          "the number of a structure", "stream-class 1/" + word}});
  }
  const std::string map = R"({"kind":"string"},{"kind":"map","key":0,"value":0},)";
  const std::string_view described = R"(,"payload":2,"self-described":true)";
  expect_refused({
      {event_class_of("", R"(,"self-described":true)"), "not a string and a map", "event-class 0"},
      {event_class_of(map + R"({"kind":"structure","members":[["a",0],["b",0]]})", described),
       "not a string and a map", "event-class 0"},
      {event_class_of(map + R"({"kind":"structure","members":[["a",0],["b",1],["c",1]]})",
                      described),
       "not a string and a map", "event-class 0"},
      {R"({"entity":"data-stream","ordinal":0,"stream-class":5})", "0 keys, though",
       "data-stream 0"},
      {R"({"entity":"data-stream","ordinal":0,"stream-class":5,"keys":[["a",1],["b",2]]})",
       "2 keys, though", "data-stream 0"},
  });
  Begun begun;
  EXPECT_TRUE(begun.reader
                  .add(event_class_of(map + R"({"kind":"structure","members":[["a",0],["b",1]]})",
                                      described))
                  .has_value());
  EXPECT_TRUE(
      begun.reader.add(R"({"entity":"data-stream","ordinal":0,"stream-class":5,"keys":[["a",1]]})")
          .has_value());
}

TEST(DescriptionReader, RefusesFieldClassesThatCannotBe) {
  expect_refused({{R"({"entity":"event-class","ordinal":0,"stream-class":0,"fields":{}})",
                   "an array of field classes", "event-class 0/fields"}});
  expect_class_refused("7", "found 7, expected an object");
  expect_class_refused("{}", "there is no `kind`, expected one of: boolean, integer,");
  expect_class_refused(R"({"kind":"float"})", "one of: boolean, integer,", "/kind");
  expect_class_refused(R"({"kind":"dynamic","width":8})", "has no meaning here", "/width");
  expect_class_refused(R"({"kind":"boolean","width":0})", "from 1 to 65536 bits", "/width");
  expect_class_refused(R"({"kind":"integer","width":65537})", "from 1 to 65536", "/width");
  expect_class_refused(R"({"kind":"integer","width":4294967296})", "of 32 bits", "/width");
  expect_class_refused(R"({"kind":"integer","leb128":false})", "no `leb128`", "/leb128");
  expect_class_refused(R"({"kind":"integer","leb128":true,"width":8})", "no meaning", "/width");
  expect_class_refused(R"({"kind":"integer","byte-order":1})", "one of: little, big",
                       "/byte-order");
  expect_class_refused(R"({"kind":"integer","signed":1})", "true or false", "/signed");
  expect_class_refused(R"({"kind":"integer","base":16})", "one of: binary,", "/base");
  expect_class_refused(R"({"kind":"integer","form":"enum"})", "one of: number,", "/form");
  expect_class_refused(R"({"kind":"integer","mappings":[[]]})", "[label,", "/mappings/0");
  expect_class_refused(R"({"kind":"integer","mappings":[["a",1,2,3]]})", "an upper bound",
                       "/mappings/0");
  expect_class_refused(R"({"kind":"integer","mappings":[["a",2,1]]})", "not below",
                       "/mappings/0/2");
  expect_class_refused(
      R"({"kind":"integer","mappings":[["a",0,340282366920938463463374607431768211456]]})",
      "an integer of 128 bits", "/mappings/0/2");
  expect_class_refused(R"({"kind":"real","width":8})", "16, 32, 64, 128");
  expect_class_refused(R"({"kind":"real","width":144})", "16, 32, 64, 128");
  expect_class_refused(R"({"kind":"string","encoding":"latin-1"})", "one of: utf-8,", "/encoding");
  expect_class_refused(R"({"kind":"string","extent":{}})", "one of: static, prefix", "/extent");
  expect_class_refused(R"({"kind":"string","extent":{"rest":false}})", "one of: static", "/extent");
  expect_class_refused(R"({"kind":"string","extent":{"null-terminated":true}})", "one of: static",
                       "/extent");
  expect_class_refused(R"({"kind":"string","extent":{"rest":true,"static":1}})", "one of: static",
                       "/extent");
  expect_class_refused(R"({"kind":"string","extent":{"prefix":{"width":65}}})", "from 1 to 64",
                       "/extent/prefix/width");
  expect_class_refused(R"({"kind":"blob","extent":{"field":[]}})", "[root,", "/extent/field");
  expect_class_refused(R"({"kind":"blob","extent":{"field":["here"]}})", "one of: relative,",
                       "/extent/field/0");
  expect_class_refused(R"({"kind":"blob","extent":{"field":["payload",7]}})", "a string",
                       "/extent/field/1");
  expect_class_refused(R"({"kind":"array"})", "there is no `element`");
  expect_class_refused(R"({"kind":"optional"})", "there is no `value`");
  expect_class_refused(R"({"kind":"map"})", "there is no `key`");
  expect_class_refused(R"({"kind":"structure","members":[["a"]]})", "[name, class]", "/members/0");
  expect_class_refused(R"({"kind":"variant","options":[["a",0]]})", "[name, class, bounds]",
                       "/options/0");
  expect_class_refused(R"({"kind":"structure","minimum-alignment":3})", "a power of two",
                       "/minimum-alignment");
  expect_class_refused(R"({"kind":"dynamic","alignment":0})", "a power of two", "/alignment");
  expect_class_refused(R"({"kind":"dynamic","roles":[1]})", "a string", "/roles/0");
}

TEST(DescriptionReader, LimitsNesting) {
  const auto nested = [](int depth) {
    std::string fields = R"({"kind":"integer"})";
    for (int i = 1; i < depth - 1; ++i)
      fields += R"(,{"kind":"optional","value":)" + std::to_string(i - 1) + "}";
    fields += R"(,{"kind":"structure","members":[["a",)" + std::to_string(depth - 2) + "]]}";
    return event_class_of(fields, R"(,"payload":)" + std::to_string(depth - 1));
  };
  Begun begun;
  EXPECT_TRUE(begun.reader.add(nested(256)).has_value());
  const auto added = Begun().reader.add(nested(257));
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(added.error().path, "event-class 0/fields/256");
}

TEST(DescriptionReader, KnowsObjectsByTheOrdinalsOfTheirTexts) {
  Begun begun;
  DescriptionReader& reader = begun.reader;
  ASSERT_TRUE(reader.add(R"({"entity":"clock","ordinal":18446744073709551615,"id":"a"})"));
  ASSERT_TRUE(reader.add(R"({"entity":"event-class","ordinal":70,"stream-class":5})"));
  ASSERT_TRUE(reader.add(R"({"entity":"environment","ordinal":9,"key":"k"})"));
  EXPECT_EQ(reader.clock(~std::uint64_t{0})->id, "a");
  EXPECT_EQ(reader.clock(~std::uint64_t{0})->entity.ordinal, 1U);
  EXPECT_EQ(reader.event_class(70), &reader.description()->event_classes()[0]);
  EXPECT_EQ(reader.event_class(70)->stream_class, reader.stream_class(5));
  EXPECT_EQ(reader.event_class(0), nullptr);
  EXPECT_EQ(reader.clock(7), nullptr);
  EXPECT_EQ(reader.stream_class(7), nullptr);
  EXPECT_EQ(reader.description()->environment().size(), 1U);
}

TEST(DescriptionReader, IgnoresWhatIsThereAlreadyAndRefusesAnother) {
  constexpr std::string_view kTexts[] = {
      R"({"entity":"environment","ordinal":7,"key":"k","value":"v"})",
      R"({"entity":"clock","ordinal":7,"id":"a"})",
      R"({"entity":"stream-class","ordinal":7,"id":1})",
      R"({"entity":"event-class","ordinal":7,"stream-class":0,"name":"x"})",
      R"({"entity":"data-stream","ordinal":7,"stream-class":0,"file":"f"})",
  };
  constexpr std::string_view kOthers[] = {
      R"({"entity":"environment","ordinal":7,"key":"k","value":"w"})",
      R"({"entity":"clock","ordinal":7,"id":"b"})",
      R"({"entity":"stream-class","ordinal":7})",
      R"({"entity":"event-class","ordinal":7,"stream-class":5,"name":"x"})",
      R"({"entity":"data-stream","ordinal":7,"stream-class":0,"file":"f","keys":[["a",1]]})",
  };
  Begun begun;
  for (const std::string_view text : kTexts) ASSERT_TRUE(begun.reader.add(text)) << text;
  const auto before = texts_of(*begun.reader.description());
  const auto stream = begun.reader.data_stream(7);
  for (const std::string_view text : kTexts) EXPECT_TRUE(begun.reader.add(text)) << text;
  // Another tool may have written it anew.
  EXPECT_TRUE(begun.reader.add(R"( {"id" : "a", "ordinal": 7, "entity": "clock"} )"));
  for (const std::string_view text : kOthers) {
    const auto added = begun.reader.add(text);
    ASSERT_FALSE(added.has_value()) << text;
    EXPECT_NE(added.error().message.find("said something else of it"), std::string::npos);
  }
  EXPECT_EQ(texts_of(*begun.reader.description()), before);
  EXPECT_EQ(begun.reader.data_stream(7), stream);
}

}  // namespace
}  // namespace tracedeck::lower
