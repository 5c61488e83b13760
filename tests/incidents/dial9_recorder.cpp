#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/incidents/recorders.hpp"
#include "tracedeck/dial9/encoder.hpp"

namespace tracedeck::tests {
namespace {

struct PollStart {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint8_t local_queue = 0;
  std::uint64_t task_id = 0;
  std::string_view spawn_loc;
};
struct PollEnd {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
};
struct WorkerPark {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint8_t local_queue = 0;
  std::uint64_t cpu_time_ns = 0;
  std::uint32_t tid = 0;
};
struct WorkerUnpark {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint8_t local_queue = 0;
  std::uint64_t cpu_time_ns = 0;
  std::uint64_t sched_wait_ns = 0;
  std::uint32_t tid = 0;
};
struct Wake {
  std::uint64_t timestamp = 0;
  std::uint64_t waker_task_id = 0;
  std::uint64_t woken_task_id = 0;
  std::uint8_t target_worker = 0;
};
struct TaskSpawn {
  std::uint64_t timestamp = 0;
  std::uint64_t task_id = 0;
  std::string_view spawn_loc;
  bool instrumented = true;
};
struct TaskTerminate {
  std::uint64_t timestamp = 0;
  std::uint64_t task_id = 0;
};
struct QueueSample {
  std::uint64_t timestamp = 0;
  std::uint8_t global_queue = 0;
};
struct CpuSample {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint32_t tid = 0;
  std::uint8_t source = 0;  // 0: while it ran, 1: when it was switched out
  std::optional<std::string_view> thread_name;
  dial9::StackFrames callchain;
  std::optional<std::uint64_t> cpu;
};
struct SpanEnter {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint64_t span_id = 0;
  std::optional<std::uint64_t> parent_span_id;
  std::string_view span_name;
};
struct SpanExit {
  std::uint64_t timestamp = 0;
  std::uint64_t worker_id = 0;
  std::uint64_t span_id = 0;
  std::string_view span_name;
};
struct SpanClose {
  std::uint64_t timestamp = 0;
  std::uint64_t span_id = 0;
};
struct SymbolTableEntry {
  std::uint64_t timestamp = 0;
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::string_view symbol_name;
  std::uint64_t inline_depth = 0;
  std::string_view source_file;
  std::uint64_t source_line = 0;
};

}  // namespace
}  // namespace tracedeck::tests

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;
using namespace tracedeck::tests;

template <>
inline constexpr auto kDescription<PollStart> = describe<PollStart>(
    "PollStartEvent", timestamp(&PollStart::timestamp), field("worker_id", &PollStart::worker_id),
    field("local_queue", &PollStart::local_queue), field("task_id", &PollStart::task_id),
    interned("spawn_loc", &PollStart::spawn_loc));
template <>
inline constexpr auto kDescription<PollEnd> = describe<PollEnd>(
    "PollEndEvent", timestamp(&PollEnd::timestamp), field("worker_id", &PollEnd::worker_id));
template <>
inline constexpr auto kDescription<WorkerPark> = describe<WorkerPark>(
    "WorkerParkEvent", timestamp(&WorkerPark::timestamp),
    field("worker_id", &WorkerPark::worker_id), field("local_queue", &WorkerPark::local_queue),
    field("cpu_time_ns", &WorkerPark::cpu_time_ns), field("tid", &WorkerPark::tid));
template <>
inline constexpr auto kDescription<WorkerUnpark> = describe<WorkerUnpark>(
    "WorkerUnparkEvent", timestamp(&WorkerUnpark::timestamp),
    field("worker_id", &WorkerUnpark::worker_id), field("local_queue", &WorkerUnpark::local_queue),
    field("cpu_time_ns", &WorkerUnpark::cpu_time_ns),
    field("sched_wait_ns", &WorkerUnpark::sched_wait_ns), field("tid", &WorkerUnpark::tid));
template <>
inline constexpr auto kDescription<Wake> = describe<Wake>(
    "WakeEventEvent", timestamp(&Wake::timestamp), field("waker_task_id", &Wake::waker_task_id),
    field("woken_task_id", &Wake::woken_task_id), field("target_worker", &Wake::target_worker));
