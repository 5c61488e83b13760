// A small machine in simulated time: processors that run tasks by priority, with locks, queues,
// sleeps, disks and interrupts. The same scenario gives the same run each time, whatever records
// it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace tracedeck::tests {

using Time = std::uint64_t;  // ns

// What a task does next.
struct Step {
  enum class Kind : std::uint8_t {
    kRun,      // needs a processor for `time`
    kCompute,  // the same, exactly
    kSleep,
    kDisk,  // waits for a disk
    kLock,  // `object`: a lock
    kUnlock,
    kSend,  // `object`: a queue that holds `Machine::capacity` of them
    kReceive,
    kAwait,  // until another task notifies who awaits `object` just then, at most for `time`
    kNotify,
    kBegin,  // `text`: of a span
    kEnd,
    kSample,  // a profiler looks: `text` is the stack, innermost first, one name a line
    kAsleep,  // the same, of a thread that the kernel has just switched out
  };
  Kind kind = Kind::kRun;
  Time time = 0;
  std::size_t object = 0;
  std::string text = {};
};

Step run(Time time);
Step compute(Time time);
Step sleep(Time time);
Step disk(Time time);
Step lock(std::size_t object);
Step unlock(std::size_t object);
Step send(std::size_t object);
Step receive(std::size_t object);
Step await(std::size_t object, Time most);
Step notify(std::size_t object);
Step begin(std::string text);
Step end(std::string text);
Step sample(std::string stack);
Step asleep(std::string stack);

struct Task {
  std::string name = {};
  int priority = 0;  // the highest runs
  // Gives the steps of each turn, from 0 on; none ends the task.
  std::function<std::vector<Step>(std::size_t turn)> work = {};
  int processor = -1;  // the only one it may run on, or -1

  std::size_t number = 0;  // from 0 on
  enum class State : std::uint8_t { kReady, kRunning, kBlocked, kOver } state = State::kReady;
  int on = -1;  // the processor that it runs on, or ran on last
  std::size_t turn = 0;
  std::vector<Step> steps = {};
  std::size_t at = 0;
  Time left = 0;         // of a kRun that has begun
  bool waiting = false;  // its step has begun and waits for something
  bool served = false;   // and this has come
  bool timed_out = false;
  std::uint64_t blocked = 0;  // how often it was
  std::uint64_t since = 0;    // when it became ready: the first are served first
};

// Sees what happens, and records it.
class Observer {
 public:
  virtual ~Observer() = default;
  // Null: nothing runs. `from` is over, blocked, or still ready.
  virtual void switched(int processor, const Task* from, const Task* to) = 0;
  // `by`: the task that did it, null for timers and interrupts.
  virtual void woken(const Task& task, const Task* by) = 0;
  // A step that waits: `task` is about to leave its processor, and runs again behind it.
  virtual void blocked(const Task& task, const Step& step) = 0;
  virtual void resumed(const Task& task, const Step& step) = 0;
  // A step that is done at once. `length`: of the queue that it is about, after it.
  virtual void did(const Task& task, const Step& step, std::size_t length) = 0;
  // `queue_length`: after it, of the queue it sends to.
  virtual void interrupted(int processor, std::size_t number, bool is_begin, std::size_t queue,
                           std::size_t queue_length) = 0;
};

struct Interrupt {
  int processor = 0;
  std::size_t number = 0;
  Time duration = 0;
  std::size_t queue = 0;  // what it sends to
  bool sends = false;
  bool yields = true;  // a task that it wakes runs at once, not at the next tick
};

class Machine {
 public:
  struct Options {
    int processors = 1;
    bool preempts = true;
    bool locks_lend_priority = false;  // who holds one runs as urgently as who waits for it
    std::size_t capacity = 8;          // of queues
    std::uint64_t seed = 1;
  };
  explicit Machine(Options options);

  void add(Task task);
  // Something that happens at a time, or every so often.
  void at(Time time, std::function<void()> act);
  void every(Time period, std::function<void()> act);
  void interrupt(const Interrupt& interrupt);
  void observe(Observer& observer) { observer_ = &observer; }
  // Until then; tasks that run go on running.
  void run_until(Time end);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Time end() const { return end_; }
  // About `mean`, a fifth more or less.
  [[nodiscard]] Time about(Time mean);
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const std::deque<Task>& tasks() const { return tasks_; }
  [[nodiscard]] const Task* running(int processor) const {
    return processors_[index(processor)].task;
  }
  [[nodiscard]] std::size_t ready_tasks(int processor) const;
  [[nodiscard]] std::size_t length(std::size_t queue) const;
  [[nodiscard]] int priority_of(const Task& task) const;

 private:
  struct Processor {
    Task* task = nullptr;
    std::uint64_t turn = 0;  // changes when what runs does
    Time until = 0;          // of its kRun
  };
  struct Lock {
    Task* holder = nullptr;
    std::deque<Task*> waiting = {};
  };
  struct Queue {
    std::size_t length = 0;
    std::deque<Task*> senders = {};
    std::deque<Task*> receivers = {};
  };
  struct Event {
    Time time;
    std::uint64_t order;
    std::function<void()> act;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  [[nodiscard]] static std::size_t index(int processor) {
    return static_cast<std::size_t>(processor);
  }
  [[nodiscard]] bool may_run(const Task& task, int processor) const {
    return task.processor < 0 || task.processor == processor;
  }
  [[nodiscard]] Task* next_for(int processor);
  void give(int processor, Task* task);
  void choose(int processor);
  void choose_soon();
  void wake(Task& task, const Task* by, bool soon = true);
  void serve(Task& task, const Task* by, bool soon = true);
  void block(Task& task, const Step& step);
  void wake_after(Task& task, Time time, bool is_timeout);
  void go_on(Task& task);
  // False: the task waits or runs for a while.
  [[nodiscard]] bool perform(Task& task, const Step& step);
  [[nodiscard]] bool lock_or_wait(Task& task, const Step& step);
  void unlock_for(Task& task, const Step& step);
  [[nodiscard]] bool send_or_wait(Task& task, const Step& step);
  [[nodiscard]] bool receive_or_wait(Task& task, const Step& step);
  void start_running(Task& task, Time time);
  [[nodiscard]] bool next_turn(Task& task);

  Options options_;
  std::mt19937_64 random_;
  Observer* observer_ = nullptr;
  Time now_ = 0;
  Time end_ = 0;
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;
  std::deque<Task> tasks_;
  std::vector<Processor> processors_;
  std::map<std::size_t, Lock> locks_;
  std::map<std::size_t, Queue> queues_;
  std::map<std::size_t, std::deque<Task*>> awaiting_;
};

}  // namespace tracedeck::tests
