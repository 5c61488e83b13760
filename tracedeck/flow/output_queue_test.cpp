#include "tracedeck/flow/output_queue.hpp"

#include <gtest/gtest.h>

namespace tracedeck::flow {
namespace {

class OutputQueueTest : public testing::Test {
 protected:
  void put(io::Output& part, std::string_view text) { ASSERT_TRUE(part.write(text)); }

  std::string result_;
  std::unique_ptr<io::Output> into_ = io::memory_output(result_);
  OutputQueue queue_{*into_};
};

TEST_F(OutputQueueTest, PartsStandOneBehindTheOther) {
  const auto a = queue_.add_part();
  const auto b = queue_.add_part();
  const auto c = queue_.add_part();
  put(*b, "b1 ");
  put(*a, "a1 ");
  put(*c, "c1 ");
  put(*b, "b2 ");
  EXPECT_EQ(result_, "b1 b2 ") << "the first goes straight to the output";
  put(*c, "c2 ");
  ASSERT_TRUE(c->finish());
  put(*a, "a2 ");
  ASSERT_TRUE(b->finish());
  EXPECT_EQ(result_, "b1 b2 a1 a2 ");
  put(*a, "a3 ");
  EXPECT_EQ(result_, "b1 b2 a1 a2 a3 ");
  ASSERT_TRUE(a->finish());
  EXPECT_EQ(result_, "b1 b2 a1 a2 a3 c1 c2 ");
}

TEST_F(OutputQueueTest, WhoWritesNothingKeepsNobodyWaiting) {
  const auto silent = queue_.add_part();
  const auto part = queue_.add_part();
  put(*part, "part");
  EXPECT_EQ(result_, "part");
  ASSERT_TRUE(silent->flush());
  ASSERT_TRUE(silent->finish());
}

TEST_F(OutputQueueTest, APartEndsWhenItGoes) {
  auto first = queue_.add_part();
  put(*first, "first ");
  const auto second = queue_.add_part();
  put(*second, "second");
  first.reset();
  EXPECT_EQ(result_, "first second");
}

TEST_F(OutputQueueTest, WhatWasSpilledIsHandedOnWhole) {
  const auto first = queue_.add_part();
  put(*first, "1");
  const auto second = queue_.add_part();
  std::string want = "1";
  for (int i = 0; i < 100'000; ++i) {
    put(*second, "0123456789");
    want += "0123456789";
  }
  ASSERT_TRUE(first->finish());
  EXPECT_EQ(result_, want);
}

TEST_F(OutputQueueTest, ReportsThatNoTemporaryFileCanBeMade) {
  OutputQueue queue(*into_, "/nowhere");
  const auto first = queue.add_part();
  const auto second = queue.add_part();
  put(*first, "1");
  EXPECT_FALSE(second->write("2"));
}

}  // namespace
}  // namespace tracedeck::flow
