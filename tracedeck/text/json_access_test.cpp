#include "tracedeck/text/json_access.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tracedeck {
namespace {

std::shared_ptr<const JsonText> parsed(std::string_view json) {
  JsonParser parser;
  return parser.parse(as_bytes(json), 0, 1).value();
}

std::optional<Integer> integer(const std::string& digits) {
  return json_integer(parsed("[" + digits + "]")->root().first_child());
}

TEST(JsonAccess, FindsTheFirstChildOfAName) {
  const auto text = parsed(R"({"a": 1, "b": [1, 2], "a": 3})");
  EXPECT_EQ(find_child(text->root(), "a").raw(), "1");
  EXPECT_EQ(count_children(find_child(text->root(), "b")), 2U);
  EXPECT_FALSE(find_child(text->root(), "c"));
  EXPECT_EQ(count_children(text->root()), 3U);
}

TEST(JsonAccess, ReadsIntegersThat128BitsHold) {
  EXPECT_EQ(integer("0"), Integer(0));
  EXPECT_EQ(integer("340282366920938463463374607431768211455"), Integer(~Uint128{0}, false));
  EXPECT_FALSE(integer("340282366920938463463374607431768211456"));
  EXPECT_EQ(integer("-170141183460469231731687303715884105728"), Integer(Uint128{1} << 127U, true));
  EXPECT_FALSE(integer("-170141183460469231731687303715884105729"));
  EXPECT_FALSE(integer("1000000000000000000000000000000000000000"));
  EXPECT_TRUE(is_json_integer(parsed("[-7]")->root().first_child()));
  EXPECT_FALSE(is_json_integer(parsed("[7.0]")->root().first_child()));
  EXPECT_FALSE(is_json_integer(parsed(R"(["7"])")->root().first_child()));
}

TEST(JsonAccess, QuotesWhatIsShort) {
  EXPECT_EQ(quoted(parsed("[[]]")->root().first_child()), "an array");
  EXPECT_EQ(quoted(parsed(R"(["x"])")->root().first_child()), R"("x")");
  const std::string longer(100, 'x');
  EXPECT_EQ(quoted(parsed("[\"" + longer + "\"]")->root().first_child()),
            "\"" + longer.substr(0, 59) + "...");
}

}  // namespace
}  // namespace tracedeck