template <>
inline constexpr auto kDescription<TaskSpawn> = describe<TaskSpawn>(
    "TaskSpawnEvent", timestamp(&TaskSpawn::timestamp), field("task_id", &TaskSpawn::task_id),
    interned("spawn_loc", &TaskSpawn::spawn_loc), field("instrumented", &TaskSpawn::instrumented));
template <>
inline constexpr auto kDescription<TaskTerminate> =
    describe<TaskTerminate>("TaskTerminateEvent", timestamp(&TaskTerminate::timestamp),
                            field("task_id", &TaskTerminate::task_id));
template <>
inline constexpr auto kDescription<QueueSample> =
    describe<QueueSample>("QueueSampleEvent", timestamp(&QueueSample::timestamp),
                          field("global_queue", &QueueSample::global_queue));
template <>
inline constexpr auto kDescription<CpuSample> = describe<CpuSample>(
    "CpuSampleEvent", timestamp(&CpuSample::timestamp), field("worker_id", &CpuSample::worker_id),
    field("tid", &CpuSample::tid), field("source", &CpuSample::source),
    interned("thread_name", &CpuSample::thread_name), interned("callchain", &CpuSample::callchain),
    field("cpu", &CpuSample::cpu));
template <>
inline constexpr auto kDescription<SpanEnter> = describe<SpanEnter>(
    "SpanEnter:shop::handlers::handle:src/handlers.rs:31", timestamp(&SpanEnter::timestamp),
    field("worker_id", &SpanEnter::worker_id), field("span_id", &SpanEnter::span_id),
    field("parent_span_id", &SpanEnter::parent_span_id),
    interned("span_name", &SpanEnter::span_name));
template <>
inline constexpr auto kDescription<SpanExit> = describe<SpanExit>(
    "SpanExit:shop::handlers::handle:src/handlers.rs:31", timestamp(&SpanExit::timestamp),
    field("worker_id", &SpanExit::worker_id), field("span_id", &SpanExit::span_id),
    interned("span_name", &SpanExit::span_name));
template <>
inline constexpr auto kDescription<SpanClose> = describe<SpanClose>(
    "SpanCloseEvent", timestamp(&SpanClose::timestamp), field("span_id", &SpanClose::span_id));
template <>
inline constexpr auto kDescription<SymbolTableEntry> = describe<SymbolTableEntry>(
    "SymbolTableEntry", timestamp(&SymbolTableEntry::timestamp),
    field("addr", &SymbolTableEntry::addr), field("size", &SymbolTableEntry::size),
    interned("symbol_name", &SymbolTableEntry::symbol_name),
    field("inline_depth", &SymbolTableEntry::inline_depth),
    interned("source_file", &SymbolTableEntry::source_file),
    field("source_line", &SymbolTableEntry::source_line));

}  // namespace tracedeck_descriptions

namespace tracedeck::tests {
namespace {

constexpr std::uint32_t kFirstTid = 4100;

class Dial9Recorder final : public Recorder {
 public:
  explicit Dial9Recorder(Machine& machine)
      : machine_(machine), workers_(static_cast<std::size_t>(machine.options().processors)) {
    machine.every(10'000'000, [this] {
      const std::size_t ready = machine_.ready_tasks(0);
      write(QueueSample{machine_.now(),
                        static_cast<std::uint8_t>(std::min<std::size_t>(ready, 255))});
    });
  }

