#include "tracedeck/ctf/stream/position_state.hpp"

#include <gtest/gtest.h>

namespace tracedeck::ctf {
namespace {

TEST(PositionState, MovesWithinItsModulus) {
  PositionState at{.modulus = 16, .offset = 5};
  at.move(13);
  EXPECT_EQ(at.offset, 2U);
  EXPECT_FALSE(at.at_byte());
  at.move(6);
  EXPECT_TRUE(at.at_byte());
}

TEST(PositionState, AnUnknownNumberOfBytesLeavesTheBitsOfOne) {
  PositionState at = kPacketStart;
  at.move(21);
  at.move_unknown(8);
  EXPECT_EQ(at.modulus, 8U);
  EXPECT_EQ(at.offset, 5U);
  at.move_unknown(1);
  EXPECT_EQ(at.modulus, 1U);
  EXPECT_EQ(at.offset, 0U);
  EXPECT_FALSE(at.at_byte());
}

TEST(PositionState, JoinsToWhatBothSay) {
  PositionState a{.modulus = 64, .offset = 24, .last_order = PositionState::Order::kBig};
  PositionState b{.modulus = 32, .offset = 8, .last_order = PositionState::Order::kBig};
  const PositionState both = join(a, b);
  EXPECT_EQ(both.modulus, 16U);
  EXPECT_EQ(both.offset, 8U);
  EXPECT_EQ(both.last_order, PositionState::Order::kBig);
  b.last_order = PositionState::Order::kLittle;
  EXPECT_EQ(join(a, b).last_order, PositionState::Order::kUnknown);
  b.offset = 24;
  EXPECT_EQ(join(a, b).modulus, 32U);
  b.offset = 25;
  EXPECT_EQ(join(a, b).modulus, 1U);
}

}  // namespace
}  // namespace tracedeck::ctf
