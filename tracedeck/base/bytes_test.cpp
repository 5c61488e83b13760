#include "tracedeck/base/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tracedeck/base/padded_bytes.hpp"

namespace tracedeck {
namespace {

constexpr std::array<std::uint8_t, 9> kBytes = {0xFF, 0x01, 0x02, 0x03, 0x04,
                                                0x05, 0x06, 0x07, 0x88};

// All loads are from an odd address.
TEST(Bytes, LoadsInBothByteOrders) {
  const std::uint8_t* const from = kBytes.data() + 1;
  EXPECT_EQ(load_le<std::uint8_t>(from), 0x01);
  EXPECT_EQ(load_le<std::uint16_t>(from), 0x0201);
  EXPECT_EQ(load_le<std::uint32_t>(from), 0x04030201U);
  EXPECT_EQ(load_le<std::uint64_t>(from), 0x8807060504030201U);
  EXPECT_EQ(load_be<std::uint8_t>(from), 0x01);
  EXPECT_EQ(load_be<std::uint16_t>(from), 0x0102);
  EXPECT_EQ(load_be<std::uint32_t>(from), 0x01020304U);
  EXPECT_EQ(load_be<std::uint64_t>(from), 0x0102030405060788U);
}

TEST(Bytes, StoresInBothByteOrders) {
  std::array<std::uint8_t, 9> bytes{};
  store_le<std::uint64_t>(bytes.data() + 1, 0x8807060504030201U);
  EXPECT_TRUE(std::equal(bytes.begin() + 1, bytes.end(), kBytes.begin() + 1));
  store_be<std::uint32_t>(bytes.data() + 1, 0xA1A2A3A4U);
  store_be<std::uint16_t>(bytes.data() + 5, 0xB1B2);
  store_le<std::uint16_t>(bytes.data() + 7, 0xC1C2);
  EXPECT_EQ(bytes,
            (std::array<std::uint8_t, 9>{0, 0xA1, 0xA2, 0xA3, 0xA4, 0xB1, 0xB2, 0xC2, 0xC1}));
}

TEST(Bytes, SwapsEveryWidth) {
  EXPECT_EQ(byte_swap(std::uint8_t{0x12}), 0x12);
  EXPECT_EQ(byte_swap(std::uint16_t{0x1234}), 0x3412);
  EXPECT_EQ(byte_swap(std::uint32_t{0x12345678}), 0x78563412U);
  EXPECT_EQ(byte_swap(std::uint64_t{0x0123456789ABCDEF}), 0xEFCDAB8967452301U);
}

TEST(Bytes, TextAndBytesAreTheSame) {
  const std::string text("a\0\xFF", 3);
  const ByteSpan bytes = as_bytes(text);
  ASSERT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes[2], 0xFF);
  EXPECT_EQ(as_text(bytes), text);
  EXPECT_EQ(as_text({}), "");
}

TEST(PaddedBytes, AreACopyFollowedByZeros) {
  std::array<std::uint8_t, 3> source = {7, 8, 9};
  const PaddedBytes padded(source);
  source.fill(0);
  const PaddedView view = padded.view();
  ASSERT_EQ(view.size, 3U);
  EXPECT_EQ(view.data[2], 9);
  EXPECT_TRUE(std::all_of(view.data + 3, view.data + 3 + kPadding,
                          [](std::uint8_t byte) { return byte == 0; }));
  EXPECT_EQ(PaddedBytes().view().size, 0U);
  EXPECT_EQ(PaddedBytes().view().span().size(), 0U);
}

}  // namespace
}  // namespace tracedeck
