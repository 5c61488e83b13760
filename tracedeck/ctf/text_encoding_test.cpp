#include "tracedeck/ctf/text_encoding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracedeck::ctf {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string utf8(TextEncoding encoding, const Bytes& bytes) {
  std::string text(most_utf8_size(bytes.size(), encoding), '#');
  text.resize(to_utf8(bytes, encoding, reinterpret_cast<std::uint8_t*>(text.data())));
  return text;
}

TEST(TextEncoding, CodeUnits) {
  EXPECT_EQ(code_unit_size(TextEncoding::kUtf8), 1U);
  EXPECT_EQ(code_unit_size(TextEncoding::kUtf16Le), 2U);
  EXPECT_EQ(code_unit_size(TextEncoding::kUtf16Be), 2U);
  EXPECT_EQ(code_unit_size(TextEncoding::kUtf32Le), 4U);
  EXPECT_EQ(code_unit_size(TextEncoding::kUtf32Be), 4U);
}

TEST(TextEncoding, FindsTheTerminator) {
  EXPECT_EQ(find_terminator({}, 1), 0U);
  EXPECT_EQ(find_terminator(Bytes{'a', 'b', 0, 0}, 1), 2U);
  EXPECT_EQ(find_terminator(Bytes{'a', 'b'}, 1), 2U);
  // A code unit, not zero bytes of two of them.
  EXPECT_EQ(find_terminator(Bytes{'a', 0, 0, 'b', 0, 0}, 2), 4U);
  EXPECT_EQ(find_terminator(Bytes{'a', 0, 0}, 2), 3U);
  EXPECT_EQ(find_terminator(Bytes{0, 0, 0, 'b', 0, 0, 0, 0}, 4), 4U);
  EXPECT_EQ(find_terminator(Bytes{0, 0, 0}, 4), 3U);
}

TEST(TextEncoding, Utf16) {
  EXPECT_EQ(utf8(TextEncoding::kUtf16Be, {0x00, 'a', 0x00, 0xE9, 0x20, 0xAC}),
            "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(utf8(TextEncoding::kUtf16Le, {'a', 0x00, 0xE9, 0x00, 0xAC, 0x20}),
            "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(utf8(TextEncoding::kUtf16Be, {0xD8, 0x3D, 0xDE, 0x00}), "\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8(TextEncoding::kUtf16Le, {0xFF, 0xDB, 0xFF, 0xDF}), "\xF4\x8F\xBF\xBF");
}

TEST(TextEncoding, Utf32) {
  EXPECT_EQ(utf8(TextEncoding::kUtf32Be, {0, 1, 0xF6, 0x00}), "\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8(TextEncoding::kUtf32Le, {0x00, 0xF6, 1, 0, 'a', 0, 0, 0}),
            "\xF0\x9F\x98\x80"
            "a");
}

TEST(TextEncoding, WhatIsNotValidIsReplaced) {
  const std::string replacement = "\xEF\xBF\xBD";
  // Surrogates alone, in the wrong order, and at the end.
  EXPECT_EQ(utf8(TextEncoding::kUtf16Be, {0xD8, 0x3D, 0x00, 'a'}), replacement + "a");
  EXPECT_EQ(utf8(TextEncoding::kUtf16Be, {0xDE, 0x00, 0xD8, 0x3D}), replacement + replacement);
  EXPECT_EQ(utf8(TextEncoding::kUtf32Be, {0x00, 0x00, 0xD8, 0x00}), replacement);
  EXPECT_EQ(utf8(TextEncoding::kUtf32Be, {0x00, 0x11, 0x00, 0x00}), replacement);
  EXPECT_EQ(utf8(TextEncoding::kUtf32Be, {0xFF, 0xFF, 0xFF, 0xFF}), replacement);
  // Half a code unit.
  EXPECT_EQ(utf8(TextEncoding::kUtf16Le, {'a', 0x00, 'b'}), "a" + replacement);
}

TEST(TextEncoding, TheRoomIsEnough) {
  for (std::size_t size = 0; size < 12; ++size) {
    const Bytes bytes(size, 0xFF);
    for (const TextEncoding encoding : {TextEncoding::kUtf16Le, TextEncoding::kUtf32Be})
      EXPECT_LE(utf8(encoding, bytes).size(), most_utf8_size(size, encoding));
  }
}

Bytes encoded(std::string_view text, TextEncoding encoding) {
  const std::string made = from_utf8(text, encoding);
  return {made.begin(), made.end()};
}

TEST(TextEncoding, FromUtf8) {
  const std::string_view text = "a\xF0\x9F\x98\x80";
  EXPECT_EQ(encoded(text, TextEncoding::kUtf16Be), (Bytes{0, 'a', 0xD8, 0x3D, 0xDE, 0x00}));
  EXPECT_EQ(encoded(text, TextEncoding::kUtf16Le), (Bytes{'a', 0, 0x3D, 0xD8, 0x00, 0xDE}));
  EXPECT_EQ(encoded(text, TextEncoding::kUtf32Be), (Bytes{0, 0, 0, 'a', 0, 1, 0xF6, 0x00}));
  EXPECT_EQ(encoded(text, TextEncoding::kUtf32Le), (Bytes{'a', 0, 0, 0, 0x00, 0xF6, 1, 0}));
  // What is not valid is replaced, once for each part that could have become a character.
  EXPECT_EQ(encoded("\xF0\x9F", TextEncoding::kUtf16Be), (Bytes{0xFF, 0xFD}));
  EXPECT_EQ(encoded("", TextEncoding::kUtf16Be), Bytes());
}

}  // namespace
}  // namespace tracedeck::ctf
