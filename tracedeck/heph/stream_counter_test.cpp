#include "tracedeck/heph/stream_counter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tracedeck::heph {
namespace {

using Verdict = StreamCounter::Verdict;

// A stream whose events lie 100 bytes apart and last until their counter.
class Follower {
 public:
  explicit Follower(std::uint32_t first) : counter_(1, first, 0, first) {}

  Verdict see(std::uint32_t counter) {
    offset_ += 100;
    if (counter_.see_expected(counter, offset_, counter)) {
      report();
      return Verdict::kInOrder;
    }
    const StreamCounter::Step step =
        counter_.see(counter, offset_, counter, damage, hold, hold == 0 ? 0 : deadline);
    if (step.was_reported) --lost;
    report();
    return step.verdict;
  }
  void report(std::uint64_t now = 0) {
    for (const StreamCounter::Gap& gap : counter_.take_gaps(now)) lost += gap.missing();
  }

  DamageLedger damage;
  std::uint64_t hold = 0;
  std::uint64_t deadline = 1000;
  std::uint64_t lost = 0;

 private:
  StreamCounter counter_;
  std::uint64_t offset_ = 0;
};

TEST(StreamCounter, LosesNothingInOrder) {
  Follower stream(7);
  for (std::uint32_t counter = 8; counter < 100; ++counter)
    EXPECT_EQ(stream.see(counter), Verdict::kInOrder);
  EXPECT_EQ(stream.lost, 0U);
}

TEST(StreamCounter, CountsWhatIsBetween) {
  Follower stream(0);
  EXPECT_EQ(stream.see(4), Verdict::kGap);
  EXPECT_EQ(stream.lost, 3U);
  EXPECT_EQ(stream.see(5), Verdict::kInOrder);
  EXPECT_EQ(stream.see(7), Verdict::kGap);
  EXPECT_EQ(stream.lost, 4U);
}

TEST(StreamCounter, WrapsAround) {
  Follower stream(0xFFFF'FFFE);
  EXPECT_EQ(stream.see(0xFFFF'FFFF), Verdict::kInOrder);
  EXPECT_EQ(stream.see(0), Verdict::kInOrder);
  EXPECT_EQ(stream.see(3), Verdict::kGap);
  EXPECT_EQ(stream.see(0xFFFF'FFFF), Verdict::kDuplicate);
  EXPECT_EQ(stream.see(2), Verdict::kReordered);
  EXPECT_EQ(stream.lost, 1U);
}

TEST(StreamCounter, DistinguishesAGapFromWhatIsBehindByHalfTheRange) {
  Follower ahead(0);
  EXPECT_EQ(ahead.see(0x8000'0000), Verdict::kGap);
  EXPECT_EQ(ahead.lost, 0x7FFF'FFFFU);
  Follower behind(0);
  EXPECT_EQ(behind.see(0x8000'0001), Verdict::kReordered);
  EXPECT_EQ(behind.lost, 0U);
}

TEST(StreamCounter, TakesOffWhatComesLate) {
  Follower stream(0);
  EXPECT_EQ(stream.see(10), Verdict::kGap);
  EXPECT_EQ(stream.lost, 9U);
  for (const std::uint32_t late : {5U, 1U, 9U, 4U}) {
    EXPECT_EQ(stream.see(late), Verdict::kReordered) << late;
  }
  EXPECT_EQ(stream.lost, 5U);
  EXPECT_EQ(stream.see(5), Verdict::kDuplicate);
  EXPECT_EQ(stream.see(10), Verdict::kDuplicate);
  EXPECT_EQ(stream.see(11), Verdict::kInOrder);
  EXPECT_EQ(stream.lost, 5U);
}

TEST(StreamCounter, HoldsGapsBackForSomeEvents) {
  Follower stream(0);
  stream.hold = 3;
  EXPECT_EQ(stream.see(2), Verdict::kGap);
  EXPECT_EQ(stream.see(3), Verdict::kInOrder);
  EXPECT_EQ(stream.see(4), Verdict::kInOrder);
  EXPECT_EQ(stream.lost, 0U);
  EXPECT_EQ(stream.see(5), Verdict::kInOrder);
  EXPECT_EQ(stream.lost, 1U);
  EXPECT_EQ(stream.see(1), Verdict::kReordered);
  EXPECT_EQ(stream.lost, 0U);
}

TEST(StreamCounter, HoldsGapsBackForSomeTime) {
  Follower stream(0);
  stream.hold = 64;
  EXPECT_EQ(stream.see(2), Verdict::kGap);
  stream.report(999);
  EXPECT_EQ(stream.lost, 0U);
  stream.report(1000);
  EXPECT_EQ(stream.lost, 1U);
}

TEST(StreamCounter, LosesNothingToSwappedEventsThatAreHeldBack) {
  Follower stream(0);
  stream.hold = 64;
  for (std::uint32_t counter = 1; counter < 1000; counter += 2) {
    stream.see(counter + 1);
    EXPECT_EQ(stream.see(counter), Verdict::kReordered);
  }
  stream.report(StreamCounter::kAll);
  EXPECT_EQ(stream.lost, 0U);
}

TEST(StreamCounter, RemembersOnlySomeGaps) {
  Follower stream(0);
  for (std::uint32_t counter = 2; counter <= 1000; counter += 2) stream.see(counter);
  EXPECT_EQ(stream.lost, 500U);
  // Reported long ago and forgotten: reported as late, but not taken off.
  EXPECT_EQ(stream.see(1), Verdict::kReordered);
  EXPECT_EQ(stream.lost, 500U);
  EXPECT_EQ(stream.see(999), Verdict::kReordered);
  EXPECT_EQ(stream.lost, 499U);
}

EventHead head_of(std::uint32_t stream, std::uint32_t counter) {
  return {.stream = stream, .counter = counter};
}

TEST(DamageLedger, ExplainsTheCounterThatCouldBeRead) {
  Follower stream(0);
  stream.damage.add({.offset = 50, .first = head_of(1, 2)});
  EXPECT_EQ(stream.see(5), Verdict::kGap);
  EXPECT_EQ(stream.lost, 3U);
  // What is missing is 1, 3 and 4.
  EXPECT_EQ(stream.see(3), Verdict::kReordered);
  EXPECT_EQ(stream.see(2), Verdict::kDuplicate);
  EXPECT_EQ(stream.lost, 2U);
}

TEST(DamageLedger, ExplainsNoOtherStream) {
  Follower stream(0);
  stream.damage.add({.offset = 50, .first = head_of(2, 1)});
  EXPECT_EQ(stream.see(2), Verdict::kGap);
  EXPECT_EQ(stream.lost, 1U);
}

TEST(DamageLedger, ExplainsAsManyAsThereMayHaveBeen) {
  Follower stream(0);
  stream.damage.add({.offset = 50, .most = 2});
  EXPECT_EQ(stream.see(2), Verdict::kInOrder);
  EXPECT_EQ(stream.lost, 0U);
  EXPECT_EQ(stream.see(5), Verdict::kGap);
  EXPECT_EQ(stream.lost, 2U) << "the second event was behind the damage";
}

TEST(DamageLedger, ExplainsNothingBeforeIt) {
  Follower stream(0);
  EXPECT_EQ(stream.see(1), Verdict::kInOrder);
  stream.damage.add({.offset = 50, .most = 2});
  EXPECT_EQ(stream.see(3), Verdict::kGap);
  EXPECT_EQ(stream.lost, 1U);
}

}  // namespace
}  // namespace tracedeck::heph
