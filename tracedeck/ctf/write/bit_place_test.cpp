#include "tracedeck/ctf/write/bit_place.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tracedeck::ctf {
namespace {

constexpr ByteOrder kLittle = ByteOrder::kLittle;
constexpr ByteOrder kBig = ByteOrder::kBig;

TEST(BitPlace, OrderMayChangeBetweenBytesOnly) {
  BitPlace place;
  EXPECT_FALSE(place.conflicts(kBig));
  place.pass(3, kLittle);
  EXPECT_TRUE(place.conflicts(kBig));
  EXPECT_FALSE(place.conflicts(kLittle));
  place.pass(5, kLittle);
  EXPECT_FALSE(place.conflicts(kBig));
  place.pass(4, kBig);
  place.align(4);
  EXPECT_TRUE(place.conflicts(kLittle));
  place.align(8);
  EXPECT_FALSE(place.conflicts(kLittle));
}

TEST(BitPlace, AlignmentCanEndAByte) {
  BitPlace place;
  place.pass(5, kLittle);
  place.align(4);
  EXPECT_TRUE(place.begins_byte());
  EXPECT_FALSE(place.conflicts(kBig));
}

TEST(BitPlace, WhatMayBeThereCounts) {
  BitPlace with;
  with.pass(4, kLittle);
  BitPlace without;
  with.join(without);
  EXPECT_TRUE(with.conflicts(kBig));
  with.pass(4, kLittle);
  EXPECT_TRUE(with.conflicts(kBig)) << "where it ends is not known";
  with.align(8);
  EXPECT_FALSE(with.conflicts(kBig));
}

TEST(BitPlace, AnyNumberOfFields) {
  BitPlace place;
  place.blur(BitPlace::bit(kLittle) | BitPlace::bit(kBig));
  EXPECT_TRUE(place.conflicts(kLittle));
  EXPECT_TRUE(place.conflicts(kBig));
}

TEST(ByteOrders, OfAllFieldsInside) {
  const FieldClassPtr little = make_field_class(
      IntegerClass{.layout = FixedLayout{.width = 4, .byte_order = ByteOrder::kLittle}});
  const FieldClassPtr big =
      make_field_class(RealClass{.layout = {.width = 32, .byte_order = ByteOrder::kBig}});
  StructureClass both;
  both.members.push_back({.name = "a", .field_class = little, .attributes = {}});
  both.members.push_back(
      {.name = "b",
       .field_class = make_field_class(ArrayClass{.element = big, .extent = StaticLength{2}}),
       .attributes = {}});
  ByteOrders orders;
  EXPECT_EQ(orders.inside(*little), BitPlace::bit(kLittle));
  EXPECT_EQ(orders.inside(*make_field_class(std::move(both))),
            BitPlace::bit(kLittle) | BitPlace::bit(kBig));
}

TEST(ByteOrders, WhatIsMadeOfBytesHasNone) {
  ByteOrders orders;
  const FieldClassPtr leb128 = make_field_class(IntegerClass{.layout = Leb128Layout{}});
  EXPECT_EQ(orders.inside(*leb128), 0);
  const FieldClassPtr string = make_field_class(StringClass{.extent = NullTerminated{}});
  EXPECT_EQ(orders.inside(*string), 0);
}

}  // namespace
}  // namespace tracedeck::ctf
