#include "tracedeck/query/lost_times.hpp"

#include <gtest/gtest.h>

namespace tracedeck::query {
namespace {

TEST(LostTimes, ManyAreKeptAsFewer) {
  LostTimes lost;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    lost.add({.begin = Nanoseconds::from_unsigned(100 * i),
              .end = Nanoseconds::from_unsigned(100 * i + 10)},
             0);
  }
  const auto concerns = [&](std::uint64_t begin, std::uint64_t end) {
    return lost.concern(0, Nanoseconds::from_unsigned(begin), Nanoseconds::from_unsigned(end));
  };
  EXPECT_TRUE(concerns(499'805, 499'806));
  EXPECT_FALSE(concerns(499'811, 499'899));
  EXPECT_TRUE(concerns(499'811, 499'900));
  EXPECT_FALSE(concerns(499'911, 499'999));
  // Of long ago it is not known exactly.
  EXPECT_TRUE(concerns(11, 99));
  // One that holds the others.
  lost.add({.end = Nanoseconds::from_unsigned(600'000)}, 0);
  EXPECT_TRUE(concerns(599'999, 600'000));
  EXPECT_FALSE(concerns(600'001, 600'002));
}

}  // namespace
}  // namespace tracedeck::query
