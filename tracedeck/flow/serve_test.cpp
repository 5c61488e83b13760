#include "tracedeck/flow/serve.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace tracedeck::flow {
namespace {

// `count` jobs that all do `work`.
JobSource jobs_of(int count, Job work) {
  return {.next = [count, work = std::move(work)]() mutable { return count-- > 0 ? work : Job(); }};
}

TEST(Serve, WorksOnSeveralAtTheSameTime) {
  constexpr int kJobs = 4;
  std::latch all_there(kJobs);
  serve(jobs_of(kJobs, [&] { all_there.arrive_and_wait(); }), kJobs);
  EXPECT_TRUE(all_there.try_wait());
}

TEST(Serve, WorksOnNoMoreThanItMay) {
  std::atomic<int> busy = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  std::atomic<int> full = 0;
  JobSource jobs = jobs_of(200, [&] {
    const int now = ++busy;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    ++done;
    --busy;
  });
  jobs.all_at_work = [&] { ++full; };
  serve(jobs, 3);
  EXPECT_EQ(done, 200);
  EXPECT_LE(most, 3);
}

TEST(Serve, OneAfterTheOtherEachIsGoneBeforeTheNextIsWaitedFor) {
  auto kept = std::make_shared<int>(0);
  int left = 3;
  serve({.next = [&]() -> Job {
          EXPECT_EQ(kept.use_count(), 1);
          if (left-- == 0) return {};
          return [kept] { EXPECT_GT(kept.use_count(), 1); };
        }},
        1);
}

TEST(Serve, SaysWhenAllAreAtWork) {
  int full = 0;
  JobSource jobs = jobs_of(2, [] {});
  jobs.all_at_work = [&] { ++full; };
  serve(jobs, 1);
  EXPECT_EQ(full, 2);
}

}  // namespace
}  // namespace tracedeck::flow
