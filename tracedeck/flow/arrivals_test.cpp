#include "tracedeck/flow/arrivals.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace tracedeck::flow {
namespace {

BatchPtr batch_of(std::uint64_t events) {
  auto batch = std::make_shared<Batch>(0);
  batch->reserve(1);
  batch->add_loss({.events = events});
  return batch;
}

std::uint64_t number_of(const Result<BatchPtr>& batch) {
  return (*batch)->records().front().loss->events.value();
}

// Yields the numbers it was let to, then ends or fails.
class Steered final : public RecordSource {
 public:
  struct Steering {
    std::counting_semaphore<> allowed{0};
    std::atomic<std::uint64_t> made = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool fails = false;

    void allow(std::ptrdiff_t count_of) { allowed.release(count_of); }
  };
  explicit Steered(Steering& steering) : steering_(steering) {}

  Result<BatchPtr> next() override {
    steering_.allowed.acquire();
    const std::uint64_t made = steering_.made++;
    if (made < steering_.count) return batch_of(steering_.first + made);
    if (steering_.fails) return fail(ErrorCode::kReadFailed, "as it was asked to");
    return nullptr;
  }

 private:
  Steering& steering_;
};

std::unique_ptr<Arrivals> arrivals_of(std::initializer_list<Steered::Steering*> all) {
  std::vector<std::unique_ptr<SourceFeed>> feeds;
  for (Steered::Steering* each : all)
    feeds.push_back(single_source(std::make_unique<Steered>(*each)));
  return std::make_unique<Arrivals>(std::move(feeds), [all = std::vector(all)] {
    for (Steered::Steering* each : all) each->allow(1000);
  });
}

constexpr std::chrono::milliseconds kShort{20};
constexpr std::chrono::seconds kLong{60};

TEST(Arrivals, ComeInTheOrderInWhichTheyCome) {
  Steered::Steering a{.first = 10, .count = 2};
  Steered::Steering b{.first = 20, .count = 2};
  const auto arrivals = arrivals_of({&a, &b});
  EXPECT_FALSE(arrivals->ready(kShort));
  for (auto [which, number] : {std::pair(&b, 20U), std::pair(&a, 10U), std::pair(&b, 21U)}) {
    which->allow(1);
    EXPECT_TRUE(arrivals->ready(kLong));
    EXPECT_EQ(number_of(arrivals->next()), number);
  }
  b.allow(1);
  EXPECT_FALSE(arrivals->ready(kShort));
  a.allow(2);
  EXPECT_EQ(number_of(arrivals->next()), 11U);
  EXPECT_TRUE(arrivals->ready(kLong));
  EXPECT_EQ(arrivals->next().value(), nullptr);
  EXPECT_EQ(arrivals->next().value(), nullptr);
}

TEST(Arrivals, AnErrorEndsItsSourceAlone) {
  Steered::Steering a{.count = 1, .fails = true};
  Steered::Steering b{.first = 20, .count = 1};
  const auto arrivals = arrivals_of({&a, &b});
  a.allow(2);
  EXPECT_EQ(number_of(arrivals->next()), 0U);
  EXPECT_FALSE(arrivals->next());
  b.allow(2);
  EXPECT_EQ(number_of(arrivals->next()), 20U);
  EXPECT_EQ(arrivals->next().value(), nullptr);
}

TEST(Arrivals, ASourceWaitsWhenNobodyTakes) {
  Steered::Steering a{.count = 1000};
  const auto arrivals = arrivals_of({&a});
  a.allow(1001);
  EXPECT_TRUE(arrivals->ready(kLong));
  std::this_thread::sleep_for(kShort);
  EXPECT_LT(a.made, 100U);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(number_of(arrivals->next()), i);
  EXPECT_EQ(arrivals->next().value(), nullptr);
}

TEST(Arrivals, CanBeGivenUp) {
  Steered::Steering full{.count = 1000};
  Steered::Steering waiting{.count = 1000};
  const auto arrivals = arrivals_of({&full, &waiting});
  full.allow(100);
  EXPECT_TRUE(arrivals->ready(kLong));
}

}  // namespace
}  // namespace tracedeck::flow
