#include "tracedeck/text/json_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

namespace tracedeck {
namespace {

auto parse(std::string_view json) {
  JsonParser parser;
  return parser.parse(as_bytes(json), 100, 7);
}

TEST(JsonText, KeepsOrderOffsetsAndNumbers) {
  const std::string_view json =
      R"( {"b": [1, 2.50, -123456789012345678901234567890], "a" : {"x": null}, "c":true} )";
  const auto text = parse(json);
  ASSERT_TRUE(text);
  const JsonRef root = (*text)->root();
  EXPECT_TRUE(root.is(JsonKind::kObject));
  EXPECT_EQ(root.offset(), 101U);
  EXPECT_EQ(root.raw(), json.substr(1, json.size() - 2));
  const JsonRef b = root.first_child();
  EXPECT_EQ(b.key(), "b");
  const JsonRef third = b.first_child().next_sibling().next_sibling();
  EXPECT_EQ(third.raw(), "-123456789012345678901234567890");
  EXPECT_EQ(third.pointer(), "/b/2");
  EXPECT_EQ(third.offset(), 100 + json.find("-1234"));
  EXPECT_FALSE(third.next_sibling());
  const JsonRef a = b.next_sibling();
  EXPECT_EQ(a.first_child().pointer(), "/a/x");
  EXPECT_TRUE(a.first_child().is(JsonKind::kNull));
  const JsonRef c = a.next_sibling();
  EXPECT_TRUE(c.boolean());
  EXPECT_FALSE(c.next_sibling());
  EXPECT_EQ(root.compact(),
            R"({"b":[1,2.50,-123456789012345678901234567890],"a":{"x":null},"c":true})");
}

// Arrays of a few numbers have no nodes for them; they are asked as all others are.
TEST(JsonText, ArraysOfAFewPlainValues) {
  const std::string_view json =
      R"([[ 1 ,-2.5], [true], [ null , false, 7, 8 ], [1,2,3,4,5], [1,[2]],[1,"a"],[9]])";
  const auto text = parse(json);
  ASSERT_TRUE(text);
  std::string all;
  for (const JsonRef array : JsonChildren((*text)->root())) {
    EXPECT_EQ(array.raw(), json.substr(array.offset() - 100, array.raw().size()));
    EXPECT_EQ(array.raw().back(), ']');
    for (const JsonRef value : JsonChildren(array)) {
      EXPECT_TRUE(json.substr(value.offset() - 100).starts_with(value.raw()));
      all += value.pointer() + "=" + std::string(value.raw()) + ":" +
             std::to_string(static_cast<int>(value.kind())) + " ";
    }
  }
  EXPECT_EQ(all,
            "/0/0=1:2 /0/1=-2.5:2 /1/0=true:1 /2/0=null:0 /2/1=false:1 /2/2=7:2 /2/3=8:2 "
            "/3/0=1:2 /3/1=2:2 /3/2=3:2 /3/3=4:2 /3/4=5:2 /4/0=1:2 /4/1=[2]:4 /5/0=1:2 "
            "/5/1=\"a\":3 /6/0=9:2 ");
  EXPECT_FALSE((*text)->root().first_child().first_child().first_child());
  EXPECT_EQ((*text)->root().raw(), json);
}

// Neither have objects of a few plain values, unless something in them is escaped or repeated.
TEST(JsonText, ObjectsOfAFewPlainValues) {
  const std::string_view json =
      R"([{ "a" : 1 ,"b":"}," , "c~":true}, {"":null}, {"x":{"y":[1, 2]} ,"z":"]" }, {"a\"":1}, )"
      R"({"e":"\u0041"},{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9},{"r":1,"r":2} ])";
  const auto text = parse(json);
  ASSERT_TRUE(text);
  std::string all;
  for (const JsonRef object : JsonChildren((*text)->root())) {
    EXPECT_EQ(object.raw(), json.substr(object.offset() - 100, object.raw().size()));
    EXPECT_EQ(object.raw().back(), '}');
    for (const JsonRef value : JsonChildren(object)) {
      EXPECT_TRUE(json.substr(value.offset() - 100).starts_with(value.raw()));
      all += std::string(value.key()) + " " + value.pointer() + "=" + std::string(value.raw()) +
             ":" + std::to_string(static_cast<int>(value.kind())) + "\n";
    }
  }
  EXPECT_EQ(all,
            "a /0/a=1:2\nb /0/b=\"},\":3\nc~ /0/c~0=true:1\n /1/=null:0\n"
            "x /2/x={\"y\":[1, 2]}:5\nz /2/z=\"]\":3\na\" /3/a\"=1:2\ne /4/e=\"\\u0041\":3\n"
            "1 /5/1=1:2\n2 /5/2=2:2\n3 /5/3=3:2\n4 /5/4=4:2\n5 /5/5=5:2\n6 /5/6=6:2\n"
            "7 /5/7=7:2\n8 /5/8=8:2\n9 /5/9=9:2\nr /6/r=1:2\nr /6/r=2:2\n");
  EXPECT_EQ((*text)->root().first_child().first_child().next_sibling().string(), "},");
  EXPECT_EQ((*text)->repeated().size(), 1U);
  EXPECT_EQ((*text)->root().raw(), json);
}

