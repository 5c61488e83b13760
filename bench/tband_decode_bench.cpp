// Decoding the Tonbandgerät workload: natively with a visitor, through the reader to the tape, and
// skipping values. Items are events.
#include <benchmark/benchmark.h>

#include "bench/tband_workload.hpp"
#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/tband/decoder.hpp"
#include "tracedeck/tband/reader.hpp"

namespace tracedeck::bench {
namespace {

const PaddedBytes& workload() {
  static const PaddedBytes kBytes{ByteSpan(tband_workload(kTbandEvents))};
  return kBytes;
}

void count(benchmark::State& state, std::uint64_t events) {
  if (events != kTbandEvents) state.SkipWithError("events are missing");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTbandEvents));
  const std::size_t size = workload().view().size;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  state.counters["bytes/event"] = static_cast<double>(size) / static_cast<double>(kTbandEvents);
}

// Looks at every field of every event.
struct SummingVisitor {
  std::uint64_t sum = 0;
  void event(const tband::EventView& view) {
    std::uint64_t total = view.timestamp;
    for (std::size_t i = 0; i < view.field_count; ++i) total += view.numbers[i];
    sum += total;
  }
};

void visit(benchmark::State& state) {
  const PaddedView trace = workload().view();
  std::uint64_t events = 0;
  for (auto _ : state) {
    SummingVisitor visitor;
    events = tband::decode(trace, visitor);
    benchmark::DoNotOptimize(visitor.sum);
  }
  count(state, events);
}
BENCHMARK(visit)->Name("tband_decode/visit")->Unit(benchmark::kMillisecond);

template <bool Values>
void read(benchmark::State& state) {
  std::uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto input = io::memory_input("workload", workload().view().span());
    state.ResumeTiming();
    const auto reader = tband::open_reader(std::move(input), {.values = Values});
    events = 0;
    for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
      for (const Record& record : (*batch)->records())
        events += record.kind == RecordKind::kEvent ? 1 : 0;
    }
  }
  count(state, events);
}
BENCHMARK(read<true>)->Name("tband_decode/tape")->Unit(benchmark::kMillisecond);
BENCHMARK(read<false>)->Name("tband_decode/skip")->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  std::uint64_t events = 0;
  std::string shown;
  for (auto _ : state) {
    const auto reader =
        tband::open_reader(io::memory_input("workload", workload().view().span()), {});
    shown.clear();
    const auto output = io::memory_output(shown);
    const auto writer = render::json_lines_writer(*output);
    events = 0;
    for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
      for (const Record& record : (*batch)->records()) {
        events += record.kind == RecordKind::kEvent ? 1 : 0;
        if (!writer->write(record)) state.SkipWithError("it cannot be written");
      }
    }
    if (!writer->finish()) state.SkipWithError("it cannot be written");
  }
  count(state, events);
}
BENCHMARK(print)->Name("tband_decode/jsonl")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
