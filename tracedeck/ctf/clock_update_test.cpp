#include "tracedeck/ctf/clock_update.hpp"

#include <gtest/gtest.h>

namespace tracedeck::ctf {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

TEST(ClockUpdate, LowBitsGoOnOrRound) {
  EXPECT_EQ(updated_clock(0x1234, 0x35, 0xFF), 0x1235U);
  EXPECT_EQ(updated_clock(0x1234, 0x34, 0xFF), 0x1234U);
  EXPECT_EQ(updated_clock(0x1234, 0x33, 0xFF), 0x1333U);
}

TEST(ClockUpdate, AWholeValueReplacesIt) {
  EXPECT_EQ(updated_clock(0x1234, 5, kAll), 5U);
  EXPECT_EQ(updated_clock(5, 0x1234, kAll), 0x1234U);
}

TEST(ClockUpdate, ItGoesRoundAtItsEnd) { EXPECT_EQ(updated_clock(kAll, 0, 0xFF), 0U); }

}  // namespace
}  // namespace tracedeck::ctf
