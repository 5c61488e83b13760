// Merging sources of 100,000 events each: evenly interleaved, or in bursts of 64 events.
#include "tracedeck/flow/merge.hpp"

#include <benchmark/benchmark.h>

#include <random>

#include "bench/made_up_events.hpp"

namespace {

using namespace tracedeck;

constexpr std::uint64_t kEvents = 100'000;

std::vector<std::uint64_t> times_of(std::uint64_t source, std::uint64_t sources,
                                    std::uint64_t burst) {
  std::mt19937_64 random(source);
  std::vector<std::uint64_t> times;
  times.reserve(kEvents);
  std::uint64_t time = random() % (1000 * sources);
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    // On average each source has an event every 1000 * `sources` ns.
    time += i % burst == 0 ? random() % (2000 * sources * burst) : 1;
    times.push_back(time);
  }
  return times;
}

void BM_merge(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const bench::MadeUpEvents events;
  std::vector<std::vector<BatchPtr>> batches;
  batches.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    batches.push_back(
        events.batches(times_of(i, count, static_cast<std::uint64_t>(state.range(1)))));
  }
  std::uint64_t records = 0;
  for (auto _ : state) {
    std::vector<std::unique_ptr<RecordSource>> sources;
    sources.reserve(count);
    for (const auto& source : batches)
      sources.push_back(std::make_unique<bench::KeptBatches>(source));
    records += bench::drain(*flow::merge(std::move(sources)));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
}
BENCHMARK(BM_merge)
    ->ArgNames({"sources", "burst"})
    ->ArgsProduct({{2, 10, 100}, {1, 64}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
