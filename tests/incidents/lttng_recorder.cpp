#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/incidents/recorders.hpp"
#include "tracedeck/base/bytes.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck::tests {
namespace {

constexpr std::int32_t kProcess = 4000;
constexpr Time kEpoch = 1'700'000'000'000'000'000;

std::int32_t tid_of(const Task& task) {
  return kProcess + 1 + static_cast<std::int32_t>(task.number);
}
std::int32_t prio_of(const Task& task) { return 20 - task.priority; }

// LTTng lays events out as CTF 1.8: packets with the processor in their context, events with the
// thread in theirs. The library's producer makes no contexts, so this lays out its own.
constexpr std::string_view kHead = R"(/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := uint8_t;
typealias integer { size = 32; align = 8; } := uint32_t;
typealias integer { size = 64; align = 8; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
typealias integer { size = 8; align = 8; encoding = UTF8; } := text_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = monotonic; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := time_t;
stream { id = 0;
  packet.context := struct { time_t timestamp_begin; time_t timestamp_end; uint64_t content_size; uint64_t packet_size; uint64_t events_discarded; uint32_t cpu_id; };
  event.header := struct { uint32_t id; time_t timestamp; };
)";

struct EventText {
  std::string_view name;
  std::string_view fields;
};
enum KernelEvent : std::uint8_t {
  kSchedSwitch,
  kSchedWaking,
  kFutexEntry,
  kFutexExit,
  kFsyncEntry,
  kFsyncExit,
  kBlockIssue,
  kBlockComplete
};
constexpr auto kKernelEvents = std::to_array<EventText>({
    {"sched_switch",
     "text_t prev_comm[16]; int32_t prev_tid; int32_t prev_prio; int64_t prev_state; "
     "text_t next_comm[16]; int32_t next_tid; int32_t next_prio;"},
    {"sched_waking", "text_t comm[16]; int32_t tid; int32_t prio; int32_t target_cpu;"},
    {"syscall_entry_futex", "uint64_t uaddr; int32_t op; uint32_t val; uint64_t utime;"},
    {"syscall_exit_futex", "int64_t ret;"},
    {"syscall_entry_fsync", "uint32_t fd;"},
    {"syscall_exit_fsync", "int64_t ret;"},
    {"block_rq_issue", "uint32_t dev; uint64_t sector; uint32_t nr_sector; int32_t tid;"},
    {"block_rq_complete", "uint32_t dev; uint64_t sector; uint32_t nr_sector; int32_t error;"},
});
enum ProgramEvent : std::uint8_t { kLockRequest, kLockAcquired, kUnlock };
constexpr auto kProgramEvents = std::to_array<EventText>({
    {"lttng_ust_pthread:pthread_mutex_lock_req", "uint64_t mutex;"},
    {"lttng_ust_pthread:pthread_mutex_lock_acq", "uint64_t mutex; int32_t status;"},
    {"lttng_ust_pthread:pthread_mutex_unlock", "uint64_t mutex; int32_t status;"},
});

class Bytes {
 public:
  template <class T>
  Bytes& number(T value) {
    std::array<std::uint8_t, sizeof(T)> bytes;
    store_le(bytes.data(), static_cast<std::make_unsigned_t<T>>(value));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Bytes& text(std::string_view text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes_.push_back(i + 1 < size && i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0);
    return *this;
  }
  Bytes& add(const Bytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// One trace: a data stream for each processor.
class LttngTrace {
 public:
  LttngTrace(std::span<const EventText> events, bool has_thread, int processors)
      : events_(events), has_thread_(has_thread), streams_(static_cast<std::size_t>(processors)) {}

  // `thread`: whose event it is, where events say so.
  void add(int processor, std::uint32_t id, Time now, const Task* thread, const Bytes& fields) {
    Stream& stream = streams_[static_cast<std::size_t>(processor)];
    if (stream.first == 0) stream.first = now;
    stream.last = now;
    stream.events.number(id).number(now);
    if (has_thread_) stream.events.number(kProcess).number(tid_of(*thread)).text(thread->name, 17);
    stream.events.add(fields);
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }

  [[nodiscard]] Result<void> write(const std::string& path) const {
    auto directory = io::OutputDirectory::create(path);
    if (!directory) return std::unexpected(directory.error());
    auto done = write_file(**directory, "metadata", as_bytes(metadata()));
    for (std::size_t i = 0; i < streams_.size() && done; ++i) {
      const Stream& stream = streams_[i];
      const std::uint64_t size = 8 * (8 + 44 + stream.events.bytes().size());
      Bytes packet;
      packet.number(0xC1FC1FC1U).number(std::uint32_t{0}).number(stream.first).number(stream.last);
      packet.number(size).number(size).number(std::uint64_t{0});
      packet.number(static_cast<std::uint32_t>(i)).add(stream.events);
      done = write_file(**directory, "channel0_" + std::to_string(i), packet.bytes());
    }
    return done ? (*directory)->finish() : done;
  }

 private:
  struct Stream {
    Time first = 0;
    Time last = 0;
    Bytes events = {};
  };

  static Result<void> write_file(io::OutputDirectory& directory, const std::string& name,
                                 ByteSpan bytes) {
    auto file = directory.create_file(name);
    if (!file) return std::unexpected(file.error());
    if (auto written = (*file)->write(bytes); !written) return written;
    return (*file)->finish();
  }
  [[nodiscard]] std::string metadata() const {
    std::string text(kHead);
    if (has_thread_)
      text += "  event.context := struct { int32_t vpid; int32_t vtid; text_t procname[17]; };\n";
    text += "};\n";
    for (std::size_t i = 0; i < events_.size(); ++i) {
      text += "event { name = \"";
      text += events_[i].name;
      text += "\"; id = " + std::to_string(i) + "; stream_id = 0; fields := struct { ";
      text += events_[i].fields;
      text += " }; };\n";
    }
    return text;
  }

  std::span<const EventText> events_;
  bool has_thread_;
  bool any_ = false;
  std::vector<Stream> streams_;
};

class LttngRecorder final : public Recorder {
 public:
  explicit LttngRecorder(Machine& machine)
      : machine_(machine),
        kernel_(kKernelEvents, false, machine.options().processors),
        program_(kProgramEvents, true, machine.options().processors) {}

  void switched(int processor, const Task* from, const Task* to) override {
    constexpr std::int64_t kStates[] = {0, 0, 1, 16};
    Bytes fields;
    thread(fields, processor, from);
    // What waits for a disk cannot be interrupted.
    const bool on_disk = from != nullptr && from->state == Task::State::kBlocked &&
                         from->steps[from->at].kind == Step::Kind::kDisk;
    const std::size_t state = from == nullptr ? 0 : static_cast<std::size_t>(from->state);
    fields.number(on_disk ? std::int64_t{2} : kStates[state]);
    thread(fields, processor, to);
    kernel_.add(processor, kSchedSwitch, now(), nullptr, fields);
  }
  void woken(const Task& task, const Task* by) override {
    const int processor = by != nullptr ? by->on : std::max(task.on, 0);
    if (task.state == Task::State::kReady && task.waiting &&
        task.steps[task.at].kind == Step::Kind::kDisk)
      kernel_.add(processor, kBlockComplete, now(), nullptr, request(task).number(std::int32_t{0}));
    Bytes fields;
    fields.text(task.name, 16).number(tid_of(task)).number(prio_of(task));
    fields.number(std::int32_t{std::max(task.on, 0)});
    kernel_.add(processor, kSchedWaking, now(), nullptr, fields);
  }
  void blocked(const Task& task, const Step& step) override {
    if (step.kind == Step::Kind::kLock) program(task, kLockRequest, step, false);
    if (step.kind == Step::Kind::kDisk) {
      kernel_.add(task.on, kFsyncEntry, now(), nullptr, Bytes().number(std::uint32_t{7}));
      kernel_.add(task.on, kBlockIssue, now(), nullptr, request(task).number(tid_of(task)));
    } else if (step.kind != Step::Kind::kSleep) {
      Bytes fields;
      fields.number(address(step)).number(std::int32_t{128}).number(std::uint32_t{2});
      fields.number(std::uint64_t{step.kind == Step::Kind::kAwait ? 0x7FFE'1000U : 0U});
      kernel_.add(task.on, kFutexEntry, now(), nullptr, fields);
    }
  }
  void resumed(const Task& task, const Step& step) override {
    if (step.kind == Step::Kind::kDisk) {
      kernel_.add(task.on, kFsyncExit, now(), nullptr, Bytes().number(std::int64_t{0}));
    } else if (step.kind != Step::Kind::kSleep) {
      kernel_.add(task.on, kFutexExit, now(), nullptr,
                  Bytes().number(std::int64_t{task.timed_out ? -110 : 0}));
    }
    if (step.kind == Step::Kind::kLock) program(task, kLockAcquired, step, true);
  }
  void did(const Task& task, const Step& step, std::size_t) override {
    if (step.kind == Step::Kind::kLock) {
      program(task, kLockRequest, step, false);
      program(task, kLockAcquired, step, true);
    }
    if (step.kind == Step::Kind::kUnlock) program(task, kUnlock, step, true);
  }
  void interrupted(int, std::size_t, bool, std::size_t, std::size_t) override {}

  Result<void> finish(const std::string& path) override {
    if (!program_.any()) return kernel_.write(path);
    std::error_code failed;
    std::filesystem::create_directory(path, failed);
    auto written = kernel_.write(path + "/kernel");
    return written ? program_.write(path + "/ust") : written;
  }

 private:
  [[nodiscard]] Time now() const { return kEpoch + machine_.now(); }
  static std::uint64_t address(const Step& step) { return 0x55E0'0000'4040 + 64 * step.object; }

  static void thread(Bytes& fields, int processor, const Task* task) {
    fields.text(task == nullptr ? "swapper/" + std::to_string(processor) : task->name, 16);
    fields.number(task == nullptr ? std::int32_t{0} : tid_of(*task));
    fields.number(task == nullptr ? std::int32_t{20} : prio_of(*task));
  }
  [[nodiscard]] Bytes request(const Task& task) const {
    Bytes fields;
    fields.number(std::uint32_t{0x80'0001});
    fields.number(std::uint64_t{4096} * (task.number + 1)).number(std::uint32_t{8});
    return fields;
  }
  void program(const Task& task, ProgramEvent event, const Step& step, bool has_status) {
    Bytes fields;
    fields.number(address(step));
    if (has_status) fields.number(std::int32_t{0});
    program_.add(task.on, event, now(), &task, fields);
  }

  Machine& machine_;
  LttngTrace kernel_;
  LttngTrace program_;
};

}  // namespace

std::unique_ptr<Recorder> record_lttng(Machine& machine) {
  return std::make_unique<LttngRecorder>(machine);
}

}  // namespace tracedeck::tests
