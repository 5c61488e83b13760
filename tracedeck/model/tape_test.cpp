#include "tracedeck/model/tape.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace tracedeck {
namespace {

using Slots = std::vector<Slot>;

template <std::size_t N>
Slot packed(PackedElement element, const std::array<std::uint8_t, N>& bytes) {
  return packed_slot(element, bytes.data(), N);
}

Slot text_slot(const std::string& text, std::uint8_t flags = 0) {
  return bytes_slot(SlotKind::kString, as_bytes(text).data(),
                    static_cast<std::uint32_t>(text.size()), flags);
}

TEST(Tape, ElementSizes) {
  EXPECT_EQ(element_size(PackedElement::kU8), 1U);
  EXPECT_EQ(element_size(PackedElement::kU16Le), 2U);
  EXPECT_EQ(element_size(PackedElement::kI8), 1U);
  EXPECT_EQ(element_size(PackedElement::kI64Le), 8U);
  EXPECT_EQ(element_size(PackedElement::kF32Le), 4U);
  EXPECT_EQ(element_size(PackedElement::kU16Be), 2U);
  EXPECT_EQ(element_size(PackedElement::kI32Be), 4U);
  EXPECT_EQ(element_size(PackedElement::kF64Be), 8U);
}

TEST(Tape, PackedElementsReadTheirOwnByteOrder) {
  constexpr std::array<std::uint8_t, 8> kBytes = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
  EXPECT_EQ(packed_element(packed(PackedElement::kU8, kBytes), 7).bits, 0x88U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU16Le, kBytes), 1).bits, 0x0403U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU16Be, kBytes), 1).bits, 0x0304U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU32Le, kBytes), 1).bits, 0x88070605U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU32Be, kBytes), 1).bits, 0x05060788U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU64Le, kBytes), 0).bits, 0x8807060504030201U);
  EXPECT_EQ(packed_element(packed(PackedElement::kU64Be, kBytes), 0).bits, 0x0102030405060788U);
  EXPECT_EQ(packed_count(packed(PackedElement::kU16Be, kBytes)), 4U);
}

TEST(Tape, SignedElementsKeepTheirSign) {
  constexpr std::array<std::uint8_t, 8> kBytes = {0xFE, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x7F};
  const auto integer = [&](PackedElement element, std::size_t index) {
    const Slot slot = packed_element(packed(element, kBytes), index);
    EXPECT_EQ(slot.kind, SlotKind::kSigned);
    return slot.integer;
  };
  EXPECT_EQ(integer(PackedElement::kI8, 0), -2);
  EXPECT_EQ(integer(PackedElement::kI8, 4), -128);
  EXPECT_EQ(integer(PackedElement::kI16Le, 0), -2);
  EXPECT_EQ(integer(PackedElement::kI16Be, 2), -32768);
  EXPECT_EQ(integer(PackedElement::kI32Le, 0), -2);
  EXPECT_EQ(integer(PackedElement::kI32Be, 1), std::numeric_limits<std::int32_t>::min() + 0x7F);
  EXPECT_EQ(integer(PackedElement::kI64Le, 0), 0x7F000080FFFFFFFE);
  EXPECT_EQ(integer(PackedElement::kI64Be, 0), std::bit_cast<std::int64_t>(0xFEFFFFFF8000007FU));
}

TEST(Tape, RealElements) {
  constexpr std::array<std::uint8_t, 8> kBytes = {0x3F, 0xC0, 0, 0, 0, 0, 0xC0, 0x3F};
  EXPECT_EQ(packed_element(packed(PackedElement::kF32Be, kBytes), 0).real, 1.5);
  EXPECT_EQ(packed_element(packed(PackedElement::kF32Le, kBytes), 1).real, 1.5);
  constexpr std::array<std::uint8_t, 8> kMinusTwo = {0xC0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(packed_element(packed(PackedElement::kF64Be, kMinusTwo), 0).real, -2.0);
}

TEST(Tape, AddressesStayAddressesInTheirElements) {
  constexpr std::array<std::uint8_t, 8> kBytes = {};
  const Slot array =
      packed_slot(PackedElement::kU64Le, kBytes.data(), 8, kSlotAddress | kSlotInterned);
  EXPECT_EQ(packed_element(array, 0).flags, kSlotAddress);
}

TEST(Tape, StringsAndBlobsAreComparedByContent) {
  const std::string one = "text";
  const std::string other = "text";
  EXPECT_TRUE(same_values(Slots{text_slot(one)}, Slots{text_slot(other, kSlotInterned)}));
  EXPECT_FALSE(same_values(Slots{text_slot(one)}, Slots{text_slot("texts")}));
  EXPECT_FALSE(same_values(Slots{text_slot(one)},
                           Slots{bytes_slot(SlotKind::kBlob, as_bytes(one).data(), 4)}));
  EXPECT_TRUE(same_values(Slots{text_slot("")}, Slots{bytes_slot(SlotKind::kString, nullptr, 0)}));
}

TEST(Tape, RealsAreComparedByBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same_values(Slots{real_slot(nan)}, Slots{real_slot(nan)}));
  EXPECT_FALSE(same_values(Slots{real_slot(0.0)}, Slots{real_slot(-0.0)}));
}

