#include "tracedeck/flow/loss_count.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {
namespace {

class LossCountTest : public testing::Test {
 protected:
  static DataStream stream(std::uint64_t number) {
    DataStream made;
    made.entity = {.trace = 1, .ordinal = number};
    return made;
  }
  void lose(const DataStream& of, std::uint64_t events) {
    count_.add({.stream = &of, .events = events});
  }
  void come(const DataStream& of, std::uint64_t events) {
    count_.add({.stream = &of, .events = events, .taken_back = true});
  }

  DataStream one_ = stream(1);
  DataStream other_ = stream(2);
  LossCount count_;
};

TEST_F(LossCountTest, WhatCameAfterAllIsMissingNowhere) {
  lose(one_, 1);
  lose(other_, 3);
  lose(other_, 2);
  EXPECT_EQ(count_.totals().places, 3U);
  come(one_, 1);
  EXPECT_EQ(count_.totals().events, 5U);
  EXPECT_EQ(count_.totals().places, 2U) << "that of the other stream is none";
  come(other_, 1);
  come(other_, 1);
  come(other_, 1);
  come(other_, 1);
  EXPECT_EQ(count_.totals().events, 1U);
  EXPECT_EQ(count_.totals().places, 1U) << "one event is missing in one place at most";
}

TEST_F(LossCountTest, WhatCameBeforeItWasCalledLost) {
  come(one_, 2);
  EXPECT_EQ(count_.totals().events, 0U);
  lose(one_, 2);
  EXPECT_EQ(count_.totals().places, 0U);
  lose(one_, 5);
  EXPECT_EQ(count_.totals().events, 5U);
}

TEST_F(LossCountTest, PlacesThatSayNoNumber) {
  count_.add({.stream = &one_});
  count_.add({.stream = &one_, .packets = 2});
  count_.add({.stream = &one_, .events = 0});
  EXPECT_EQ(count_.totals().places, 3U);
  EXPECT_EQ(count_.totals().places_of_unknown_size, 1U);
  EXPECT_EQ(count_.totals().packets, 2U);
}

TEST_F(LossCountTest, ManyStreams) {
  for (std::uint64_t i = 0; i < LateEvents::kMost + 10; ++i) lose(stream(i + 1), 1);
  EXPECT_EQ(count_.totals().events, LateEvents::kMost + 10);
  come(stream(LateEvents::kMost + 5), 1);
  EXPECT_EQ(count_.totals().events, LateEvents::kMost + 10) << "it stays lost";
  come(one_, 1);
  EXPECT_EQ(count_.totals().events, LateEvents::kMost + 9);
}

}  // namespace
}  // namespace tracedeck::flow
