// The workload `freertos`: what a device with six tasks, three queues and two interrupts traces, as
// its recorder writes it: frames of 9.5 bytes on average, times of a microsecond clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracedeck/tband/device.hpp"

namespace tracedeck::bench {

inline constexpr std::uint64_t kTbandEvents = 1'000'000;

// Numbers without pattern, the same ones every time.
class Lcg {
 public:
  std::uint32_t operator()(std::uint32_t below) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33) % below);
  }

 private:
  std::uint64_t state_ = 4;
};

// Writes one event of the workload and returns its size.
class TbandWorkload {
 public:
  std::size_t write(std::uint8_t* out) {
    namespace device = tband::device;
    ts_ += random_(4000);
    const std::uint32_t task = 1 + random_(6);
    const std::uint32_t queue = 1 + random_(3);
    switch (random_(10)) {
      case 0:
        return device::isr_enter(out, ts_, 15 + random_(2));
      case 1:
        return device::isr_exit(out, ts_, 15 + random_(2));
      case 2:
        return device::queue_send(out, ts_, queue, random_(4));
      case 3:
        return device::queue_receive(out, ts_, queue, random_(4));
      case 4:
        return device::task_to_rdy_state(out, ts_, task);
      case 5:
        return device::curtask_block_on_queue_receive(out, ts_, queue, 50'000);
      case 6:
        return device::valmarker(out, ts_, 1, static_cast<std::int64_t>(random_(20'000)) - 10'000);
      case 7:
        return device::task_priority_set(out, ts_, task, random_(200));
      default:
        return device::task_switched_in(out, ts_, task);
    }
  }

 private:
  Lcg random_;
  std::uint64_t ts_ = 5'000'000'000;
};

// `events` of them, after the length of a tick and names.
inline std::vector<std::uint8_t> tband_workload(std::uint64_t events) {
  namespace device = tband::device;
  std::vector<std::uint8_t> trace;
  std::array<std::uint8_t, device::kMaxFrameSize> frame{};
  const auto add = [&](std::size_t size) {
    trace.insert(trace.end(), frame.data(), frame.data() + size);
  };
  add(device::ts_resolution_ns(frame.data(), 1000));
  for (std::uint32_t task = 1; task <= 6; ++task)
    add(device::task_name(frame.data(), task, "task"));
  add(device::isr_name(frame.data(), 15, "SysTick"));
  TbandWorkload workload;
  for (std::uint64_t i = 8; i < events; ++i) add(workload.write(frame.data()));
  return trace;
}

}  // namespace tracedeck::bench
