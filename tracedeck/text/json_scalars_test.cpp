#include "tracedeck/text/json_scalars.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tracedeck {
namespace {

std::string json_string(std::string_view text) {
  TextBuffer out;
  append_json_string(out, text);
  return std::string(out.view());
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

bool is_kept(std::string_view text) {
  TextBuffer out;
  return append_json_string(out, text);
}

std::string json_real(double value) {
  TextBuffer out;
  append_json_real(out, value);
  return std::string(out.view());
}

std::string base64(std::string_view bytes) {
  TextBuffer out;
  append_json_base64(out, as_bytes(bytes));
  return std::string(out.view());
}

TEST(JsonString, AsciiStandsForItself) {
  EXPECT_EQ(json_string(""), "\"\"");
  std::string printable;
  for (char c = 0x20; c < 0x7F; ++c) {
    if (c != '"' && c != '\\') printable += c;
  }
  EXPECT_EQ(json_string(printable), in_quotes(printable));
}

TEST(JsonString, QuotesAndBackslashesAreEscaped) {
  EXPECT_EQ(json_string("\""), R"("\"")");
  EXPECT_EQ(json_string("\\"), R"("\\")");
  EXPECT_EQ(json_string("C:\\dir \"x\""), R"("C:\\dir \"x\"")");
}

TEST(JsonString, EveryControlCharacterIsEscaped) {
  const std::vector<std::string> expected = {
      "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
      "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
      "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
      "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto character = static_cast<char>(i);
    EXPECT_EQ(json_string({&character, 1}), in_quotes(expected[i]));
    // The same where eight characters are looked at together.
    const std::string within = fmt::format("abcdefghijk{}lmnopqrstuvwxyz", character);
    EXPECT_EQ(json_string(within),
              in_quotes(fmt::format("abcdefghijk{}lmnopqrstuvwxyz", expected[i])));
  }
  EXPECT_EQ(json_string("\x7F"), R"("\u007f")");
  EXPECT_EQ(json_string("12345678\x7F"), R"("12345678\u007f")");
}

TEST(JsonString, TerminalControlsBeyondAsciiAreEscaped) {
  EXPECT_EQ(json_string("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), "\"\\u0080\\u009b\\u009f\xC2\xA0\"");
}

TEST(JsonString, EveryPlaceInARunOfEightIsLookedAt) {
  for (std::size_t place = 0; place < 24; ++place) {
    std::string text(24, 'a');
    text[place] = '"';
    std::string expected = text;
    expected.insert(place, 1, '\\');
    EXPECT_EQ(json_string(text), in_quotes(expected));
  }
}

TEST(JsonString, Utf8IsKept) {
  const std::string text = "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80 \xE6\x97\xA5\xE6\x9C\xAC";
  EXPECT_EQ(json_string(text), in_quotes(text));
  EXPECT_TRUE(is_kept(text));
}

TEST(JsonString, EachMaximalInvalidSequenceIsReplaced) {
  EXPECT_EQ(json_string("\xFF"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("a\xE2\x82"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xE2\x82z"), "\"\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_string("\xED\xA0\x80"),
            "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  EXPECT_EQ(json_string("\xF0\x9F\x98"), "\"\xEF\xBF\xBD\"");
  EXPECT_FALSE(is_kept("ok\xFF"));
}

TEST(JsonString, SequencesAcrossTheInnerChunksStayWhole) {
  for (std::size_t before = 4090; before < 4100; ++before) {
    const std::string text =
        std::string(before, 'a') + "\xF0\x9F\x98\x80" + std::string(5000, 'b') + "\"";
    const std::string expected =
        std::string(before, 'a') + "\xF0\x9F\x98\x80" + std::string(5000, 'b') + "\\\"";
    EXPECT_EQ(json_string(text), in_quotes(expected));
  }
}

TEST(JsonReal, SpecialValuesAreStrings) {
  EXPECT_EQ(json_real(std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(json_real(-std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(json_real(std::numeric_limits<double>::infinity()), "\"Infinity\"");
  EXPECT_EQ(json_real(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
  EXPECT_EQ(json_real(-0.0), "-0.0");
}

// RFC 4648, section 10.
TEST(JsonBase64, TestVectors) {
  EXPECT_EQ(base64(""), "\"\"");
  EXPECT_EQ(base64("f"), "\"Zg==\"");
  EXPECT_EQ(base64("fo"), "\"Zm8=\"");
  EXPECT_EQ(base64("foo"), "\"Zm9v\"");
  EXPECT_EQ(base64("foob"), "\"Zm9vYg==\"");
  EXPECT_EQ(base64("fooba"), "\"Zm9vYmE=\"");
  EXPECT_EQ(base64("foobar"), "\"Zm9vYmFy\"");
  EXPECT_EQ(base64("\xFB\xEF\xFF"), "\"++//\"");
}

}  // namespace
}  // namespace tracedeck
