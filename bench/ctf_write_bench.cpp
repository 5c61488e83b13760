// Writing events of LTTng shape into CTF packets: 75 % one 32-bit integer, 25 % a 64-bit and a
// 32-bit integer, a string and an enumeration, about 20 bytes an event. The packets go to an output
// that throws them away. Items are events.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/ctf/write/producer.hpp"

namespace tracedeck::bench {

enum class Phase : std::uint8_t { kIdle, kBusy, kDone };

struct Tick {
  std::uint32_t value = 0;
};
struct Step {
  std::uint64_t address = 0;
  std::int32_t delta = 0;
  std::string_view name;
  Phase phase = Phase::kIdle;
};

}  // namespace tracedeck::bench

template <>
inline constexpr auto tracedeck::ctf::kPayload<tracedeck::bench::Tick> =
    tracedeck::ctf::describe<tracedeck::bench::Tick>(
        "tick", tracedeck::ctf::field("value", &tracedeck::bench::Tick::value));
template <>
inline constexpr auto tracedeck::ctf::kPayload<tracedeck::bench::Step> =
    tracedeck::ctf::describe<tracedeck::bench::Step>(
        "step", tracedeck::ctf::field("address", &tracedeck::bench::Step::address),
        tracedeck::ctf::field("delta", &tracedeck::bench::Step::delta),
        tracedeck::ctf::field("name", &tracedeck::bench::Step::name),
        tracedeck::ctf::field("phase", &tracedeck::bench::Step::phase,
                              {{"idle", 0}, {"busy", 1}, {"done", 2}}));

namespace tracedeck::bench {
namespace {

constexpr std::uint64_t kEvents = 1'000'000;

class Nowhere final : public io::Output {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    bytes_ += bytes.size();
    return {};
  }
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  std::string name_ = "nowhere";
  std::uint64_t bytes_ = 0;
};

class NoDirectory final : public io::OutputDirectory {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_file(const std::string&) override {
    return std::make_unique<Nowhere>();
  }
  [[nodiscard]] Result<void> finish() override { return {}; }
  void discard() override {}

 private:
  std::string name_ = "nowhere";
};

void BM_CtfProduce(benchmark::State& state) {
  NoDirectory directory;
  auto producer = *ctf::Producer::create(directory, {});
  const ClockClass* const clock = *producer->add_clock({.id = "monotonic"});
  auto* const streams = *producer->add_stream_class({.name = "cpu", .clock = clock});
  const auto ticks = *producer->add_event<Tick>(*streams);
  const auto steps = *producer->add_event<Step>(*streams);
  auto* const stream = *producer->open_stream(*streams);
  constexpr std::string_view kNames[] = {"read", "write", "poll", "futex_wait"};
  std::uint64_t time = 0;
  bool ok = true;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      time += 100 + (i & 63);
      if (i % 4 != 3) {
        ok &= stream->write(ticks, time, Tick{.value = static_cast<std::uint32_t>(i)}).has_value();
      } else {
        ok &= stream
                  ->write(steps, time,
                          Step{.address = i << 12,
                               .delta = static_cast<std::int32_t>(i & 0xff) - 128,
                               .name = kNames[i / 4 % 4],
                               .phase = static_cast<Phase>(i / 4 % 3)})
                  .has_value();
      }
    }
  }
  if (!ok) state.SkipWithError("an event could not be written");
  state.SetItemsProcessed(static_cast<std::int64_t>(kEvents) * state.iterations());
}
BENCHMARK(BM_CtfProduce)->Unit(benchmark::kMillisecond);

// The same events with classes made at run time, as slots.
void BM_CtfProduceSlots(benchmark::State& state) {
  NoDirectory directory;
  auto producer = *ctf::Producer::create(directory, {});
  const ClockClass* const clock = *producer->add_clock({.id = "monotonic"});
  auto* const streams = *producer->add_stream_class({.name = "cpu", .clock = clock});
  auto* const steps =
      *producer->add_event_class(*streams, "step", ctf::kPayload<Step>.field_class());
  auto* const stream = *producer->open_stream(*streams);
  constexpr std::string_view kName = "futex_wait";
  std::uint64_t time = 0;
  bool ok = true;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      time += 100;
      const Slot slots[] = {unsigned_slot(i), signed_slot(-1),
                            bytes_slot(SlotKind::kString, as_bytes(kName).data(), kName.size()),
                            unsigned_slot(i % 3)};
      ok &= stream->write(*steps, time, slots).has_value();
    }
  }
  if (!ok) state.SkipWithError("an event could not be written");
  state.SetItemsProcessed(static_cast<std::int64_t>(kEvents) * state.iterations());
}
BENCHMARK(BM_CtfProduceSlots)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
