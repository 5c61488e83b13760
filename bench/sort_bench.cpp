// Sorting a million events by time, from what is in order to what is not at all.
#include "tracedeck/flow/sort.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "bench/made_up_events.hpp"

namespace {

using namespace tracedeck;

constexpr std::uint64_t kSortedEvents = 1'000'000;

// Times that grow by 1000 ns on average, less a random number of up to `disorder` ns.
std::vector<std::uint64_t> nearly_sorted(std::uint64_t disorder) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> times;
  times.reserve(kSortedEvents);
  for (std::uint64_t i = 0; i < kSortedEvents; ++i) {
    times.push_back(2 * disorder + 1000 * i - random() % (disorder + 1));
  }
  return times;
}

// As eight threads record them that each write 50,000 events at a time.
std::vector<std::uint64_t> in_segments() {
  constexpr std::uint64_t kThreads = 8;
  constexpr std::uint64_t kSegment = 50'000;
  std::vector<std::uint64_t> times;
  times.reserve(kSortedEvents);
  for (std::uint64_t i = 0; i < kSortedEvents; ++i) {
    const std::uint64_t round = i / (kThreads * kSegment);
    times.push_back((round * kSegment + i % kSegment) * kThreads * 100 + i / kSegment % kThreads);
  }
  return times;
}

void sort_all(benchmark::State& state, const std::vector<std::uint64_t>& times, bool reopens) {
  const std::vector<BatchPtr> batches = bench::MadeUpEvents().batches(times);
  std::uint64_t records = 0;
  for (auto _ : state) {
    const auto open = [&](bool) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
      std::vector<std::unique_ptr<RecordSource>> sources;
      sources.push_back(std::make_unique<bench::KeptBatches>(batches));
      return sources;
    };
    const flow::SortInput input = {.open = open, .reopens = reopens};
    records += bench::drain(*flow::sort({input}));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
}

void BM_sort_nearly_sorted(benchmark::State& state) {
  sort_all(state, nearly_sorted(static_cast<std::uint64_t>(state.range(0))), true);
}
BENCHMARK(BM_sort_nearly_sorted)
    ->ArgName("disorder")
    ->Args({0})
    ->Args({10'000})
    ->Args({1'000'000})
    ->Unit(benchmark::kMillisecond);

void BM_sort_with_stray(benchmark::State& state) {
  std::vector<std::uint64_t> times = nearly_sorted(10'000);
  for (std::uint64_t i = 1; i <= 1000; ++i) times[times.size() - i] = 0;
  sort_all(state, times, true);
}
BENCHMARK(BM_sort_with_stray)->Unit(benchmark::kMillisecond);

void BM_sort_externally_sorted(benchmark::State& state) {
  sort_all(state, nearly_sorted(0), false);
}
BENCHMARK(BM_sort_externally_sorted)->Unit(benchmark::kMillisecond);

void BM_sort_externally_segments(benchmark::State& state) { sort_all(state, in_segments(), true); }
BENCHMARK(BM_sort_externally_segments)->Unit(benchmark::kMillisecond);

void BM_sort_externally_random(benchmark::State& state) {
  std::vector<std::uint64_t> times = nearly_sorted(0);
  std::shuffle(times.begin(), times.end(), std::mt19937_64(2));
  sort_all(state, times, true);
}
BENCHMARK(BM_sort_externally_random)->Unit(benchmark::kMillisecond);

}  // namespace
