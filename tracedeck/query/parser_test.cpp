#include "tracedeck/query/parser.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tracedeck/query/path_parser.hpp"

namespace tracedeck::query {
namespace {

using testing::HasSubstr;

std::string to_text(const Literal& literal) {
  if (const auto* const boolean = std::get_if<bool>(&literal)) return *boolean ? "true" : "false";
  if (const auto* const integer = std::get_if<Integer>(&literal))
    return Nanoseconds::from_unsigned(integer->magnitude, integer->negative).to_string();
  if (const auto* const real = std::get_if<double>(&literal)) return fmt::format("{}r", *real);
  if (const auto* const text = std::get_if<std::string>(&literal))
    return fmt::format("\"{}\"", *text);
  const auto& pattern = std::get<Pattern>(literal);
  return fmt::format("/{}/{}", pattern.text, pattern.ignores_case ? "i" : "");
}

// As a list in prefix notation.
std::string to_text(const Expression& expression) {
  static const std::map<Operator, std::string> kNames = {
      {Operator::kAnd, "and"},
      {Operator::kOr, "or"},
      {Operator::kNot, "not"},
      {Operator::kEqual, "=="},
      {Operator::kNotEqual, "!="},
      {Operator::kLess, "<"},
      {Operator::kLessOrEqual, "<="},
      {Operator::kGreater, ">"},
      {Operator::kGreaterOrEqual, ">="},
      {Operator::kMatches, "=~"},
      {Operator::kGlob, "glob"},
      {Operator::kContains, "contains"},
      {Operator::kIn, "in"},
      {Operator::kRange, ".."},
      {Operator::kAdd, "+"},
      {Operator::kSubtract, "-"},
      {Operator::kMultiply, "*"},
      {Operator::kDivide, "/"},
      {Operator::kRemainder, "%"},
      {Operator::kBitAnd, "&"},
      {Operator::kBitOr, "|"},
      {Operator::kBitXor, "^"},
      {Operator::kShiftLeft, "<<"},
      {Operator::kShiftRight, ">>"},
      {Operator::kCoalesce, "??"},
      {Operator::kNegate, "neg"},
      {Operator::kComplement, "~"},
      {Operator::kHas, "has"},
      {Operator::kLength, "len"},
      {Operator::kAny, "any"},
      {Operator::kAll, "all"},
      {Operator::kLower, "lower"},
      {Operator::kAbsolute, "abs"},
      {Operator::kLabel, "label"},
  };
  if (expression.operation == Operator::kLiteral) return to_text(expression.literal);
  if (expression.operation == Operator::kPath) return to_string(expression.path);
  std::string text = "(" + kNames.at(expression.operation);
  for (const ExpressionPtr& operand : expression.operands) text += " " + to_text(*operand);
  return text + ")";
}

std::string parsed(std::string_view text) {
  const auto expression = parse_expression(text);
  return expression ? to_text(**expression) : "ERROR: " + expression.error().message;
}

TEST(Parser, KnowsNumbersAndUnits) {
  EXPECT_EQ(parsed("5ms"), "5000000");
  EXPECT_EQ(parsed("2min"), "120000000000");
  EXPECT_EQ(parsed("2m"), "120000000000");
  EXPECT_EQ(parsed("1.5us"), "1500");
  EXPECT_EQ(parsed("2MiB"), "2097152");
  EXPECT_EQ(parsed("1_000"), "1000");
  EXPECT_EQ(parsed("0x1f"), "31");
  EXPECT_EQ(parsed("0b101"), "5");
  EXPECT_EQ(parsed("1.5"), "1.5r");
  EXPECT_EQ(parsed("1.0"), "1r");
  EXPECT_EQ(parsed("2e3"), "2000r");
  EXPECT_EQ(parsed("1.5ns"), "1.5r");
  EXPECT_EQ(parsed("340282366920938463463374607431768211455"),
            "340282366920938463463374607431768211455");
  EXPECT_THAT(parsed("340282366920938463463374607431768211456"), HasSubstr("at most 2^128-1"));
  EXPECT_THAT(parsed("0x100000000000000000000000000000000"), HasSubstr("at most 2^128-1"));
  EXPECT_THAT(parsed("1e999"), HasSubstr("beyond the range"));
  EXPECT_THAT(parsed("5mss"), HasSubstr("`mss` is no unit"));
  EXPECT_THAT(parsed("0x"), HasSubstr("digits are wanted"));
}

TEST(Parser, KnowsTextsAndPatterns) {
  EXPECT_EQ(parsed(R"("a\tb\x41\"")"), "\"a\tbA\"\"");
  EXPECT_EQ(parsed("'it''"), "ERROR: the text has no closing quote\n    'it''\n        ^");
  EXPECT_EQ(parsed(R"(x =~ /a\/b\d/i)"), R"((=~ x /a/b\d/i))");
  EXPECT_EQ(parsed("a / b / c"), "(/ (/ a b) c)");
  EXPECT_THAT(parsed(R"("\q")"), HasSubstr("no such escape"));
  EXPECT_THAT(parsed("x =~ \"a\""), HasSubstr("a pattern is wanted"));
  EXPECT_THAT(parsed("x =~ \"a\""), HasSubstr("stands behind `~`"));
  EXPECT_EQ(parsed("x !~ \"a*\""), "(not (glob x \"a*\"))");
  EXPECT_THAT(parsed("x !~ y"), HasSubstr("or a glob"));
  EXPECT_THAT(parsed("x == /a/"), HasSubstr("a pattern stands behind"));
  EXPECT_THAT(parsed("x =~ /a/x"), HasSubstr("only `i`"));
}

TEST(Parser, BindsOperatorsByTheirStrength) {
  EXPECT_EQ(parsed("a || b && !c == 1"), "(or a (and b (not (== c 1))))");
  EXPECT_EQ(parsed("a or b or c"), "(or a b c)");
  EXPECT_EQ(parsed("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(parsed("-a ?? 1 > 3"), "(> (neg (?? a 1)) 3)");
  EXPECT_EQ(parsed("~a & 3 == 1"), "(== (& (~ a) 3) 1)");
  EXPECT_EQ(parsed("(a | 3) << 2"), "(<< (| a 3) 2)");
  EXPECT_EQ(parsed("x not in [1, 3..5, \"a\"]"), "(not (in x 1 (.. 3 5) \"a\"))");
  EXPECT_EQ(parsed("x !~ /a/"), "(not (=~ x /a/))");
  EXPECT_EQ(parsed("x ~ \"a*\" and not y contains 'b'"),
            "(and (glob x \"a*\") (not (contains y \"b\")))");
}

TEST(Parser, KnowsPaths) {
  EXPECT_EQ(parsed("a.b[0].c[-1][\"odd key\"]"), "a.b[0].c[-1][\"odd key\"]");
  EXPECT_EQ(parsed(".name"), ".name");
  EXPECT_EQ(parsed("fields.name"), ".name");
  EXPECT_EQ(parsed("name"), "name");
  EXPECT_EQ(parsed("context.specific.pid"), "specific.pid");
  EXPECT_EQ(parsed("$ctx.vpid"), "$ctx.vpid");
  EXPECT_EQ(parsed("stream.id == 3"), "(== stream.id 3)");
  EXPECT_EQ(parsed("len > 3"), "(> len 3)");
  EXPECT_EQ(parsed("any(sizes[*].x > 4 && sizes[*].y < 2)"),
            "(any (and (> sizes[*].x 4) (< sizes[*].y 2)))");
  EXPECT_THAT(parsed("event > 3"), HasSubstr("write `.event`"));
  EXPECT_THAT(parsed("time.x"), HasSubstr("holds no fields"));
  EXPECT_THAT(parsed("a[*]"), HasSubstr("any() and all() only"));
  EXPECT_THAT(parsed("any(a[*] > b[*])"), HasSubstr("one array"));
  EXPECT_THAT(parsed("any(a > 3)"), HasSubstr("wants a path with [*]"));
  EXPECT_THAT(parsed("any(all(a[*] > 3))"), HasSubstr("do not nest"));
  EXPECT_THAT(parsed("has(3)"), HasSubstr("asks for one field"));
}

TEST(Parser, PointsAtWhatIsWrong) {
  EXPECT_EQ(parsed("depth = 3"),
            "ERROR: `=` is no comparison; write `==`\n    depth = 3\n          ^");
  EXPECT_EQ(parsed("worker == 1 | depth"),
            "ERROR: `|` is bitwise-or inside parentheses only; write `||`, or parentheses\n"
            "    worker == 1 | depth\n                ^");
  EXPECT_THAT(parsed("hex(x) == 1"),
              HasSubstr("`hex` is no function; there are has, len, any, all, lower, abs, label, "
                        "symbol, stack, inside\n    hex(x) == 1\n    ^^^"));
  EXPECT_THAT(parsed("a.b(x)"), HasSubstr("`a.b` is no function"));
  EXPECT_THAT(parsed("max(x) > 1"), HasSubstr("`max` is an aggregate"));
  EXPECT_EQ(parsed("max > p99.x"), "(> max p99.x)");
  EXPECT_THAT(parsed(""), HasSubstr("empty"));
  EXPECT_THAT(parsed("a &&"), HasSubstr("ends where a value is wanted"));
  EXPECT_THAT(parsed("a < b < c"), HasSubstr("do not chain"));
  EXPECT_THAT(parsed("(a"), HasSubstr("no `)` closes"));
  EXPECT_THAT(parsed("a b"), HasSubstr("an operator is wanted, not `b`"));
  EXPECT_THAT(parsed("a in 3"), HasSubstr("a list is wanted"));
  EXPECT_THAT(parsed("\x01"), HasSubstr("no such character"));
  EXPECT_EQ(parsed("ä == 3 &&\n  b = 1"),
            "ERROR: `=` is no comparison; write `==`\n      b = 1\n        ^");
}

TEST(Parser, MarksWhereALongLineIsCut) {
  const std::string front = std::string(70, 'a') + " == 1 && ";
  const std::string error = parsed(front + "b = 2 && " + std::string(70, 'c'));
  EXPECT_THAT(error, HasSubstr("\n    ..." + front.substr(front.size() + 2 - 60) + "b = 2 && c"));
  EXPECT_THAT(error, HasSubstr("cc...\n" + std::string(4 + 3 + 60, ' ') + "^"));
}

TEST(Parser, BoundsNestingAndTakesLongChains) {
  const auto repeated = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  EXPECT_THAT(parsed(repeated("(", 100'000)), HasSubstr("nested more than"));
  EXPECT_THAT(parsed(repeated("!", 100'000) + "a"), HasSubstr("nested more than"));
  EXPECT_THAT(parsed(repeated("-", 100'000) + "a"), HasSubstr("nested more than"));
  EXPECT_THAT(parsed("1" + repeated("+1", 100'000)), HasSubstr("nested more than"));
  EXPECT_TRUE(parse_expression("a" + repeated(" || a", 100'000)));
  EXPECT_TRUE(parse_expression("a in [1" + repeated(",1", 100'000) + "]"));
  EXPECT_FALSE(parse_expression(std::string(kMaxTextSize + 1, ' ')));
}

}  // namespace
}  // namespace tracedeck::query
