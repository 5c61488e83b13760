#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/incidents/recorders.hpp"
#include "tracedeck/tband/device.hpp"

namespace tracedeck::tests {
namespace {

namespace device = tband::device;

constexpr std::uint32_t kIdle = 1;
// Locks come behind queues.
constexpr std::uint32_t kFirstLock = 100;

std::uint32_t task_id(const Task& task) { return static_cast<std::uint32_t>(task.number) + 2; }
std::uint32_t queue_id(std::size_t queue) { return static_cast<std::uint32_t>(queue) + 1; }
std::uint32_t lock_id(std::size_t lock) { return static_cast<std::uint32_t>(lock) + kFirstLock; }

class TbandRecorder final : public Recorder {
 public:
  explicit TbandRecorder(Machine& machine) : machine_(machine) {
    add([](auto* to) { return device::ts_resolution_ns(to, 1); });
    add([](auto* to) { return device::task_name(to, kIdle, "IDLE"); });
    add([](auto* to) { return device::task_is_idle_task(to, kIdle, 0); });
  }

  void switched(int, const Task*, const Task* to) override {
    const std::uint32_t id = to == nullptr ? kIdle : task_id(*to);
    at_time([&](auto* frame, Time now) { return device::task_switched_in(frame, now, id); });
  }
  void woken(const Task& task, const Task*) override {
    const std::uint32_t id = task_id(task);
    if (named_.insert({task.number, true}).second) {
      at_time([&](auto* frame, Time now) { return device::task_created(frame, now, id); });
      add([&](auto* frame) { return device::task_name(frame, id, task.name.c_str()); });
      const auto priority = static_cast<std::uint32_t>(task.priority);
      at_time([&](auto* frame, Time now) {
        return device::task_priority_set(frame, now, id, priority);
      });
    }
    at_time([&](auto* frame, Time now) { return device::task_to_rdy_state(frame, now, id); });
  }
  void blocked(const Task&, const Step& step) override {
    constexpr std::uint32_t kForever = 0xFFFF'FFFF;
    at_time([&](auto* frame, Time now) -> std::size_t {
      switch (step.kind) {
        case Step::Kind::kLock:
          return device::curtask_block_on_queue_receive(frame, now, lock_id(step.object), kForever);
        case Step::Kind::kReceive:
          return device::curtask_block_on_queue_receive(frame, now, queue_id(step.object),
                                                        kForever);
        case Step::Kind::kSend:
          return device::curtask_block_on_queue_send(frame, now, queue_id(step.object), kForever);
        default:
          return device::curtask_delay(frame, now,
                                       static_cast<std::uint32_t>(step.time / 1'000'000));
      }
    });
  }
  void resumed(const Task& task, const Step& step) override {
    did(task, step, machine_.length(step.object));
  }
  void did(const Task& task, const Step& step, std::size_t length) override {
    const auto long_as = static_cast<std::uint32_t>(length);
    switch (step.kind) {
      case Step::Kind::kLock:
        name_lock(step.object);
        at_time([&](auto* to, Time now) {
          return device::queue_receive(to, now, lock_id(step.object), 0);
        });
        break;
      case Step::Kind::kUnlock:
        at_time([&](auto* to, Time now) {
          return device::queue_send(to, now, lock_id(step.object), 1);
        });
        break;
      case Step::Kind::kSend:
        at_time([&](auto* to, Time now) {
          return device::queue_send(to, now, queue_id(step.object), long_as);
        });
        break;
      case Step::Kind::kReceive:
        at_time([&](auto* to, Time now) {
          return device::queue_receive(to, now, queue_id(step.object), long_as);
        });
        break;
      case Step::Kind::kBegin: {
        const std::uint32_t marker = marker_of(task, step.text);
        at_time(
            [&](auto* to, Time now) { return device::task_evtmarker_begin(to, now, marker, ""); });
        break;
      }
      case Step::Kind::kEnd: {
        const std::uint32_t marker = marker_of(task, step.text);
        at_time([&](auto* to, Time now) { return device::task_evtmarker_end(to, now, marker); });
        break;
      }
      default:
        break;
    }
  }
  void interrupted(int, std::size_t number, bool is_begin, std::size_t queue,
                   std::size_t length) override {
    const auto id = static_cast<std::uint32_t>(number);
    if (!is_begin) {
      at_time([&](auto* to, Time now) { return device::isr_exit(to, now, id); });
      return;
    }
    at_time([&](auto* to, Time now) { return device::isr_enter(to, now, id); });
    if (length == 0) return;
    at_time([&](auto* to, Time now) {
      return device::queue_send_from_isr(to, now, queue_id(queue),
                                         static_cast<std::uint32_t>(length));
    });
  }

  void name_queue(std::size_t queue, const char* name) {
    add([&](auto* to) { return device::queue_name(to, queue_id(queue), name); });
    add([&](auto* to) { return device::queue_kind(to, queue_id(queue), 0); });
  }

  Result<void> finish(const std::string& path) override { return write_trace(path, bytes_); }

 private:
  template <class Write>
  void add(const Write& write) {
    std::array<std::uint8_t, device::kMaxFrameSize> frame{};
    const std::size_t size = write(frame.data());
    bytes_.insert(bytes_.end(), frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
  }
  template <class Write>
  void at_time(const Write& write) {
    add([&](std::uint8_t* to) { return write(to, machine_.now()); });
  }
  void name_lock(std::size_t lock) {
    if (!locks_.insert({lock, true}).second) return;
    add([&](auto* to) { return device::queue_name(to, lock_id(lock), "bus"); });
    add([&](auto* to) { return device::queue_kind(to, lock_id(lock), 3); });
  }
  std::uint32_t marker_of(const Task& task, const std::string& name) {
    const auto [place, is_new] =
        markers_.insert({name, static_cast<std::uint32_t>(markers_.size())});
    if (is_new)
      add([&](auto* to) {
        return device::task_evtmarker_name(to, place->second, task_id(task), name.c_str());
      });
    return place->second;
  }

  Machine& machine_;
  std::vector<std::uint8_t> bytes_;
  std::map<std::size_t, bool> named_;
  std::map<std::size_t, bool> locks_;
  std::map<std::string, std::uint32_t> markers_;
};

}  // namespace

std::unique_ptr<Recorder> record_tband(Machine& machine) {
  auto recorder = std::make_unique<TbandRecorder>(machine);
  recorder->name_queue(0, "samples");
  return recorder;
}

}  // namespace tracedeck::tests
