// Encoding and decoding Heph packets of 80 bytes with two attributes: natively, to the tape, and
// as JSON lines. Items are events.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/heph_workload.hpp"
#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/reader.hpp"
#include "tracedeck/heph/recorder.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/json_lines.hpp"

namespace tracedeck::bench {
namespace {

void report(benchmark::State& state, std::uint64_t events, std::uint64_t bytes) {
  if (events != kHephEvents) state.SkipWithError("events are missing");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kHephEvents));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

const PaddedBytes& workload() {
  static const PaddedBytes kBytes = [] {
    heph::Encoder encoder;
    if (!encode_heph_workload(encoder, kHephEvents)) return PaddedBytes();
    return PaddedBytes(encoder.bytes());
  }();
  return kBytes;
}

void encode(benchmark::State& state) {
  bool ok = true;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    heph::Encoder encoder([](ByteSpan chunk) -> Result<void> {
      benchmark::DoNotOptimize(chunk.data());
      return {};
    });
    ok &= encode_heph_workload(encoder, kHephEvents) && encoder.flush().has_value();
    bytes = encoder.size();
  }
  report(state, ok ? kHephEvents : 0, bytes);
}
BENCHMARK(encode)->Name("heph/encode")->Unit(benchmark::kMillisecond);

void record(benchmark::State& state) {
  heph::Recorder recorder([](ByteSpan) -> Result<void> { return {}; });
  heph::RecorderStream& stream = recorder.this_thread();
  std::uint64_t i = 0;
  for (auto _ : state) {
    const heph::Span span = stream.start();
    benchmark::DoNotOptimize(
        stream.finish(span, "poll actor", {{"id", i}, {"busy", i % 4096}}).has_value());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record)->Name("heph/record");

struct CountingVisitor {
  std::uint64_t events = 0;
  std::uint64_t sum = 0;
  void event(const heph::EventView& view) {
    ++events;
    for (const heph::Value& value : view.values) sum += value.bits;
  }
};

void visit(benchmark::State& state) {
  const PaddedView trace = workload().view();
  std::uint64_t events = 0;
  for (auto _ : state) {
    CountingVisitor visitor;
    heph::decode(trace, visitor);
    benchmark::DoNotOptimize(visitor.sum);
    events = visitor.events;
  }
  report(state, events, trace.size);
}
BENCHMARK(visit)->Name("heph/visit")->Unit(benchmark::kMillisecond);

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

template <bool Values>
void read(benchmark::State& state) {
  const ByteSpan trace = workload().view().span();
  const auto input = io::memory_input("workload", trace);
  std::uint64_t events = 0;
  for (auto _ : state) {
    if (!input->rewind()) state.SkipWithError("memory does not rewind");
    auto reader = heph::open_reader(std::make_unique<BorrowedInput>(*input), {.values = Values});
    events = 0;
    for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
      for (const Record& each : (*batch)->records()) events += each.kind == RecordKind::kEvent;
    }
  }
  report(state, events, trace.size());
}
BENCHMARK(read<true>)->Name("heph/tape")->Unit(benchmark::kMillisecond);
BENCHMARK(read<false>)->Name("heph/skip")->Unit(benchmark::kMillisecond);

// Keeps no bytes.
class NoOutput final : public io::Output {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    benchmark::DoNotOptimize(bytes.data());
    return {};
  }
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  std::string name_ = "nowhere";
};

void print(benchmark::State& state) {
  const ByteSpan trace = workload().view().span();
  const auto input = io::memory_input("workload", trace);
  std::uint64_t events = 0;
  for (auto _ : state) {
    if (!input->rewind()) state.SkipWithError("memory does not rewind");
    auto reader = heph::open_reader(std::make_unique<BorrowedInput>(*input), {});
    NoOutput output;
    const auto writer = render::json_lines_writer(output);
    events = 0;
    for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
      for (const Record& each : (*batch)->records()) {
        events += each.kind == RecordKind::kEvent;
        if (!writer->write(each)) state.SkipWithError("a record could not be written");
      }
    }
  }
  report(state, events, trace.size());
}
BENCHMARK(print)->Name("heph/print_jsonl")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
