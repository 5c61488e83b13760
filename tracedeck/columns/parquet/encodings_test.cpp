#include "tracedeck/columns/parquet/encodings.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/columns/parquet/encoded_test.hpp"

namespace tracedeck::parquet {
namespace {

std::string hybrid(const std::vector<std::uint32_t>& values, unsigned width) {
  std::string bytes;
  append_hybrid(bytes, values, width);
  return bytes;
}

template <class T>
std::string deltas(const std::vector<T>& values) {
  std::string bytes;
  append_deltas(bytes, std::span<const T>(values));
  return bytes;
}

// The example of Encodings.md: the numbers 0 to 7 in three bits each.
TEST(Hybrid, PacksAsTheFormatSays) {
  EXPECT_EQ(hybrid({0, 1, 2, 3, 4, 5, 6, 7}, 3), std::string("\x03\x88\xC6\xFA"));
}

TEST(Hybrid, WritesRunsOfEqualValues) {
  EXPECT_EQ(hybrid(std::vector<std::uint32_t>(100, 4), 3), std::string("\xC8\x01\x04"));
  EXPECT_EQ(hybrid({1}, 1), std::string("\x02\x01"));
  EXPECT_EQ(hybrid({}, 1), "");
  // Values of nine bits take two bytes in a run.
  EXPECT_EQ(hybrid(std::vector<std::uint32_t>(8, 257), 9), std::string("\x10\x01\x01"));
}

TEST(Hybrid, FillsTheGroupBeforeARun) {
  std::vector<std::uint32_t> values = {1, 0, 1};
  values.insert(values.end(), 50, 1);
  const std::string bytes = hybrid(values, 1);
  EXPECT_EQ(hybrid_values(bytes, 1, values.size()), values);
  // One group of eight, and a run of the 45 behind.
  EXPECT_EQ(bytes, std::string("\x03\xFD\x5A\x01"));
}

RC_GTEST_PROP(Hybrid, ComesBack, ()) {
  const auto width = *rc::gen::inRange(1U, 33U);
  const std::uint32_t largest = width == 32 ? ~0U : (1U << width) - 1;
  std::vector<std::uint32_t> values;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto value = *rc::gen::arbitrary<std::uint32_t>() & largest;
    values.insert(values.end(), *rc::gen::inRange<std::size_t>(1, 40), value);
  }
  RC_ASSERT(hybrid_values(hybrid(values, width), width, values.size()) == values);
}

// The examples of Encodings.md.
TEST(Deltas, AreWrittenAsTheFormatSays) {
  const std::string bytes = deltas<std::uint32_t>({1, 2, 3, 4, 5});
  // Block of 128, four miniblocks, five values, the first is 1; all deltas are 1, of no bits.
  EXPECT_EQ(bytes, std::string("\x80\x01\x04\x05\x02\x02\x00\x00\x00\x00", 10));
}

TEST(Deltas, HoldNoneAndOne) {
  EXPECT_EQ(deltas<std::uint64_t>({}), std::string("\x80\x01\x04\x00\x00", 5));
  EXPECT_EQ(deltas<std::uint64_t>({7}), std::string("\x80\x01\x04\x01\x0E", 5));
}

TEST(Deltas, WrapAtTheEnds) {
  const std::vector<std::uint64_t> wide = {0, ~std::uint64_t{0}, 0, std::uint64_t{1} << 63, 1};
  EXPECT_EQ(delta_values<std::uint64_t>(deltas(wide)), wide);
  const std::vector<std::uint32_t> narrow = {0, ~0U, 0, 1U << 31, 1};
  EXPECT_EQ(delta_values<std::uint32_t>(deltas(narrow)), narrow);
}

RC_GTEST_PROP(Deltas, ComeBack, ()) {
  std::vector<std::uint64_t> values;
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 400);
  const auto bits = *rc::gen::inRange(0U, 65U);
  std::uint64_t at = *rc::gen::arbitrary<std::uint64_t>();
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(at);
    const auto step = *rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
    at += bits == 64 ? step : step & ((std::uint64_t{1} << bits) - 1);
  }
  RC_ASSERT(delta_values<std::uint64_t>(deltas(values)) == values);
  const std::vector<std::uint32_t> narrow(values.begin(), values.end());
  RC_ASSERT(delta_values<std::uint32_t>(deltas(narrow)) == narrow);
}

TEST(BitWidth, IsThatOfTheLargest) {
  EXPECT_EQ(bit_width(0), 0U);
  EXPECT_EQ(bit_width(1), 1U);
  EXPECT_EQ(bit_width(255), 8U);
  EXPECT_EQ(bit_width(256), 9U);
}

}  // namespace
}  // namespace tracedeck::parquet
