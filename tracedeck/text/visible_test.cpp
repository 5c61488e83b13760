#include "tracedeck/text/visible.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck {
namespace {

std::string in_visible_quotes(std::string_view text) {
  TextBuffer out;
  append_visible_quoted(out, text);
  return std::string(out.view());
}

std::string name(std::string_view text) {
  TextBuffer out;
  append_visible_name(out, text);
  return std::string(out.view());
}

TEST(Visible, PrintableTextStays) {
  EXPECT_EQ(visible("plain, with \"quotes\" and \\"), "plain, with \"quotes\" and \\");
  EXPECT_EQ(visible("h\xC3\xA9llo \xF0\x9F\xA6\x80"), "h\xC3\xA9llo \xF0\x9F\xA6\x80");
}

TEST(Visible, ControlsAreEscaped) {
  EXPECT_EQ(visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible("\x1B[31mred"), "\\x1b[31mred");
  EXPECT_EQ(visible(std::string_view("\0\x7F", 2)), "\\x00\\x7f");
  EXPECT_EQ(visible("\xC2\x9B"), "\\u{9b}");
}

TEST(Visible, WhatReordersOrHidesTextIsEscaped) {
  EXPECT_EQ(visible("a\xE2\x80\xAE"), "a\\u{202e}");
  EXPECT_EQ(visible("\xEF\xBB\xBF"), "\\u{feff}");
  EXPECT_EQ(visible("a\xE2\x80\xA8z"), "a\\u{2028}z");
}

TEST(Visible, WhatShowsNothingIsEscaped) {
  EXPECT_EQ(visible("\u061C\u200E\u2066\u2069"), "\\u{61c}\\u{200e}\\u{2066}\\u{2069}");
  EXPECT_EQ(visible("a\U000E0041"), "a\\u{e0041}");          // a tag
  EXPECT_EQ(visible("\u3164\u115F"), "\\u{3164}\\u{115f}");  // letters without a glyph
  EXPECT_EQ(visible("\u180E\uFE00"), "\\u{180e}\\u{fe00}");
  EXPECT_EQ(visible("\u2764\uFE0F"), "\u2764\uFE0F");  // a heart as an emoji
}

TEST(Visible, InvalidBytesAreShownAsTheyAre) {
  EXPECT_EQ(visible("a\xFF\xE2\x82z"), "a\\xff\\xe2\\x82z");
  EXPECT_EQ(visible("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

TEST(Visible, QuotedTextIsUnambiguous) {
  EXPECT_EQ(in_visible_quotes(""), "\"\"");
  EXPECT_EQ(in_visible_quotes("say \"\\n\""), R"("say \"\\n\"")");
  EXPECT_EQ(in_visible_quotes("\n"), R"("\n")");
}

TEST(Visible, NamesAreQuotedWhenTheyLookLikeNone) {
  EXPECT_EQ(name("worker_id"), "worker_id");
  EXPECT_EQ(name("SpanEnter:tokio::task/x-1.0"), "SpanEnter:tokio::task/x-1.0");
  EXPECT_EQ(name("two words"), "\"two words\"");
  EXPECT_EQ(name("a=b"), "\"a=b\"");
  EXPECT_EQ(name(""), "\"\"");
}

TEST(Visible, ColumnsAreThoseOfATerminal) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("h\xC3\xA9"), 2U);
  EXPECT_EQ(columns_of("\xE6\x97\xA5\xE6\x9C\xAC"), 4U);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1U);  // e with a combining acute accent
  TextBuffer out;
  EXPECT_EQ(append_visible(out, "\x1B\xE6\x97\xA5"), 6U);
  EXPECT_EQ(append_visible_quoted(out, "\""), 4U);
}

RC_GTEST_PROP(Visible, NothingHarmfulGetsThroughAndColumnsAddUp, (const std::string& text)) {
  TextBuffer out;
  const std::size_t columns = append_visible_quoted(out, text);
  const std::string shown(out.view());
  RC_ASSERT(is_valid_utf8(shown));
  RC_ASSERT(columns == columns_of(shown));
  RC_ASSERT(visible(shown) == shown);
}

}  // namespace
}  // namespace tracedeck
