#include "tracedeck/ctf/write/bit_place.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tracedeck::ctf
