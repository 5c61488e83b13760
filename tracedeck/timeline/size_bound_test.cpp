#include "tracedeck/timeline/size_bound.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace tracedeck::timeline {
namespace {

class Nothing final : public MarkSink {
 public:
  Result<void> take(const Timeline&, std::span<const Mark>) override { return {}; }
  Result<void> finish(const Timeline&) override { return {}; }
};

// Slices of so many durations, and a result with some bytes for each and some beside.
class Trial {
 public:
  Trial(double fixed, double each) : fixed_(fixed), each_(each) {
    std::mt19937 random(1);
    std::lognormal_distribution<double> lengths(8, 2);
    for (int i = 0; i < 20'000; ++i)
      lengths_.push_back(static_cast<std::int64_t>(lengths(random)) + 1);
  }

  // How many results were made until one had `most` bytes; 0: none has.
  unsigned tries(std::uint64_t most) {
    SizeBound bound(most);
    std::int64_t shortest = 0;
    for (unsigned tries = 1;; ++tries) {
      Timeline timeline;
      timeline.add_track({.name = "t"});
      Nothing nothing;
      ShortSlices slices(nothing, timeline, shortest);
      size_ = make(slices, timeline);
      if (size_ <= most) return tries;
      const auto next = bound.next(slices, size_, shortest);
      if (!next) return 0;
      EXPECT_GT(*next, shortest);
      shortest = *next;
    }
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::uint64_t make(ShortSlices& slices, const Timeline& timeline) {
    std::int64_t now = 0;
    for (const std::int64_t length : lengths_) {
      Mark begin;
      begin.kind = MarkKind::kSliceBegin;
      begin.track = 1;
      begin.time = now;
      Mark end = begin;
      end.kind = MarkKind::kSliceEnd;
      end.begin = now;
      now += length;
      end.time = now;
      EXPECT_TRUE(slices.take(timeline, std::vector{begin, end}));
    }
    EXPECT_TRUE(slices.finish(timeline));
    const auto stay = static_cast<double>(lengths_.size() - slices.counts().slices);
    return static_cast<std::uint64_t>(fixed_ + each_ * stay);
  }

  double fixed_;
  double each_;
  std::vector<std::int64_t> lengths_;
  std::uint64_t size_ = 0;
};

TEST(SizeBound, IsFoundInTwoTriesWhereSlicesAreAll) {
  Trial trial(0, 30);
  EXPECT_EQ(trial.tries(600'000), 1U);
  EXPECT_EQ(trial.tries(300'000), 2U);
  EXPECT_GT(trial.size(), 250'000U);
}

TEST(SizeBound, IsFoundInThreeWhereMuchElseIsThere) {
  Trial trial(500'000, 30);
  EXPECT_EQ(trial.tries(700'000), 3U);
  EXPECT_GT(trial.size(), 600'000U);
}

TEST(SizeBound, ThereIsNoneWhereAllElseIsTooMuch) {
  Trial trial(500'000, 30);
  EXPECT_EQ(trial.tries(400'000), 0U);
}

}  // namespace
}  // namespace tracedeck::timeline
