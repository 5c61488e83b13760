#include "tracedeck/format/reading_sizes.hpp"

#include <gtest/gtest.h>

namespace tracedeck {
namespace {

std::size_t memory_of(const ReadingSizes& sizes) {
  return 2 * (sizes.window + sizes.records * sizeof(Record) + sizes.slots * sizeof(Slot));
}

TEST(ReadingSizes, AreTheUsualOnesForAFewSources) {
  for (const std::size_t sources : {0U, 1U, 8U, 20U}) {
    const ReadingSizes sizes = reading_sizes(sources);
    EXPECT_EQ(sizes.window, std::size_t{256} << 10);
    EXPECT_EQ(sizes.records, Batch::kRecords);
    EXPECT_EQ(sizes.slots, Batch::kSlots);
    EXPECT_TRUE(sizes.keeps_spares);
  }
}

TEST(ReadingSizes, OfAllSourcesTogetherDoNotGrow) {
  for (const std::size_t sources : {30U, 100U, 200U, 1000U, 3000U}) {
    const ReadingSizes sizes = reading_sizes(sources);
    EXPECT_LE(sources * memory_of(sizes), std::size_t{24} << 20) << sources;
    EXPECT_GE(2 * sources * memory_of(sizes), std::size_t{20} << 20) << sources;
    EXPECT_EQ(sizes.slots / sizes.records, Batch::kSlots / Batch::kRecords);
  }
}

TEST(ReadingSizes, HoldASmallEventInAnyCase) {
  const ReadingSizes sizes = reading_sizes(1'000'000);
  EXPECT_EQ(sizes.records, 8U);
  EXPECT_EQ(sizes.slots, 64U);
  EXPECT_EQ(sizes.window, 2048U);
  EXPECT_FALSE(sizes.keeps_spares);
}

}  // namespace
}  // namespace tracedeck
