#include "tracedeck/base/leb128.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace tracedeck {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint8_t> encoded(std::uint64_t value) {
  std::array<std::uint8_t, kMaxLeb128Size> buffer;
  buffer.fill(0xAA);
  const auto size = encode_leb128(buffer.data(), value) - buffer.data();
  return {buffer.begin(), buffer.begin() + size};
}

struct Read {
  std::uint64_t value;
  std::size_t size;
  friend bool operator==(const Read&, const Read&) = default;
};

std::optional<Read> decoded(std::vector<std::uint8_t> bytes, std::uint8_t padding = 0) {
  bytes.resize(bytes.size() + 16, padding);
  const std::uint8_t* from = bytes.data();
  Read read{};
  if (!decode_leb128(from, read.value)) return std::nullopt;
  read.size = static_cast<std::size_t>(from - bytes.data());
  return read;
}

// One group at a time, as the definition says.
std::vector<std::uint8_t> encoded_plainly(std::uint64_t value) {
  std::vector<std::uint8_t> bytes;
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
  return bytes;
}

std::uint64_t any_width() {
  return *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64);
}

TEST(Leb128, EncodesKnownValues) {
  EXPECT_THAT(encoded(0), ElementsAre(0x00));
  EXPECT_THAT(encoded(1), ElementsAre(0x01));
  EXPECT_THAT(encoded(127), ElementsAre(0x7F));
  EXPECT_THAT(encoded(128), ElementsAre(0x80, 0x01));
  EXPECT_THAT(encoded(300), ElementsAre(0xAC, 0x02));
  EXPECT_THAT(encoded(16'383), ElementsAre(0xFF, 0x7F));
  EXPECT_THAT(encoded(16'384), ElementsAre(0x80, 0x80, 0x01));
  EXPECT_THAT(encoded(624'485), ElementsAre(0xE5, 0x8E, 0x26));
  EXPECT_THAT(encoded(std::uint64_t{1} << 56),
              ElementsAre(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
  EXPECT_THAT(encoded(kMax >> 1),
              ElementsAre(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F));
  EXPECT_THAT(encoded(kMax),
              ElementsAre(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01));
}

TEST(Leb128, EveryWidthRoundTrips) {
  for (int shift = 0; shift < 64; ++shift) {
    const std::uint64_t power = std::uint64_t{1} << shift;
    for (const std::uint64_t value : {power - 1, power, power + 1, power | kMax >> (63 - shift)}) {
      const std::vector<std::uint8_t> bytes = encoded(value);
      EXPECT_EQ(bytes, encoded_plainly(value)) << value;
      EXPECT_EQ(leb128_size(value), bytes.size()) << value;
      EXPECT_EQ(decoded(bytes), (Read{value, bytes.size()}));
    }
  }
}

TEST(Leb128, ReadsFormsLongerThanNeeded) {
  EXPECT_EQ(decoded({0x80, 0x00}), (Read{0, 2}));
  EXPECT_EQ(decoded({0x85, 0x80, 0x80, 0x00}), (Read{5, 4}));
  EXPECT_EQ(decoded({0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}), (Read{1, 9}));
  EXPECT_EQ(decoded({0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}), (Read{1, 10}));
}

TEST(Leb128, DropsBitsAbove64) {
  EXPECT_EQ(decoded({0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7E}), (Read{1, 10}));
  EXPECT_EQ(decoded({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}),
            (Read{kMax, 10}));
}

TEST(Leb128, RejectsElevenBytes) {
  EXPECT_EQ(decoded({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}),
            std::nullopt);
}

TEST(Leb128, ValueCutShortEndsBehindTheInput) {
  EXPECT_EQ(decoded({0x80}), (Read{0, 2}));
  EXPECT_EQ(decoded({0x80, 0x80, 0x80}), (Read{0, 4}));
}

RC_GTEST_PROP(Leb128, AgreesWithThePlainEncoding, ()) {
  const std::uint64_t value = any_width();
  const std::vector<std::uint8_t> bytes = encoded(value);
  RC_ASSERT(bytes == encoded_plainly(value));
  RC_ASSERT(leb128_size(value) == bytes.size());
  const auto padding = *rc::gen::arbitrary<std::uint8_t>();
  RC_ASSERT(decoded(bytes, padding) == std::optional(Read{value, bytes.size()}));
}

RC_GTEST_PROP(Leb128, ReadsAnyBytesAsTheDefinitionSays, ()) {
  auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(
      11, rc::gen::oneOf(rc::gen::inRange<std::uint8_t>(0x80, 0xFF),
                         rc::gen::arbitrary<std::uint8_t>()));
  std::optional<Read> expected;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < kMaxLeb128Size && !expected; ++i) {
    value |= (bytes[i] & std::uint64_t{0x7F}) << (7 * i);
    if (bytes[i] < 0x80) expected = Read{value, i + 1};
  }
  RC_ASSERT(decoded(bytes) == expected);
}

}  // namespace
}  // namespace tracedeck
