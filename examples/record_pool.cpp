// Records a thread pool at work: when tasks were queued, started and ended, what they waited for,
// and stacks sampled while they ran.
//
//   record_pool [--fixed] FILE
//
// The pool has a flaw, for docs/tutorial.md to find in the recording; with --fixed it has not.
//
// Each thread encodes into memory of its own, without a lock. When a good deal has come together,
// its bytes go to the file as one segment: a trace of its own, with its own header, schemas and
// pools. Segments one behind the other are a valid trace.

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/io/output.hpp"

namespace dial9 = tracedeck::dial9;

// ---- The events ----

struct TaskQueued {
  std::uint64_t timestamp = 0;  // ns
  std::uint64_t task = 0;
  std::string_view kind;
  std::uint32_t queue_length = 0;
};

struct TaskStart {
  std::uint64_t timestamp = 0;
  std::uint64_t task = 0;
  std::uint8_t worker = 0;
  std::uint64_t waited_ns = 0;
};

struct TaskEnd {
  std::uint64_t timestamp = 0;
  std::uint64_t task = 0;
  std::uint8_t worker = 0;
  std::uint64_t checksum = 0;
};

// A worker wants a lock, has it, and gives it back.
struct LockWait {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
  std::string_view lock;
};
struct LockTaken {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
  std::string_view lock;
};
struct LockFree {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
  std::string_view lock;
};

struct SummaryStart {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
  std::uint64_t results = 0;
};
struct SummaryEnd {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
};

struct StackSample {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
  std::optional<std::uint64_t> task;  // empty: between tasks
  dial9::StackFrames frames;
};

// What an address of stacks is called: tracedeck names them by events of this class.
struct SymbolTableEntry {
  std::uint64_t timestamp = 0;
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  std::string_view symbol_name;
  std::uint64_t inline_depth = 0;
};

template <>
inline constexpr auto dial9::kDescription<TaskQueued> = dial9::describe<TaskQueued>(
    "TaskQueued", dial9::timestamp(&TaskQueued::timestamp), dial9::field("task", &TaskQueued::task),
    dial9::interned("kind", &TaskQueued::kind),
    dial9::field("queue_length", &TaskQueued::queue_length));
template <>
inline constexpr auto dial9::kDescription<TaskStart> = dial9::describe<TaskStart>(
    "TaskStart", dial9::timestamp(&TaskStart::timestamp), dial9::field("task", &TaskStart::task),
    dial9::field("worker", &TaskStart::worker), dial9::field("waited_ns", &TaskStart::waited_ns));
template <>
inline constexpr auto dial9::kDescription<TaskEnd> = dial9::describe<TaskEnd>(
    "TaskEnd", dial9::timestamp(&TaskEnd::timestamp), dial9::field("task", &TaskEnd::task),
    dial9::field("worker", &TaskEnd::worker), dial9::field("checksum", &TaskEnd::checksum));
template <>
inline constexpr auto dial9::kDescription<LockWait> = dial9::describe<LockWait>(
    "LockWait", dial9::timestamp(&LockWait::timestamp), dial9::field("worker", &LockWait::worker),
    dial9::interned("lock", &LockWait::lock));
template <>
inline constexpr auto dial9::kDescription<LockTaken> = dial9::describe<LockTaken>(
    "LockTaken", dial9::timestamp(&LockTaken::timestamp),
    dial9::field("worker", &LockTaken::worker), dial9::interned("lock", &LockTaken::lock));
template <>
inline constexpr auto dial9::kDescription<LockFree> = dial9::describe<LockFree>(
    "LockFree", dial9::timestamp(&LockFree::timestamp), dial9::field("worker", &LockFree::worker),
    dial9::interned("lock", &LockFree::lock));
template <>
inline constexpr auto dial9::kDescription<SummaryStart> = dial9::describe<SummaryStart>(
    "SummaryStart", dial9::timestamp(&SummaryStart::timestamp),
    dial9::field("worker", &SummaryStart::worker), dial9::field("results", &SummaryStart::results));
template <>
inline constexpr auto dial9::kDescription<SummaryEnd> =
    dial9::describe<SummaryEnd>("SummaryEnd", dial9::timestamp(&SummaryEnd::timestamp),
                                dial9::field("worker", &SummaryEnd::worker));
template <>
inline constexpr auto dial9::kDescription<SymbolTableEntry> = dial9::describe<SymbolTableEntry>(
    "SymbolTableEntry", dial9::timestamp(&SymbolTableEntry::timestamp),
    dial9::field("addr", &SymbolTableEntry::addr), dial9::field("size", &SymbolTableEntry::size),
    dial9::interned("symbol_name", &SymbolTableEntry::symbol_name),
    dial9::field("inline_depth", &SymbolTableEntry::inline_depth));
template <>
inline constexpr auto dial9::kDescription<StackSample> = dial9::describe<StackSample>(
    "StackSample", dial9::timestamp(&StackSample::timestamp),
    dial9::field("worker", &StackSample::worker), dial9::field("task", &StackSample::task),
    dial9::field("frames", &StackSample::frames));

// ---- Recording ----

