#include "tracedeck/ctf/stream/wide_values.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tracedeck/ctf/stream/register.hpp"

namespace tracedeck::ctf {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes value_of(const Bytes& from, unsigned offset, const WideField& field) {
  Bytes to((field.width + 7) / 8, 0xAA);
  const Slot slot = wide_slot(from.data(), offset, field, to.data());
  EXPECT_EQ(slot.kind, field.kind);
  EXPECT_EQ(slot.length, to.size());
  return to;
}

TEST(WideSlot, InBothByteOrders) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(value_of(bytes, 0, {.width = 72}), bytes);
  EXPECT_EQ(value_of(bytes, 0, {.width = 72, .big_endian = true}),
            (Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(WideSlot, InsideBytes) {
  const Bytes bytes = {0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F};
  EXPECT_EQ(value_of(bytes, 4, {.width = 65}),
            (Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
  // Signed, it fills its last byte.
  EXPECT_EQ(value_of(bytes, 4, {.width = 65, .kind = SlotKind::kWideSigned}), Bytes(9, 0xFF));
}

TEST(WideSlot, ABooleanIsWhetherAnyBitIs) {
  Bytes bytes(9, 0);
  Bytes to(9);
  const WideField field{.width = 72, .kind = SlotKind::kBoolean};
  EXPECT_EQ(wide_slot(bytes.data(), 0, field, to.data()).bits, 0U);
  bytes[5] = 0x10;
  EXPECT_EQ(wide_slot(bytes.data(), 0, field, to.data()).bits, 1U);
}

TEST(WideLeb128Slot, TakesTheNarrowestSlot) {
  Bytes to(wide_leb128_size(10));
  const Bytes most = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
  const Slot fits = wide_leb128_slot(most, false, to.data());
  EXPECT_EQ(fits.kind, SlotKind::kUnsigned);
  EXPECT_EQ(fits.bits, ~std::uint64_t{0});
  const Bytes more = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
  const Slot wide = wide_leb128_slot(more, false, to.data());
  EXPECT_EQ(wide.kind, SlotKind::kWideUnsigned);
  EXPECT_EQ(Bytes(wide.bytes().begin(), wide.bytes().end()), (Bytes{0, 0, 0, 0, 0, 0, 0, 0, 1}));
  const Bytes minus_one = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F};
  const Slot negative = wide_leb128_slot(minus_one, true, to.data());
  EXPECT_EQ(negative.kind, SlotKind::kSigned);
  EXPECT_EQ(negative.integer, -1);
}

TEST(RegisterOf, ScalarsKeepTheirSign) {
  EXPECT_EQ(register_of(signed_slot(-1)).value(), -1);
  EXPECT_EQ(register_of(unsigned_slot(~std::uint64_t{0})).value(), (Int128{1} << 64) - 1);
  EXPECT_FALSE(register_of(boolean_slot(true)).is_integer());
}

TEST(RegisterOf, WideIntegersOfUpTo128Bits) {
  const Bytes minus_two = {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  EXPECT_EQ(register_of(bytes_slot(SlotKind::kWideSigned, minus_two.data(), 9)).value(), -2);
  const Register large = register_of(bytes_slot(SlotKind::kWideUnsigned, minus_two.data(), 9));
  EXPECT_EQ(large.value(), (Int128{1} << 72) - 2);
  const Bytes ones(16, 0xFF);
  EXPECT_EQ(register_of(bytes_slot(SlotKind::kWideSigned, ones.data(), 16)).value(), -1);
  const Register top = register_of(bytes_slot(SlotKind::kWideUnsigned, ones.data(), 16));
  EXPECT_EQ(top.kind, Register::Kind::kTop);
  EXPECT_FALSE(top.is_integer());
  Bytes beyond(17, 0);
  beyond[16] = 1;
  const Register none = register_of(bytes_slot(SlotKind::kWideUnsigned, beyond.data(), 17));
  EXPECT_EQ(none.kind, Register::Kind::kTooWide);
  EXPECT_FALSE(none.is_integer());
}

}  // namespace
}  // namespace tracedeck::ctf
