// Encoding the workloads of dial9_workload.hpp: from an empty buffer (whose fresh pages bound it),
// into memory used before, and to a sink that throws the bytes away. Items are events.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/dial9_workload.hpp"

namespace tracedeck::bench {
namespace {

void report(benchmark::State& state, std::uint64_t bytes_per_run, bool ok) {
  if (!ok) state.SkipWithError("an event could not be written");
  state.SetItemsProcessed(static_cast<std::int64_t>(kWorkloadEvents) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes_per_run) * state.iterations());
}

template <std::size_t Frames>
void BM_EncodeFromEmpty(benchmark::State& state) {
  bool ok = true;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    dial9::Encoder encoder;
    ok &= encode_workload<Frames>(encoder, kWorkloadEvents);
    bytes = encoder.size();
  }
  report(state, bytes, ok);
}

template <std::size_t Frames>
void BM_EncodeReused(benchmark::State& state) {
  bool ok = true;
  dial9::Encoder encoder;
  for (auto _ : state) {
    encoder.clear();
    ok &= encode_workload<Frames>(encoder, kWorkloadEvents);
  }
  report(state, encoder.size(), ok);
}

template <std::size_t Frames>
void BM_EncodeToSink(benchmark::State& state) {
  bool ok = true;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    dial9::Encoder encoder([](ByteSpan chunk) -> Result<void> {
      benchmark::DoNotOptimize(chunk.data());
      return {};
    });
    ok &= encode_workload<Frames>(encoder, kWorkloadEvents) && encoder.flush().has_value();
    bytes = encoder.size();
  }
  report(state, bytes, ok);
}

BENCHMARK_TEMPLATE(BM_EncodeFromEmpty, kMix3)
    ->Name("dial9_encode/empty/mix3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(BM_EncodeFromEmpty, kMix16)
    ->Name("dial9_encode/empty/mix16")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(BM_EncodeReused, kMix3)
    ->Name("dial9_encode/reused/mix3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(BM_EncodeReused, kMix16)
    ->Name("dial9_encode/reused/mix16")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(BM_EncodeToSink, kMix3)
    ->Name("dial9_encode/sink/mix3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(BM_EncodeToSink, kMix16)
    ->Name("dial9_encode/sink/mix16")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