TEST(Tape, ShapesMatter) {
  const Slot one = unsigned_slot(1);
  EXPECT_FALSE(same_values(Slots{one}, Slots{one, one}));
  EXPECT_FALSE(same_values(Slots{one}, Slots{signed_slot(1)}));
  EXPECT_TRUE(same_values(Slots{}, Slots{}));
  EXPECT_FALSE(same_values(Slots{head_slot(SlotKind::kArray, 1, 1), one, one},
                           Slots{head_slot(SlotKind::kArray, 2, 2), one, one}));
  // {1, {1}} and {1, {}, 1}: the same slots but for where the inner structure ends.
  EXPECT_FALSE(same_values(
      Slots{head_slot(SlotKind::kStructure, 0, 3), one, head_slot(SlotKind::kStructure, 0, 1), one},
      Slots{head_slot(SlotKind::kStructure, 0, 3), one, head_slot(SlotKind::kStructure, 0, 0),
            one}));
  EXPECT_FALSE(same_values(Slots{head_slot(SlotKind::kOptional, 0, 0)},
                           Slots{head_slot(SlotKind::kOptional, 1, 1), one}));
  EXPECT_FALSE(same_values(Slots{head_slot(SlotKind::kVariant, 0, 1), one},
                           Slots{head_slot(SlotKind::kVariant, 1, 1), one}));
  EXPECT_FALSE(same_values(Slots{unresolved_slot(1)}, Slots{unresolved_slot(2)}));
}

TEST(Tape, PackedArraysEqualArraysOfTheSameScalars) {
  constexpr std::array<std::uint8_t, 4> kLittle = {1, 0, 2, 0};
  constexpr std::array<std::uint8_t, 4> kBig = {0, 1, 0, 2};
  const Slot le = packed(PackedElement::kU16Le, kLittle);
  const Slot be = packed(PackedElement::kU16Be, kBig);
  const Slots plain = {head_slot(SlotKind::kArray, 2, 2), unsigned_slot(1), unsigned_slot(2)};
  EXPECT_TRUE(same_values(Slots{le}, Slots{be}));
  EXPECT_TRUE(same_values(Slots{le}, plain));
  EXPECT_TRUE(same_values(plain, Slots{be}));
  EXPECT_FALSE(same_values(Slots{le}, Slots{packed(PackedElement::kU8, kLittle)}));
  EXPECT_FALSE(same_values(Slots{le}, Slots{head_slot(SlotKind::kArray, 1, 1), unsigned_slot(1)}));
  const Slots nested_packed = {head_slot(SlotKind::kStructure, 0, 2), le, unsigned_slot(9)};
  const Slots nested_plain = {head_slot(SlotKind::kStructure, 0, 4), plain[0], plain[1], plain[2],
                              unsigned_slot(9)};
  EXPECT_TRUE(same_values(nested_packed, nested_plain));
}

RC_GTEST_PROP(Tape, SameValuesOfScalarsIsEquality,
              (std::vector<std::uint64_t> a, std::vector<std::uint64_t> b)) {
  const auto slots = [](const std::vector<std::uint64_t>& values) {
    Slots result = {
        head_slot(SlotKind::kArray, values.size(), static_cast<std::uint32_t>(values.size()))};
    for (const std::uint64_t value : values) result.push_back(unsigned_slot(value));
    return result;
  };
  RC_ASSERT(same_values(slots(a), slots(a)));
  RC_ASSERT(same_values(slots(a), slots(b)) == (a == b));
}

}  // namespace
}  // namespace tracedeck