std::uint64_t now() {
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(since_boot).count());
}

// The file that all threads' segments go to.
class TraceFile {
 public:
  explicit TraceFile(std::unique_ptr<tracedeck::io::Output> output) : output_(std::move(output)) {}

  // The workload goes on whatever becomes of the file: `finish` reports errors.
  void append(tracedeck::ByteSpan segment) {
    const std::scoped_lock lock(mutex_);
    if (written_) written_ = output_->write(segment);
  }

  tracedeck::Result<void> finish() { return written_ ? output_->finish() : written_; }

 private:
  std::mutex mutex_;
  std::unique_ptr<tracedeck::io::Output> output_;
  tracedeck::Result<void> written_;
};

// One thread's recorder.
class Recorder {
 public:
  explicit Recorder(TraceFile& file) : file_(file) {}
  ~Recorder() { hand_over(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  template <class Event>
  void record(const Event& event) {
    if (!encoder_.write(event)) return;  // only misuse fails in memory, and writes nothing
    empty_ = false;
    if (encoder_.size() >= kSegmentSize) hand_over();
  }

 private:
  static constexpr std::size_t kSegmentSize = std::size_t{64} << 10;

  void hand_over() {
    if (empty_) return;
    file_.append(encoder_.bytes());
    encoder_.clear();  // begins the next segment in the same memory
    empty_ = true;
  }

  TraceFile& file_;
  dial9::Encoder encoder_;
  bool empty_ = true;
};

// ---- The workload: a pool that sorts and hashes blocks of numbers ----

enum class Kind : std::uint8_t { kSort, kHash };

struct Task {
  std::uint64_t id = 0;
  Kind kind = Kind::kSort;
  std::uint64_t queued_at = 0;
};

// What all tasks found.
struct Results {
  static constexpr std::size_t kSummaryEvery = 100;

  const bool fixed;  // summaries are made without the lock
  std::mutex mutex = {};
  std::vector<std::uint64_t> checksums = {};
};

// Functions that stacks are to name: linked as others' programs could use them.
#define NAMED_IN_STACKS [[gnu::noinline, gnu::visibility("default")]]

class Worker {
 public:
  Worker(std::uint8_t number, TraceFile& file, Results& results)
      : number_(number), recorder_(file), results_(results) {}
  ~Worker() { name_addresses(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  NAMED_IN_STACKS void run(const Task& task) {
    const std::uint64_t started = now();
    current_task_ = task.id;
    recorder_.record(TaskStart{started, task.id, number_, started - task.queued_at});
    block_.resize(kBlockSize);
    std::ranges::generate(block_, std::minstd_rand(static_cast<std::uint32_t>(task.id + 1)));
    if (task.kind == Kind::kSort) merge_sort(block_);
    const std::uint64_t checksum = hash(block_);
    add_result(checksum);
    recorder_.record(TaskEnd{now(), task.id, number_, checksum});
    current_task_.reset();
  }

  // From any thread: the worker shall record its stack soon.
  void request_sample() { sample_requested_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBlockSize = 8'192;

  NAMED_IN_STACKS void add_result(std::uint64_t checksum) {
    recorder_.record(LockWait{now(), number_, "results"});
    std::unique_lock lock(results_.mutex);
    recorder_.record(LockTaken{now(), number_, "results"});
    results_.checksums.push_back(checksum);
    const bool is_due = results_.checksums.size() % Results::kSummaryEvery == 0;
    if (is_due && !results_.fixed) summarise(results_.checksums);
    const std::vector<std::uint64_t> copy =
        is_due && results_.fixed ? results_.checksums : std::vector<std::uint64_t>();
    recorder_.record(LockFree{now(), number_, "results"});
    lock.unlock();
    if (!copy.empty()) summarise(copy);
  }

  // How far the median of the results may be off: the medians of many samples of them.
  NAMED_IN_STACKS void summarise(std::span<const std::uint64_t> checksums) {
    constexpr int kRounds = 40;
    recorder_.record(SummaryStart{now(), number_, checksums.size()});
    std::minstd_rand random(static_cast<std::uint32_t>(checksums.size()));
    std::vector<std::uint32_t> medians;
    for (int round = 0; round < kRounds; ++round) {
      std::ranges::generate(block_, [&] {
        return static_cast<std::uint32_t>(checksums[random() % checksums.size()]);
      });
      merge_sort(block_);
      medians.push_back(block_[block_.size() / 2]);
    }
    merge_sort(medians);
    recorder_.record(SummaryEnd{now(), number_});
  }

  NAMED_IN_STACKS void merge_sort(std::span<std::uint32_t> block) {
    sample_if_requested();
    if (block.size() < 64) {
      std::ranges::sort(block);
      return;
    }
    const auto left = block.first(block.size() / 2);
    const auto right = block.subspan(left.size());
    merge_sort(left);
    merge_sort(right);
    merged_.resize(block.size());
    std::ranges::merge(left, right, merged_.begin());
    std::ranges::copy(merged_, block.begin());
  }

  NAMED_IN_STACKS std::uint64_t hash(std::span<const std::uint32_t> block) {
    std::uint64_t sum = 0xCBF2'9CE4'8422'2325;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i % 1'024 == 0) sample_if_requested();
      sum = (sum ^ block[i]) * 0x0000'0100'0000'01B3;
    }
    return sum;
  }

  [[gnu::always_inline]] void sample_if_requested() {
    if (!sample_requested_.load(std::memory_order_relaxed)) return;
    sample_requested_.store(false, std::memory_order_relaxed);
    std::array<void*, 32> addresses;
    const int depth = backtrace(addresses.data(), static_cast<int>(addresses.size()));
    std::array<std::uint64_t, 32> frames;
    std::ranges::transform(addresses, frames.begin(),
                           [](void* address) { return reinterpret_cast<std::uintptr_t>(address); });
    const auto taken =
        std::span<const std::uint64_t>(frames).first(static_cast<std::size_t>(depth));
    seen_.insert(addresses.begin(), addresses.begin() + depth);
    recorder_.record(StackSample{now(), number_, current_task_, taken});
  }

  // Says what the addresses of its stacks are called, as far as the dynamic linker knows.
  void name_addresses() {
    for (const void* const address : seen_) {
      Dl_info symbol{};
      if (dladdr(address, &symbol) == 0 || symbol.dli_sname == nullptr) continue;
      int status = 0;
      const std::unique_ptr<char, decltype(&std::free)> plain(
          abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, &status), &std::free);
      const std::string_view name = plain == nullptr ? symbol.dli_sname : plain.get();
      // Without the types of its arguments.
      recorder_.record(SymbolTableEntry{now(), reinterpret_cast<std::uintptr_t>(address), 0,
                                        name.substr(0, name.find('(')), 0});
    }
  }

  const std::uint8_t number_;
  Recorder recorder_;
  Results& results_;
  std::optional<std::uint64_t> current_task_;
  std::vector<std::uint32_t> block_;
  std::vector<std::uint32_t> merged_;
  std::set<const void*> seen_;  // addresses
  std::atomic<bool> sample_requested_ = false;
};

class Pool {
 public:
  Pool(std::size_t workers, TraceFile& file, bool fixed)
      : recorder_(file), results_{.fixed = fixed} {
    for (std::size_t i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>(static_cast<std::uint8_t>(i), file, results_));
    }
    for (const auto& worker : workers_) threads_.emplace_back([this, &worker] { work(*worker); });
    sampler_ = std::jthread([this](const std::stop_token& stop) { sample(stop); });
  }

  // Runs what is queued to its end. Only one thread submits, and it destroys the pool.
  ~Pool() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    threads_.clear();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void submit(std::uint64_t id, Kind kind) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < kMaxQueue; });
    queue_.push_back({id, kind, now()});
    const TaskQueued event{queue_.back().queued_at, id, kind == Kind::kSort ? "sort" : "hash",
                           static_cast<std::uint32_t>(queue_.size())};
    lock.unlock();
    changed_.notify_all();
    recorder_.record(event);
  }

 private:
  static constexpr std::size_t kMaxQueue = 64;
  static constexpr std::chrono::milliseconds kSampleInterval{2};

  void work(Worker& worker) {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty() || closed_; });
      if (queue_.empty()) return;
      const Task task = queue_.front();
      queue_.pop_front();
      lock.unlock();
      changed_.notify_all();
      worker.run(task);
    }
  }

  void sample(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(kSampleInterval);
      for (const auto& worker : workers_) worker->request_sample();
    }
  }

  Recorder recorder_;  // of the thread that submits
  std::mutex mutex_;
  std::condition_variable changed_;  // the queue, or `closed_`
  std::deque<Task> queue_;
  bool closed_ = false;
  Results results_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
  std::jthread sampler_;
};

