// Decoding the dial9 workloads: natively with a visitor, through the reader to the tape, and
// skipping values. Items are events.
#include <benchmark/benchmark.h>

#include "bench/dial9_decoding.hpp"
#include "bench/dial9_workload.hpp"
#include "tracedeck/base/padded_bytes.hpp"

namespace tracedeck::bench {
namespace {

template <std::size_t Frames>
const PaddedBytes& workload() {
  static const PaddedBytes kBytes = [] {
    dial9::Encoder encoder;
    encode_workload<Frames>(encoder, kWorkloadEvents);
    return PaddedBytes(encoder.bytes());
  }();
  return kBytes;
}

// Lends an input that is rewound between runs.
class BorrowedInput final : public io::Input {
 public:
  explicit BorrowedInput(io::Input& input) : input_(input) {}
  [[nodiscard]] const std::string& name() const override { return input_.name(); }
  [[nodiscard]] Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    return input_.read(into, size);
  }
  [[nodiscard]] bool seekable() const override { return true; }
  [[nodiscard]] Result<void> rewind() override { return input_.rewind(); }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return input_.size(); }
  [[nodiscard]] std::uint64_t stored_position() const override { return input_.stored_position(); }

 private:
  io::Input& input_;
};

void count(benchmark::State& state, ByteSpan trace, std::uint64_t events) {
  if (events != kWorkloadEvents) state.SkipWithError("events are missing");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kWorkloadEvents));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(trace.size()));
}

template <std::size_t Frames>
void visit_workload(benchmark::State& state) {
  const PaddedView trace = workload<Frames>().view();
  std::uint64_t events = 0;
  for (auto _ : state) benchmark::DoNotOptimize(events = visit(trace));
  count(state, trace.span(), events);
}
BENCHMARK(visit_workload<kMix3>)->Name("dial9_decode/visit/mix3")->Unit(benchmark::kMillisecond);
BENCHMARK(visit_workload<kMix16>)->Name("dial9_decode/visit/mix16")->Unit(benchmark::kMillisecond);

template <std::size_t Frames, bool Values>
void read_workload(benchmark::State& state) {
  const ByteSpan trace = workload<Frames>().view().span();
  const auto input = io::memory_input("workload", trace);
  std::uint64_t events = 0;
  for (auto _ : state) {
    if (!input->rewind()) state.SkipWithError("memory does not rewind");
    benchmark::DoNotOptimize(events =
                                 count_events(std::make_unique<BorrowedInput>(*input), Values));
  }
  count(state, trace, events);
}
BENCHMARK(read_workload<kMix3, true>)
    ->Name("dial9_decode/tape/mix3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_workload<kMix16, true>)
    ->Name("dial9_decode/tape/mix16")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_workload<kMix3, false>)
    ->Name("dial9_decode/skip/mix3")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_workload<kMix16, false>)
    ->Name("dial9_decode/skip/mix16")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
