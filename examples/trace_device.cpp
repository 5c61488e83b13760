// A device that traces itself, in small: two tasks and an interrupt, events as a tracer on bare
// metal writes them, kept in memory and saved as a snapshot.
//
//   trace_device TRACE
//
// On a device the includes of the C++ library would not be there: the header needs none of them.

#include <array>
#include <cstdint>
#include <cstdio>

#include "tracedeck/tband/device.hpp"

namespace device = tracedeck::tband::device;

namespace {

// Where frames go: on a device a piece of memory that a debugger reads out.
class Memory {
 public:
  // Adds what `write` puts into the buffer it is given; drops and counts what has no room.
  template <class Write>
  void add(Write write) {
    std::array<std::uint8_t, device::kMaxFrameSize> frame{};
    const std::size_t size = write(frame.data());
    if (size > bytes_.size() - used_) {
      ++dropped_;
      return;
    }
    for (std::size_t i = 0; i < size; ++i) bytes_[used_++] = frame[i];
  }

  [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::uint32_t dropped() const { return dropped_; }

 private:
  std::array<std::uint8_t, 2048> bytes_{};
  std::size_t used_ = 0;
  std::uint32_t dropped_ = 0;
};

constexpr std::uint32_t kSensor = 1;
constexpr std::uint32_t kRadio = 2;
constexpr std::uint32_t kUart = 37;
constexpr std::uint32_t kQueue = 1;

void describe(Memory& memory) {
  memory.add([](auto* out) { return device::ts_resolution_ns(out, 25); });
  memory.add([](auto* out) { return device::task_name(out, kSensor, "sensor"); });
  memory.add([](auto* out) { return device::task_name(out, kRadio, "radio"); });
  memory.add([](auto* out) { return device::isr_name(out, kUart, "UART"); });
  memory.add([](auto* out) { return device::queue_name(out, kQueue, "samples"); });
  memory.add([](auto* out) { return device::queue_kind(out, kQueue, 0); });
}

// One turn of the device: the sensor measures, the radio sends.
void work(Memory& memory, std::uint64_t ts, std::int64_t sample) {
  memory.add([&](auto* out) { return device::task_switched_in(out, ts, kSensor); });
  memory.add([&](auto* out) { return device::valmarker(out, ts + 40, 0, sample); });
  memory.add([&](auto* out) { return device::queue_send(out, ts + 60, kQueue, 1); });
  memory.add([&](auto* out) { return device::task_switched_in(out, ts + 90, kRadio); });
  memory.add([&](auto* out) { return device::queue_receive(out, ts + 95, kQueue, 0); });
  memory.add([&](auto* out) { return device::isr_enter(out, ts + 300, kUart); });
  memory.add([&](auto* out) { return device::isr_exit(out, ts + 340, kUart); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  Memory memory;
  describe(memory);
  std::uint64_t ts = 0;
  for (int turn = 0; turn < 30; ++turn, ts += 40'000) work(memory, ts, 250 - turn * turn);
  memory.add([&](auto* out) { return device::dropped_evt_cnt(out, ts, memory.dropped()); });

  std::FILE* const file = std::fopen(arguments[1], "wb");
  if (file == nullptr) return 1;
  const bool written = std::fwrite(memory.data(), 1, memory.size(), file) == memory.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}
