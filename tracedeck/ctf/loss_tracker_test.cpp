#include "tracedeck/ctf/loss_tracker.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace tracedeck::ctf {
namespace {

using Value = std::optional<std::uint64_t>;

Packet packet(std::uint64_t begin, Value discarded, Value sequence) {
  return {.begin = begin, .end = begin + 9, .sequence = sequence, .discarded = discarded};
}

TEST(LossTracker, TheFirstPacketCountsWhatWasLostUntilItsEnd) {
  for (const Value sequence : {Value(), Value(0)}) {
    LossTracker losses;
    const PacketLosses found = losses.take(packet(10, 7, sequence), nullptr);
    ASSERT_TRUE(found.events);
    EXPECT_EQ(found.events->events, 7U);
    EXPECT_EQ(found.events->begin_value, 10U);
    EXPECT_EQ(found.events->end_value, 19U);
    EXPECT_FALSE(found.events->begin);
    EXPECT_FALSE(found.packets);
    EXPECT_FALSE(found.begins_at);
  }
}

TEST(LossTracker, BehindMissingPacketsTheFirstCounterIsOfUnknownSize) {
  LossTracker losses;
  const PacketLosses found = losses.take(packet(10, 7, 57), nullptr);
  ASSERT_TRUE(found.events);
  EXPECT_FALSE(found.events->events);
  EXPECT_FALSE(found.packets);
  EXPECT_EQ(found.begins_at, 57U);
  EXPECT_FALSE(losses.take(packet(20, 7, 58), nullptr).begins_at);
}

TEST(LossTracker, NothingIsLostWhereCountersStand) {
  LossTracker losses;
  EXPECT_FALSE(losses.take(packet(10, 0, 0), nullptr).events);
  const PacketLosses found = losses.take(packet(20, 0, 1), nullptr);
  EXPECT_FALSE(found.events);
  EXPECT_FALSE(found.packets);
  EXPECT_FALSE(losses.take(packet(30, {}, {}), nullptr).events);
}

TEST(LossTracker, GrowthAndGapsLieBetweenPackets) {
  const ClockClass clock;
  LossTracker losses;
  (void)losses.take(packet(10, 2, 3), &clock);
  const PacketLosses found = losses.take(packet(30, 5, 8), &clock);
  ASSERT_TRUE(found.events && found.packets);
  EXPECT_EQ(found.events->events, 3U);
  EXPECT_EQ(found.events->begin_value, 19U);
  EXPECT_EQ(found.events->end_value, 39U);
  EXPECT_EQ(found.events->begin, clock.to_nanoseconds(19));
  EXPECT_EQ(found.packets->packets, 4U);
  EXPECT_EQ(found.packets->end_value, 30U);
}

TEST(LossTracker, ACounterThatGoesBackIsNoLoss) {
  LossTracker losses;
  (void)losses.take(packet(10, 5, std::numeric_limits<std::uint64_t>::max()), nullptr);
  const PacketLosses found = losses.take(packet(20, 4, 0), nullptr);
  EXPECT_FALSE(found.events);
  EXPECT_FALSE(found.packets);
  EXPECT_EQ(found.counter_back, "the counter of discarded event records goes back from 5 to 4");
}

}  // namespace
}  // namespace tracedeck::ctf
