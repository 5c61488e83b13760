#include "tracedeck/ctf/write/placed_role.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace tracedeck::ctf {
namespace {

PlacedRole fixed(std::uint64_t begin, std::uint64_t width, ByteOrder order,
                 Role role = Role::kClock, std::uint64_t value = 0) {
  return {
      .roles = role_bit(role), .byte_order = order, .begin = begin, .width = width, .value = value};
}

std::vector<std::uint8_t> bytes_written(const BitWriter& bits) {
  return {bits.bytes().begin(), bits.bytes().end()};
}

// What was there before stays around the new value.
RC_GTEST_PROP(PlacedRole, IsPutAsTheWriterPutsIt,
              (std::uint8_t before, std::uint64_t value, bool big)) {
  const auto width = *rc::gen::inRange<std::uint32_t>(1, 65);
  const auto at = *rc::gen::inRange<std::uint32_t>(0, 9);
  const ByteOrder order = big ? ByteOrder::kBig : ByteOrder::kLittle;
  const std::uint64_t fitting = width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  const auto put = [&](BitWriter& bits, std::uint64_t field) {
    if (at != 0) bits.put(before & ((1U << at) - 1), at, order);
    bits.put(field, width, order);
    bits.put(before & 0x1fU, 5, order);
  };
  BitWriter wanted;
  put(wanted, fitting);
  BitWriter bits;
  put(bits, ~std::uint64_t{0} >> (64 - width));
  RC_ASSERT(put_again(bits, fixed(at, width, order), fitting));
  RC_ASSERT(bytes_written(bits) == bytes_written(wanted));
}

TEST(PlacedRole, RefusesWhatDoesNotFit) {
  BitWriter bits;
  bits.put(0, 16, ByteOrder::kLittle);
  EXPECT_FALSE(put_again(bits, fixed(0, 8, ByteOrder::kLittle), 0x100));
  EXPECT_EQ(bytes_written(bits), (std::vector<std::uint8_t>{0, 0}));
  put_low_bits_again(bits, fixed(0, 8, ByteOrder::kLittle), 0x1ab);
  EXPECT_EQ(bytes_written(bits), (std::vector<std::uint8_t>{0xab, 0}));
}

// A value keeps the bytes that LEB128 had for another.
TEST(PlacedRole, Leb128KeepsItsSize) {
  BitWriter bits;
  for (int i = 0; i < 3; ++i) bits.put_byte(0xff);
  const PlacedRole place{.roles = role_bit(Role::kTotalSize), .is_leb128 = true, .width = 24};
  EXPECT_TRUE(put_again(bits, place, 300));
  EXPECT_EQ(bytes_written(bits), (std::vector<std::uint8_t>{0xac, 0x82, 0x00}));
  EXPECT_TRUE(put_again(bits, place, 0x1f'ffff));
  EXPECT_FALSE(put_again(bits, place, 0x20'0000));
  EXPECT_EQ(bytes_written(bits), (std::vector<std::uint8_t>{0xff, 0xff, 0x7f}));
}

TEST(PlacedRole, BitsInTheOtherOrder) {
  BitWriter bits;
  bits.put(0, 8, ByteOrder::kLittle);
  PlacedRole place = fixed(0, 8, ByteOrder::kLittle);
  place.reversed = true;
  EXPECT_TRUE(put_again(bits, place, 0b0000'0011));
  EXPECT_EQ(bytes_written(bits), (std::vector<std::uint8_t>{0b1100'0000}));
}

// clk-val-update: a value of fewer bits than the clock goes round.
TEST(PlacedRole, ClockOfAReader) {
  const auto time = [](std::uint64_t width, std::uint64_t value) {
    return fixed(0, width, ByteOrder::kLittle, Role::kClock, value);
  };
  EXPECT_EQ(clock_after({}, 7), 7U);
  EXPECT_EQ(clock_after(std::vector{time(8, 0x20)}, 0x110), 0x120U);
  EXPECT_EQ(clock_after(std::vector{time(8, 0x05)}, 0x110), 0x205U);
  EXPECT_EQ(clock_after(std::vector{time(64, 3)}, 0x110), 3U);
  EXPECT_EQ(clock_after(std::vector{time(8, 0x05), time(8, 0x06)}, 0x110), 0x206U);
  EXPECT_EQ(clock_after(std::vector{fixed(0, 8, ByteOrder::kLittle, Role::kEventClassId, 9)}, 1),
            1U);
}

}  // namespace
}  // namespace tracedeck::ctf