TEST(JsonText, Strings) {
  const auto text = parse(R"({"a\"~/\u00e9": "\ud83d\ude00 \" } ", "": ""})");
  ASSERT_TRUE(text);
  const JsonRef first = (*text)->root().first_child();
  EXPECT_EQ(first.key(), "a\"~/\xC3\xA9");
  EXPECT_EQ(first.string(), "\xF0\x9F\x98\x80 \" } ");
  EXPECT_EQ(first.pointer(), "/a\"~0~1\xC3\xA9");
  EXPECT_EQ(first.compact(), R"("\ud83d\ude00 \" } ")");
  EXPECT_EQ(first.next_sibling().string(), "");
  EXPECT_EQ(first.next_sibling().pointer(), "/");
}

TEST(JsonText, EmptyContainers) {
  const auto text = parse(R"([[], {}, [{}]])");
  ASSERT_TRUE(text);
  const JsonRef first = (*text)->root().first_child();
  EXPECT_FALSE(first.first_child());
  EXPECT_EQ(first.raw(), "[]");
  EXPECT_FALSE(first.next_sibling().first_child());
  EXPECT_EQ(first.next_sibling().next_sibling().first_child().raw(), "{}");
}

TEST(JsonText, ReportsRepeatedKeys) {
  const auto text = parse(R"({"a":1,"b":{"c":1,"\u0063":2,"c":3},"a":2})");
  ASSERT_TRUE(text);
  std::vector<std::string> places;
  for (const JsonRef value : (*text)->repeated())
    places.push_back(value.pointer() + " " + std::string(value.raw()));
  EXPECT_EQ(places, (std::vector<std::string>{"/b/c 2", "/b/c 3", "/a 2"}));
}

TEST(JsonText, LongPointersLackTheirBeginning) {
  std::string json = "1";
  for (int i = 0; i < 100; ++i) json = "{\"" + std::string(300, 'k') + "\":" + json + "}";
  const auto text = parse(json);
  ASSERT_TRUE(text);
  JsonRef at = (*text)->root();
  while (at.is(JsonKind::kObject)) at = at.first_child();
  const std::string pointer = at.pointer();
  EXPECT_LT(pointer.size(), 1000U);
  EXPECT_TRUE(pointer.starts_with("...")) << pointer;
}

TEST(JsonText, Nesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse(nested(1000)));
  const auto text = parse(nested(1001));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, JsonFault::Kind::kNesting);
  EXPECT_EQ(text.error().offset, 100U + 1000);
  EXPECT_FALSE(parse(std::string(100'000, '[')));
}

TEST(JsonText, RefusesWhatIsNoJson) {
  constexpr std::string_view kTexts[] = {
      "",
      " ",
      "{",
      "}",
      "[1,]",
      "[1 2]",
      "{\"a\":1,}",
      "{\"a\"}",
      "{\"a\" 1}",
      "{a:1}",
      "[tru]",
      "[truex]",
      "[nul]",
      "[01]",
      "[1.]",
      "[.5]",
      "[+1]",
      "[1e]",
      "[-]",
      "[1x]",
      "[\"a]",
      "[\"\\x\"]",
      "[\"\t\"]",
      "[\"\xFF\"]",
      "[\"\\u12\"]",
      "{} {}",
      "[]]",
      "[}",
      "{\"a\":]",
      "[{]}",
      "[1:2]",
      "[\"a\":1]",
      "[NaN]",
      "[,1]",
      "{,}",
      "{1:2}",
      "[\"\\ud800\"]",
      "42",
      "\"a\"",
      "true",
      "{\"a\":1}x",
      "[1}",
  };
  for (const std::string_view text : kTexts) EXPECT_FALSE(parse(text)) << text;
}

// Random texts of few tokens: what is read is what the DOM parser of the same library reads, that
// validates all, but for numbers, of which it refuses those that its types cannot hold.
RC_GTEST_PROP(JsonText, AcceptsWhatIsJson, ()) {
  const auto tokens = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\\n\"", "1", "-2.5e3", "true", "null", " ", "\n"));
  std::string json = "[";
  for (const std::string& token : tokens) json += token;
  json += "]";
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const auto code = parser.parse(json).get(element);
  if (code == simdjson::NUMBER_ERROR) return;
  RC_ASSERT(parse(json).has_value() == (code == simdjson::SUCCESS));
}

// Damaging one byte of a text leaves JSON or not, as the DOM parser says.
RC_GTEST_PROP(JsonText, JudgesDamage, (std::uint8_t byte)) {
  std::string json =
      R"({"type":"structure","member-classes":[{"name":"a\u00e9","field-class":{"length":10}}],"x":[true,null,-1.5]})";
  json[*rc::gen::inRange<std::size_t>(0, json.size())] = static_cast<char>(byte);
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const bool valid = parser.parse(json).get(element) == simdjson::SUCCESS &&
                     (element.is_object() || element.is_array());
  RC_ASSERT(parse(json).has_value() == valid);
}

}  // namespace
}  // namespace tracedeck
