// Encoding Tonbandgerät events with the functions for devices, values made beforehand. Items are
// events.
#include <benchmark/benchmark.h>

#include "bench/tband_workload.hpp"
#include "tracedeck/tband/device.hpp"

namespace tracedeck::bench {
namespace {

struct Prepared {
  std::uint8_t kind;
  std::uint32_t one;
  std::uint32_t two;
  std::uint64_t ts;
};

const std::vector<Prepared>& prepared() {
  static const std::vector<Prepared> kEvents = [] {
    std::vector<Prepared> events(kTbandEvents);
    Lcg random;
    std::uint64_t ts = 5'000'000'000;
    for (Prepared& each : events) {
      ts += random(4000);
      each = {.kind = static_cast<std::uint8_t>(random(6)),
              .one = 1 + random(6),
              .two = random(200),
              .ts = ts};
    }
    return events;
  }();
  return kEvents;
}

std::size_t write(std::uint8_t* out, const Prepared& event) {
  namespace device = tband::device;
  switch (event.kind) {
    case 0:
      return device::isr_enter(out, event.ts, event.one);
    case 1:
      return device::queue_send(out, event.ts, event.one, event.two);
    case 2:
      return device::task_priority_set(out, event.ts, event.one, event.two);
    case 3:
      return device::valmarker(out, event.ts, event.one, -static_cast<std::int64_t>(event.two));
    case 4:
      return device::task_to_rdy_state(out, event.ts, event.one);
    default:
      return device::task_switched_in(out, event.ts, event.one);
  }
}

void encode(benchmark::State& state) {
  const std::vector<Prepared>& events = prepared();
  std::vector<std::uint8_t> buffer(events.size() * tband::device::kMaxFrameSize);
  std::size_t bytes = 0;
  for (auto _ : state) {
    std::uint8_t* out = buffer.data();
    for (const Prepared& event : events) out += write(out, event);
    bytes = static_cast<std::size_t>(out - buffer.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["bytes/event"] = static_cast<double>(bytes) / static_cast<double>(events.size());
}
BENCHMARK(encode)->Name("tband_encode/mixed")->Unit(benchmark::kMillisecond);

// As a tracer calls them: the kind of each event is known where it is traced.
void encode_in_turn(benchmark::State& state) {
  const std::vector<Prepared>& events = prepared();
  std::vector<std::uint8_t> buffer(events.size() * tband::device::kMaxFrameSize);
  std::size_t bytes = 0;
  for (auto _ : state) {
    namespace device = tband::device;
    std::uint8_t* out = buffer.data();
    for (std::size_t i = 0; i + 3 < events.size(); i += 4) {
      const Prepared* const of = &events[i];
      out += device::isr_enter(out, of[0].ts, of[0].one);
      out += device::queue_send(out, of[1].ts, of[1].one, of[1].two);
      out += device::valmarker(out, of[2].ts, of[2].one, -static_cast<std::int64_t>(of[2].two));
      out += device::task_switched_in(out, of[3].ts, of[3].one);
    }
    bytes = static_cast<std::size_t>(out - buffer.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["bytes/event"] = static_cast<double>(bytes) / static_cast<double>(events.size());
}
BENCHMARK(encode_in_turn)->Name("tband_encode/in_turn")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
