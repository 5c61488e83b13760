#include "tracedeck/spill/order_key.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tracedeck {
namespace {

TEST(OrderKey, OrdersAsTheTimesDo) {
  const std::vector<Nanoseconds> ascending = {
      Nanoseconds::from_unsigned(Uint128{1} << 127, true),
      Nanoseconds(-5),
      Nanoseconds(-4),
      Nanoseconds(0),
      Nanoseconds(1),
      Nanoseconds::from_unsigned(~std::uint64_t{0} - 1),
      Nanoseconds::from_unsigned(~std::uint64_t{0}),
      Nanoseconds::from_unsigned(Uint128{1} << 64),
      Nanoseconds::from_unsigned(Uint128{1} << 100),
  };
  for (const Nanoseconds a : ascending) {
    EXPECT_LT(OrderKey::first(), OrderKey::from(a));
    for (const Nanoseconds b : ascending) {
      EXPECT_EQ(a <=> b, OrderKey::from(a) <=> OrderKey::from(b));
      EXPECT_EQ(a == b, OrderKey::from(a) == OrderKey::from(b));
    }
  }
}

TEST(OrderKey, OfClockValuesIsThatOfTheirTimes) {
  std::vector<ClockClass> clocks = {
      {.id = "ns"},
      {.id = "since the epoch", .offset_seconds = 1'600'000'000, .offset_ticks = 77, .shift = -3},
      {.id = "far ahead", .offset_seconds = 18'446'744'073},
      {.id = "before the origin", .offset_seconds = -1},
      {.id = "3 ns", .tick = {3, 1}},
      {.id = "odd", .tick = Tick::from_frequency(333'333'333), .shift = 9},
  };
  const std::vector<std::uint64_t> values = {
      0,           1,           1'000'000'000,          709'551'614,
      709'551'615, 709'551'616, std::uint64_t{1} << 63, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i].entity = {1, i};
  KeyMaker keys;
  for (const ClockClass& clock : clocks) {
    for (const std::uint64_t value : values) {
      EXPECT_EQ(keys(clock, value), OrderKey::from(clock.to_nanoseconds(value)))
          << clock.id << " at " << value;
    }
  }
}

}  // namespace
}  // namespace tracedeck