  void switched(int processor, const Task* from, const Task* to) override {
    Worker& worker = workers_[static_cast<std::size_t>(processor)];
    const auto id = static_cast<std::uint64_t>(processor);
    const std::uint32_t tid = kFirstTid + static_cast<std::uint32_t>(processor);
    if (from != nullptr) {
      leave_span(*from, id);
      write(PollEnd{machine_.now(), id});
      leave_processor(worker);
      worker.is_asleep = false;
      if (from->state == Task::State::kOver) write(TaskTerminate{machine_.now(), from->number + 1});
    }
    const auto queue = static_cast<std::uint8_t>(machine_.ready_tasks(processor));
    if (to == nullptr) {
      write(WorkerPark{machine_.now(), id, queue, worker.cpu_time, tid});
      return;
    }
    if (from == nullptr) write(WorkerUnpark{machine_.now(), id, queue, worker.cpu_time, 800, tid});
    worker.since = machine_.now();
    write(PollStart{machine_.now(), id, queue, to->number + 1, to->name});
    if (const auto span = spans_.find(to->number); span != spans_.end())
      write(SpanEnter{machine_.now(), id, span->second.id, {}, span->second.name});
  }
  void woken(const Task& task, const Task* by) override {
    const std::uint64_t id = task.number + 1;
    if (spawned_.insert({task.number, true}).second)
      write(TaskSpawn{machine_.now(), id, task.name, true});
    write(Wake{machine_.now(), by == nullptr ? 0 : by->number + 1, id,
               static_cast<std::uint8_t>(task.on < 0 ? 0 : task.on)});
  }
  void blocked(const Task&, const Step&) override {}
  void resumed(const Task&, const Step&) override {}
  void did(const Task& task, const Step& step, std::size_t) override {
    const auto worker = static_cast<std::uint64_t>(task.on);
    switch (step.kind) {
      case Step::Kind::kBegin: {
        const Span& span = spans_[task.number] = {++last_span_, step.text};
        write(SpanEnter{machine_.now(), worker, span.id, {}, span.name});
        break;
      }
      case Step::Kind::kEnd: {
        const std::uint64_t id = spans_[task.number].id;
        leave_span(task, worker);
        write(SpanClose{machine_.now(), id});
        spans_.erase(task.number);
        break;
      }
      case Step::Kind::kSample:
        // A thread that is sampled while it runs has come back.
        if (std::exchange(workers_[worker].is_asleep, false))
          workers_[worker].since = machine_.now();
        take_sample(task, step);
        break;
      case Step::Kind::kAsleep:
        leave_processor(workers_[worker]);
        workers_[worker].is_asleep = true;
        take_sample(task, step);
        break;
      default:
        break;
    }
  }
  void interrupted(int, std::size_t, bool, std::size_t, std::size_t) override {}

  Result<void> finish(const std::string& path) override {
    for (const auto& [name, address] : addresses_)
      write(SymbolTableEntry{0, address, 0, name, 0, "", 0});
    if (!written_) return written_;
    auto bytes = encoder_.finish();
    if (!bytes) return std::unexpected(bytes.error());
    return write_trace(path, ByteSpan(bytes->data(), bytes->size()));
  }

 private:
  struct Worker {
    Time since = 0;  // when its thread was on the processor, unless it is asleep
    bool is_asleep = false;
    std::uint64_t cpu_time = 0;
  };
  struct Span {
    std::uint64_t id = 0;
    std::string name = {};
  };

  template <class Event>
  void write(const Event& event) {
    if (written_) written_ = encoder_.write(event);
  }
  void leave_processor(Worker& worker) const {
    if (!worker.is_asleep) worker.cpu_time += machine_.now() - worker.since;
  }
  void leave_span(const Task& task, std::uint64_t worker) {
    const auto span = spans_.find(task.number);
    if (span != spans_.end())
      write(SpanExit{machine_.now(), worker, span->second.id, span->second.name});
  }
  void take_sample(const Task& task, const Step& step) {
    std::vector<std::uint64_t> stack;
    for (std::size_t from = 0; from < step.text.size();) {
      const std::size_t line = std::min(step.text.find('\n', from), step.text.size());
      const std::string name = step.text.substr(from, line - from);
      const auto place =
          addresses_.try_emplace(name, 0xFFFF'FFFF'8100'0000 + 4096 * addresses_.size());
      stack.push_back(place.first->second);
      from = line + 1;
    }
    write(CpuSample{machine_.now(), static_cast<std::uint64_t>(task.on),
                    kFirstTid + static_cast<std::uint32_t>(task.on),
                    static_cast<std::uint8_t>(step.kind == Step::Kind::kSample ? 0 : 1),
                    "tokio-runtime-w", dial9::StackFrames(stack),
                    static_cast<std::uint64_t>(task.on)});
  }

  Machine& machine_;
  std::vector<Worker> workers_;
  std::map<std::size_t, bool> spawned_;
  std::map<std::size_t, Span> spans_;
  std::uint64_t last_span_ = 0;
  std::map<std::string, std::uint64_t> addresses_;
  dial9::Encoder encoder_{dial9::EncoderOptions{.version = dial9::Version::k0_4}};
  Result<void> written_;
};

}  // namespace

std::unique_ptr<Recorder> record_dial9(Machine& machine) {
  return std::make_unique<Dial9Recorder>(machine);
}

}  // namespace tracedeck::tests
