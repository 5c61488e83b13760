#include "tracedeck/ctf/task_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tracedeck::ctf {
namespace {

TEST(TaskPool, ASinglePieceOfWorkIsDoneByWhomItIsFor) {
  TaskPool pool(4);
  auto done_by = pool.run([] { return std::this_thread::get_id(); });
  EXPECT_EQ(pool.wait(done_by), std::this_thread::get_id());
}

TEST(TaskPool, ThreadsTakePartWhenMoreThanOneWaits) {
  TaskPool pool(1);
  // Neither ends before the other has begun, so two threads are at work.
  std::latch begun(2);
  const auto work = [&begun] {
    begun.arrive_and_wait();
    return std::this_thread::get_id();
  };
  auto one = pool.run(work);
  auto other = pool.run(work);
  EXPECT_NE(pool.wait(one), pool.wait(other));
}

TEST(TaskPool, EachResultIsThatOfItsWork) {
  TaskPool pool(3);
  std::vector<std::future<int>> results;
  for (int i = 0; i < 1000; ++i) results.push_back(pool.run([i] { return i; }));
  for (int i = 999; i >= 0; --i) EXPECT_EQ(pool.wait(results[static_cast<std::size_t>(i)]), i);
}

TEST(TaskPool, WhatWorkThrowsIsThrownToWhoWaits) {
  TaskPool pool(2);
  auto broken = pool.run([]() -> int { throw std::runtime_error("broken"); });
  EXPECT_THROW(pool.wait(broken), std::runtime_error);
}

TEST(TaskPool, WhatWasNotBegunIsNotDoneWhenThePoolGoesAway) {
  std::atomic<int> done = 0;
  {
    TaskPool pool(2);
    const auto never_waited_for = pool.run([&done] { return ++done; });
  }
  EXPECT_EQ(done, 0);
}

}  // namespace
}  // namespace tracedeck::ctf
