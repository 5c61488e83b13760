#include "tracedeck/lower/loss_receipt.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck::lower {
namespace {

// All are counted; those behind the limit are not taken for one at a place.
TEST(LossReceipt, CountsWhatItDoesNotName) {
  LossReceipt receipt;
  for (std::size_t i = 0; i < LossReceipt::kMostPlaces + 5; ++i)
    receipt.add(Lost::kNoEvents, "C" + std::to_string(i), "", {"trace", 7});
  receipt.add(Lost::kNoEvents, "C0", "", {"trace", 9});
  receipt.add(Lost::kEnvironment, "", "environment.a", {"trace", 0});
  receipt.add_others(Lost::kNoEvents, 2);
  const Receipt entries = receipt.entries();
  ASSERT_EQ(entries.size(), LossReceipt::kMostPlaces + 2);
  std::uint64_t named = 0;
  std::uint64_t others = 0;
  for (const ReceiptEntry& each : entries) {
    EXPECT_TRUE(each.lossy);
    if (each.path == LossReceipt::kOthers) {
      EXPECT_EQ(each.event_class, "");
      EXPECT_EQ(each.input, "");
      others += each.count;
    } else {
      EXPECT_EQ(each.offset, 7U);
      named += each.count;
    }
  }
  EXPECT_EQ(named, LossReceipt::kMostPlaces + 1);
  EXPECT_EQ(others, 5U + 1U + 2U);
}

}  // namespace
}  // namespace tracedeck::lower
