#include "tracedeck/export/folded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracedeck/export/made_up_marks_test.hpp"
#include "tracedeck/export/made_up_samples_test.hpp"
#include "tracedeck/export/stack_tree.hpp"

namespace tracedeck::exporting {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FoldedTest : public testing::Test {
 protected:
  Exported write(FoldedStacks stacks = FoldedStacks::kAuto) const {
    return exported(made_, [&](io::Output& output) { return make_folded(output, stacks); }, 3);
  }
  std::string text(FoldedStacks stacks = FoldedStacks::kAuto) const { return write(stacks).bytes; }

  MadeUpMarks made_;
};

TEST_F(FoldedTest, SlicesHaveWhatWasSpentInNoneInside) {
  const TrackId track = made_.track(TrackKind::kPlain, "worker 0");
  for (const std::int64_t time : {0, 1000}) {
    made_.begin(track, time, "poll");
    made_.begin(track, time + 10, "read");
    made_.end(track, time + 40, "read", time + 10);
    made_.begin(track, time + 50, "read");
    made_.end(track, time + 60, "read", time + 50);
    made_.end(track, time + 100, "poll", time);
  }
  EXPECT_EQ(text(), "worker 0;poll 120\nworker 0;poll;read 80\n");
  EXPECT_THAT(write().receipt, IsEmpty());
}

TEST_F(FoldedTest, LanesAreOneTrackAndTracksAreSeveral) {
  const TrackId first = made_.track(TrackKind::kLanes, "requests");
  const TrackId second = made_.lane(first, 1);
  const TrackId other = made_.track(TrackKind::kPlain, "b");
  std::int64_t began = 0;
  for (const TrackId track : {first, second, other}) {
    made_.begin(track, began, "GET");
    made_.end(track, began + 5, "GET", began);
    ++began;
  }
  EXPECT_EQ(text(), "requests;GET 10\nb;GET 5\n");
}

TEST_F(FoldedTest, WhatBeganBeforeAllOthersHoldsThem) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  made_.begin(track, 10, "inner");
  made_.end(track, 30, "inner", 10);
  made_.end(track, 50, "outer", 0).flags = timeline::kBeganBefore;
  EXPECT_EQ(text(), "a;inner 20\na;outer 30\n");
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("1 of slice whose duration is not known: counted as far as it is"));
}

TEST_F(FoldedTest, RequestsOfUnknownDurationDoNotCount) {
  const TrackId track = made_.track(TrackKind::kLanes, "disk");
  made_.begin(track, 0, "request");
  made_.end(track, 7, "request", 0);
  made_.begin(track, 8, "request");
  made_.end(track, 5'000, "request", 8).flags = timeline::kInferredEnd;
  made_.begin(track, 5'000, "request");
  made_.end(track, 90'000, "request", 5'000).flags = timeline::kOpenAtEnd;
  EXPECT_EQ(text(), "disk;request 7\n");
  EXPECT_THAT(sentences(write().receipt),
              ElementsAre("2 of slice that may overlap others, whose duration is not known: "
                          "counted as 0ns"));
}

TEST_F(FoldedTest, NamesAreMadeFitForALine) {
  const TrackId track = made_.track(TrackKind::kPlain, "a;b");
  made_.begin(track, 0, "x\ny \xff");
  made_.end(track, 5, "x\ny \xff", 0);
  made_.begin(track, 6, "");
  made_.end(track, 7, "", 6);
  EXPECT_EQ(text(), "a,b;x\\ny \\xff 5\na,b;(no name) 1\n");
}

TEST_F(FoldedTest, WhatIsTooDeepCountsForWhatIsAroundIt) {
  const TrackId track = made_.track(TrackKind::kPlain, "a");
  for (std::int64_t i = 0; i < 510; ++i) made_.begin(track, i, "f");
  for (std::int64_t i = 509; i >= 0; --i) made_.end(track, 2000 - i, "f", i);
  const std::string all = text();
  EXPECT_EQ(std::ranges::count(all, '\n'), 500);
  const std::string last = all.substr(all.rfind('\n', all.size() - 2) + 1);
  EXPECT_EQ(last.substr(last.rfind(' ')), " 1002\n");
}

class FoldedSamples : public FoldedTest {
 protected:
  void sample(std::string_view kind, const std::vector<std::uint64_t>& addresses) {
    samples_.put(made_.instant(track_, 0, kind), addresses);
  }

  MadeUpSamples samples_;
  TrackId track_ = made_.track(TrackKind::kPlain, "worker 0");
};

TEST_F(FoldedSamples, AreCountedByTheirStacksFromTheOutermostOn) {
  made_.begin(track_, 0, "f");
  made_.end(track_, 5, "f", 0);
  sample("on cpu", {0x208, 0x100});
  sample("on cpu", {0x208, 0x100});
  sample("on cpu", {0x300, 0x100});
  sample("on cpu", {});
  EXPECT_EQ(text(), "main;poll<T, U> 2\nmain;0x300 1\n");
  EXPECT_THAT(
      sentences(write().receipt),
      ElementsAre("3 of sample with a stack: the stacks are of these; the slices, 1, are in none",
                  "1 of address without a name: written as a number"));
  EXPECT_EQ(text(FoldedStacks::kSlices), "worker 0;f 5\n");
  EXPECT_EQ(text(FoldedStacks::kSamples), text());
}

TEST_F(FoldedSamples, OfSeveralKindsBeginWithTheirKind) {
  sample("on cpu", {0x100});
  sample("descheduled", {0x100});
  EXPECT_EQ(text(), "on cpu;main 1\ndescheduled;main 1\n");
}

TEST_F(FoldedSamples, MayBePackedArrays) {
  const std::vector<std::uint8_t> bytes = {0x00, 0x02, 0x00, 0x01};
  samples_.put_slots(
      made_.instant(track_, 0, "on cpu"),
      std::vector{packed_slot(PackedElement::kU16Le, bytes.data(), 4, kSlotAddress)});
  EXPECT_EQ(text(), "main;poll<T, U> 1\n");
}

TEST(StackTree, CountsWhatIsBeyondItsLimitForAShorterStack) {
  StackTree tree;
  for (std::size_t i = 1; i < StackTree::kMost; ++i)
    (void)tree.child(StackTree::kRoot, static_cast<StackTree::Frame>(i));
  const StackTree::Node last = tree.child(StackTree::kRoot, 5);
  EXPECT_EQ(tree.child(last, 6), last);
  EXPECT_EQ(tree.cut(), 1U);
}

TEST(StackTree, NamesAreAsMany) {
  StackTree tree;
  for (std::size_t i = 0; i < StackTree::kMost; ++i) (void)tree.frame(std::to_string(i));
  const StackTree::Frame other = tree.frame("one more");
  EXPECT_EQ(tree.frame("another"), other);
  EXPECT_EQ(tree.frame("17"), 17U);
  EXPECT_EQ(tree.cut(), 2U);
}

}  // namespace
}  // namespace tracedeck::exporting
