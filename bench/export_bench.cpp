// Writing the workload of mark_workload.hpp for other programs, into nowhere. Items are slices.
#include <benchmark/benchmark.h>

#include "bench/counting_output.hpp"
#include "bench/mark_workload.hpp"
#include "tracedeck/export/chrome.hpp"
#include "tracedeck/export/perfetto.hpp"

namespace tracedeck::bench {
namespace {

constexpr std::uint64_t kSlices = 1'000'000;

template <class Make>
void write(benchmark::State& state, Make make) {
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    CountingOutput output;
    PollMarks marks;
    if (!marks.give(*make(output), kSlices)) state.SkipWithError("writing failed");
    bytes = output.count();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kSlices) * state.iterations());
  state.counters["bytes/slice"] = static_cast<double>(bytes) / static_cast<double>(kSlices);
}

void BM_marks(benchmark::State& state) {
  struct Nowhere final : timeline::MarkSink {
    Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark> marks) override {
      benchmark::DoNotOptimize(marks.data());
      return {};
    }
    Result<void> finish(const timeline::Timeline&) override { return {}; }
  };
  write(state, [](io::Output&) { return std::make_unique<Nowhere>(); });
}
BENCHMARK(BM_marks)->Name("export/marks")->Unit(benchmark::kMillisecond);

void BM_perfetto(benchmark::State& state) {
  write(state, [](io::Output& output) { return exporting::make_perfetto(output, {}); });
}
BENCHMARK(BM_perfetto)->Name("export/perfetto")->Unit(benchmark::kMillisecond);

void BM_chrome(benchmark::State& state) {
  write(state, [](io::Output& output) { return exporting::make_chrome(output); });
}
BENCHMARK(BM_chrome)->Name("export/chrome")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
