#include "tracedeck/ctf/write/integer_bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tracedeck::ctf {
namespace {

using Bytes = std::vector<std::uint8_t>;

Slot wide(SlotKind kind, const Bytes& bytes) {
  return bytes_slot(kind, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

Bytes put(const Slot& slot, std::uint32_t width, ByteOrder order, bool reversed) {
  BitWriter out;
  put_wide(out, IntegerBytes(slot), width, order, reversed);
  return {out.bytes().begin(), out.bytes().end()};
}

TEST(IntegerBytes, GoesOnByItsSign) {
  const Slot minus_two = signed_slot(-2);
  const IntegerBytes value(minus_two);
  EXPECT_EQ(value[0], 0xFE);
  EXPECT_EQ(value[7], 0xFF);
  EXPECT_EQ(value[100], 0xFF);
  const Slot large = unsigned_slot(~std::uint64_t{0});
  EXPECT_EQ(IntegerBytes(large)[8], 0);
  EXPECT_EQ(IntegerBytes(large).low(), ~std::uint64_t{0});
}

TEST(IntegerBytes, PackedBytesAreSignedWhenTheirClassIs) {
  const Bytes bytes = {0x01, 0x80};
  const Slot array = packed_slot(PackedElement::kU8, bytes.data(), 2);
  EXPECT_EQ(IntegerBytes(array, true).low(), 0xFFFF'FFFF'FFFF'8001U);
  EXPECT_EQ(IntegerBytes(array, false).low(), 0x8001U);
}

TEST(IntegerBytes, Fits) {
  const Slot minus_eight = signed_slot(-8);
  EXPECT_TRUE(IntegerBytes(minus_eight).fits(4, true));
  EXPECT_FALSE(IntegerBytes(minus_eight).fits(3, true));
  EXPECT_FALSE(IntegerBytes(minus_eight).fits(64, false));
  const Bytes bytes = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_TRUE(IntegerBytes(wide(SlotKind::kWideUnsigned, bytes)).fits(65, false));
  EXPECT_FALSE(IntegerBytes(wide(SlotKind::kWideUnsigned, bytes)).fits(65, true));
  EXPECT_FALSE(IntegerBytes(wide(SlotKind::kWideUnsigned, bytes)).fits(64, false));
}

TEST(IntegerBytes, GroupsOfSevenBits) {
  const Slot value = unsigned_slot(624'485);
  const IntegerBytes bytes(value);
  EXPECT_EQ(bytes.last_group(false), 2U);
  EXPECT_EQ(bytes.seven_bits(0), 0x65);
  EXPECT_EQ(bytes.seven_bits(1), 0x0E);
  EXPECT_EQ(bytes.seven_bits(2), 0x26);
  // 64 needs a group for its sign, -64 does not.
  EXPECT_EQ(IntegerBytes(signed_slot(64)).last_group(true), 1U);
  EXPECT_EQ(IntegerBytes(signed_slot(-64)).last_group(true), 0U);
  EXPECT_EQ(IntegerBytes(unsigned_slot(0)).last_group(false), 0U);
}

TEST(PutWide, InBothByteOrders) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Slot slot = wide(SlotKind::kWideUnsigned, bytes);
  EXPECT_EQ(put(slot, 72, ByteOrder::kLittle, false), bytes);
  EXPECT_EQ(put(slot, 72, ByteOrder::kBig, false), (Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(put(slot, 68, ByteOrder::kLittle, false), bytes);
}

TEST(PutWide, Reversed) {
  const Bytes bytes = {0x01, 0, 0, 0, 0, 0, 0, 0, 0x0F};
  const Slot slot = wide(SlotKind::kWideUnsigned, bytes);
  EXPECT_EQ(put(slot, 72, ByteOrder::kLittle, true), (Bytes{0xF0, 0, 0, 0, 0, 0, 0, 0, 0x80}));
}

}  // namespace
}  // namespace tracedeck::ctf
