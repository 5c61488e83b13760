// The workloads `mix3` and `mix16`: five described classes of a scheduler's trace, in turn, with
// stacks of 3 or 16 frames. One million events of each have known checksums
// (tracedeck/dial9/workload_test.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/dial9/encoder.hpp"

namespace tracedeck::bench {

inline constexpr std::uint64_t kWorkloadEvents = 1'000'000;
inline constexpr std::size_t kMix3 = 3;
inline constexpr std::size_t kMix16 = 16;

struct PollStart {
  std::uint64_t timestamp;
  std::uint64_t worker_id;
  std::uint64_t local_queue_depth;
  std::uint64_t task_id;
  std::uint64_t spawn_loc_id;
};

struct PollEnd {
  std::uint64_t timestamp;
  std::uint64_t worker_id;
};

struct WorkerPark {
  std::uint64_t timestamp;
  std::uint64_t worker_id;
  std::uint64_t local_queue_depth;
  std::uint64_t cpu_time_ns;
};

struct WakeEvent {
  std::uint64_t timestamp;
  std::uint64_t waker_task_id;
  std::uint64_t woken_task_id;
  std::uint64_t target_worker;
};

struct CpuSample {
  std::uint64_t timestamp;
  std::uint64_t worker_id;
  std::uint32_t tid;
  std::uint8_t source;
  dial9::StackFrames frames;
};

}  // namespace tracedeck::bench

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;
namespace bench = tracedeck::bench;

template <>
inline constexpr auto kDescription<bench::PollStart> =
    describe<bench::PollStart>("PollStart", timestamp(&bench::PollStart::timestamp),
                               field("worker_id", &bench::PollStart::worker_id),
                               field("local_queue_depth", &bench::PollStart::local_queue_depth),
                               field("task_id", &bench::PollStart::task_id),
                               field("spawn_loc_id", &bench::PollStart::spawn_loc_id));

template <>
inline constexpr auto kDescription<bench::PollEnd> =
    describe<bench::PollEnd>("PollEnd", timestamp(&bench::PollEnd::timestamp),
                             field("worker_id", &bench::PollEnd::worker_id));

template <>
inline constexpr auto kDescription<bench::WorkerPark> =
    describe<bench::WorkerPark>("WorkerPark", timestamp(&bench::WorkerPark::timestamp),
                                field("worker_id", &bench::WorkerPark::worker_id),
                                field("local_queue_depth", &bench::WorkerPark::local_queue_depth),
                                field("cpu_time_ns", &bench::WorkerPark::cpu_time_ns));

template <>
inline constexpr auto kDescription<bench::WakeEvent> =
    describe<bench::WakeEvent>("WakeEvent", timestamp(&bench::WakeEvent::timestamp),
                               field("waker_task_id", &bench::WakeEvent::waker_task_id),
                               field("woken_task_id", &bench::WakeEvent::woken_task_id),
                               field("target_worker", &bench::WakeEvent::target_worker));

template <>
inline constexpr auto kDescription<bench::CpuSample> = describe<bench::CpuSample>(
    "CpuSample", timestamp(&bench::CpuSample::timestamp),
    field("worker_id", &bench::CpuSample::worker_id), field("tid", &bench::CpuSample::tid),
    field("source", &bench::CpuSample::source), field("frames", &bench::CpuSample::frames));

}  // namespace tracedeck_descriptions

namespace tracedeck::bench {

// The stack of event `i`, of which `mix3` takes the first 3 frames.
inline void make_stack(std::uint64_t i, std::span<std::uint64_t> frames) {
  constexpr std::uint64_t kBase = 0x5555'5555'0000;
  frames[0] = kBase + i % 100 * 0x10;
  frames[1] = kBase + 0x1000 + i % 50 * 0x20;
  for (std::size_t k = 2; k < frames.size(); ++k) frames[k] = kBase + 0x1000 * k;
}

// Encodes the first `events` events with stacks of `Frames` frames. False when a write failed.
template <std::size_t Frames>
bool encode_workload(dial9::Encoder& encoder, std::uint64_t events) {
  std::uint64_t ts = 1'000'000'000;
  bool ok = true;
  for (std::uint64_t i = 0; i < events; ++i) {
    ts += 500 + i % 200;
    switch (i % 5) {
      case 0:
        ok &= encoder.write(PollStart{ts, i % 8, i % 32, 1000 + i % 5000, i % 20}).has_value();
        break;
      case 1:
        ok &= encoder.write(PollEnd{ts, i % 8}).has_value();
        break;
      case 2:
        ok &= encoder.write(WorkerPark{ts, i % 8, i % 16, 500'000'000 + i * 100}).has_value();
        break;
      case 3:
        ok &=
            encoder.write(WakeEvent{ts, 1000 + i % 5000, 1000 + (i + 1) % 5000, i % 8}).has_value();
        break;
      default: {
        std::array<std::uint64_t, Frames> frames;
        make_stack(i, frames);
        ok &= encoder
                  .write(CpuSample{ts, i % 8, static_cast<std::uint32_t>(12345 + i % 4), 0, frames})
                  .has_value();
        break;
      }
    }
  }
  return ok;
}

}  // namespace tracedeck::bench
