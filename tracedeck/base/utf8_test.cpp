#include "tracedeck/base/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tracedeck {
namespace {

using Bytes = std::vector<std::uint8_t>;

Utf8Step step_of(const Bytes& bytes) {
  return utf8_step(bytes.data(), bytes.data() + bytes.size());
}

// The bytes of a code point, by the definition of UTF-8 (table 3-6) and without any checks.
Bytes encode(char32_t code_point) {
  const auto byte = [](char32_t value) { return static_cast<std::uint8_t>(value); };
  const auto tail = [&](int shift) { return byte(0x80U | (code_point >> shift & 0x3FU)); };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) return {byte(0xC0U | code_point >> 6), tail(0)};
  if (code_point < 0x10000) return {byte(0xE0U | code_point >> 12), tail(6), tail(0)};
  return {byte(0xF0U | code_point >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryScalarValueIsOneStep) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    const Bytes bytes = encode(code_point);
    const Utf8Step step = step_of(bytes);
    ASSERT_EQ(step.valid, !surrogate) << static_cast<std::uint32_t>(code_point);
    if (surrogate) continue;
    ASSERT_EQ(step.length, bytes.size());
    ASSERT_EQ(step.code_point, code_point);
    ASSERT_TRUE(is_valid_utf8(bytes));
  }
}

// All sequences of up to three bytes: those that are valid are exactly the encodings of the scalar
// values below U+10000, counted; whatever is valid decodes to a code point that encodes to the
// same.
TEST(Utf8, ShortSequencesAreValidExactlyWhenTheyEncodeAScalarValue) {
  std::array<std::size_t, 4> valid = {};
  for (std::uint32_t value = 0; value < 0x1000000; ++value) {
    const std::array<std::uint8_t, 3> bytes = {static_cast<std::uint8_t>(value >> 16),
                                               static_cast<std::uint8_t>(value >> 8),
                                               static_cast<std::uint8_t>(value)};
    const Utf8Step step = utf8_step(bytes.data(), bytes.data() + bytes.size());
    if (!step.valid) continue;
    ASSERT_EQ(encode(step.code_point), Bytes(bytes.begin(), bytes.begin() + step.length));
    ++valid[step.length];
  }
  EXPECT_EQ(valid[1], 0x80U << 16);
  EXPECT_EQ(valid[2], (0x800U - 0x80U) << 8);
  EXPECT_EQ(valid[3], 0x10000U - 0x800U - 0x800U);  // without the surrogates
}

TEST(Utf8, FourByteSequencesAreBoundByTheirSecondByte) {
  EXPECT_FALSE(step_of({0xF0, 0x8F, 0xBF, 0xBF}).valid);  // overlong U+FFFF
  EXPECT_EQ(step_of({0xF0, 0x90, 0x80, 0x80}).code_point, U'\U00010000');
  EXPECT_EQ(step_of({0xF4, 0x8F, 0xBF, 0xBF}).code_point, U'\U0010FFFF');
  EXPECT_FALSE(step_of({0xF4, 0x90, 0x80, 0x80}).valid);  // U+110000
  for (int lead = 0xF5; lead <= 0xFF; ++lead) {
    EXPECT_FALSE(step_of({static_cast<std::uint8_t>(lead), 0x80, 0x80, 0x80}).valid);
    EXPECT_EQ(step_of({static_cast<std::uint8_t>(lead), 0x80, 0x80, 0x80}).length, 1U);
  }
}

// The Unicode Standard, tables 3-8 to 3-11: what becomes of ill-formed sequences.
TEST(Utf8, EachMaximalSubpartIsOneReplacement) {
  const std::string r(kReplacementCharacter);
  EXPECT_EQ(repaired_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(repaired_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(repaired_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(repaired_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, TruncatedSequencesAreOneReplacement) {
  const std::string r(kReplacementCharacter);
  EXPECT_EQ(repaired_utf8("a\xC3"), "a" + r);
  EXPECT_EQ(repaired_utf8("\xE2\x82"), r);
  EXPECT_EQ(repaired_utf8("\xF0\x9F\xA6"), r);
  EXPECT_EQ(repaired_utf8("\xF0\x9F\xA6z"), r + "z");
}

TEST(Utf8, ValidPrefixEndsWhereTheTextBreaks) {
  EXPECT_EQ(utf8_valid_prefix({}), 0U);
  EXPECT_EQ(utf8_valid_prefix(as_bytes("0123456789abcdef\xFFz")), 16U);
  EXPECT_EQ(utf8_valid_prefix(as_bytes("h\xC3\xA9llo, h\xC3\xA9llo, h\xC3")), 17U);
  EXPECT_TRUE(is_valid_utf8("\xF0\x9F\xA6\x80 and a good deal of ASCII after it"));
}

RC_GTEST_PROP(Utf8, StepsCoverAllBytesAndAgreeWithTheValidPrefix, (const std::string& text)) {
  const ByteSpan bytes = as_bytes(text);
  const std::uint8_t* const end = bytes.data() + bytes.size();
  std::optional<std::size_t> first_invalid;
  const std::uint8_t* at = bytes.data();
  while (at < end) {
    const Utf8Step step = utf8_step(at, end);
    RC_ASSERT(step.length >= 1U && step.length <= 4U);
    if (!step.valid && !first_invalid) first_invalid = static_cast<std::size_t>(at - bytes.data());
    at += step.length;
  }
  RC_ASSERT(at == end);
  RC_ASSERT(utf8_valid_prefix(bytes) == first_invalid.value_or(bytes.size()));
  RC_ASSERT(is_valid_utf8(repaired_utf8(text)));
}

}  // namespace
}  // namespace tracedeck