int main(int count, char** arguments) {
  const bool fixed = count == 3 && std::string_view(arguments[1]) == "--fixed";
  if (count != (fixed ? 3 : 2)) {
    std::fputs("usage: record_pool [--fixed] FILE\n", stderr);
    return 2;
  }
  const char* const path = arguments[count - 1];
  auto output = tracedeck::io::create_file(path);
  if (!output) {
    std::fprintf(stderr, "record_pool: %s\n", output.error().to_string().c_str());
    return 1;
  }
  TraceFile file(std::move(*output));
  constexpr std::uint64_t kTasks = 1'500;
  constexpr std::chrono::microseconds kBetweenTasks{400};
  const std::size_t workers = std::clamp(std::thread::hardware_concurrency(), 2U, 4U);
  {
    Pool pool(workers, file, fixed);
    for (std::uint64_t id = 0; id < kTasks; ++id) {
      pool.submit(id, id % 3 == 0 ? Kind::kHash : Kind::kSort);
      std::this_thread::sleep_for(kBetweenTasks);
    }
  }
  if (const auto finished = file.finish(); !finished) {
    std::fprintf(stderr, "record_pool: %s\n", finished.error().to_string().c_str());
    return 1;
  }
  std::printf("recorded %llu tasks on %zu threads to %s\n", static_cast<unsigned long long>(kTasks),
              workers, path);
  return 0;
}
