// JSON lines of a synthetic event with three small unsigned fields and a nanosecond time.
#include "tracedeck/render/json_lines.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "bench/counting_output.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace {

using namespace tracedeck;
using bench::CountingOutput;

FieldClassPtr three_unsigned() {
  StructureClass structure;
  for (const char* name : {"worker_id", "local_queue_depth", "task_id"}) {
    structure.members.push_back(
        {.name = name,
         .field_class = make_field_class(IntegerClass{.layout = Leb128Layout{}}),
         .attributes = {}});
  }
  return make_field_class(structure);
}

void BM_json_lines(benchmark::State& state) {
  constexpr std::size_t kClasses = 5;
  TraceDescription description("bench", "dial9", "1");
  const ClockClass& clock = description.add_clock({});
  std::array<const EventClass*, kClasses> classes;
  for (std::uint64_t i = 0; i < kClasses; ++i) {
    classes[i] = &description.add_event_class({.id = i,
                                               .name = "PollStartEvent",
                                               .name_space = {},
                                               .uid = {},
                                               .clock = &clock,
                                               .payload = three_unsigned()});
  }
  const DataStream stream{.stream_class = nullptr, .keys = {{"segment", 0}}, .file = {}};

  CountingOutput output;
  const auto writer = render::json_lines_writer(output);
  std::array<Slot, 3> slots = {unsigned_slot(0), unsigned_slot(0), unsigned_slot(0)};
  std::uint64_t i = 0;
  for (auto _ : state) {
    slots[0].bits = i % 8;
    slots[1].bits = i % 32;
    slots[2].bits = 1000 + i % 5000;
    const Record record(Event{.event_class = classes[i % kClasses],
                              .stream = &stream,
                              .time = 503'226'032'430'072 + 500 * i,
                              .slots = slots.data(),
                              .slot_count = slots.size()});
    if (!writer->write(record)) state.SkipWithError("write failed");
    ++i;
  }
  if (!writer->finish()) state.SkipWithError("finish failed");
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(i), benchmark::Counter::kIsRate);
  state.counters["bytes/event"] = static_cast<double>(output.count()) / static_cast<double>(i);
}
BENCHMARK(BM_json_lines);

}  // namespace
