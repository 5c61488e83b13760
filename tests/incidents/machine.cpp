#include "tests/incidents/machine.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::tests {
namespace {

// What passes before a processor looks at who is ready.
constexpr Time kDispatch = 8'000;

}  // namespace

Step run(Time time) { return {.kind = Step::Kind::kRun, .time = time}; }
Step compute(Time time) { return {.kind = Step::Kind::kCompute, .time = time}; }
Step sleep(Time time) { return {.kind = Step::Kind::kSleep, .time = time}; }
Step disk(Time time) { return {.kind = Step::Kind::kDisk, .time = time}; }
Step lock(std::size_t object) { return {.kind = Step::Kind::kLock, .object = object}; }
Step unlock(std::size_t object) { return {.kind = Step::Kind::kUnlock, .object = object}; }
Step send(std::size_t object) { return {.kind = Step::Kind::kSend, .object = object}; }
Step receive(std::size_t object) { return {.kind = Step::Kind::kReceive, .object = object}; }
Step await(std::size_t object, Time most) {
  return {.kind = Step::Kind::kAwait, .time = most, .object = object};
}
Step notify(std::size_t object) { return {.kind = Step::Kind::kNotify, .object = object}; }
Step begin(std::string text) { return {.kind = Step::Kind::kBegin, .text = std::move(text)}; }
Step end(std::string text) { return {.kind = Step::Kind::kEnd, .text = std::move(text)}; }
Step sample(std::string stack) { return {.kind = Step::Kind::kSample, .text = std::move(stack)}; }
Step asleep(std::string stack) { return {.kind = Step::Kind::kAsleep, .text = std::move(stack)}; }

Machine::Machine(Options options) : options_(options), random_(options.seed) {
  processors_.resize(index(options.processors));
}

void Machine::add(Task task) {
  task.number = tasks_.size();
  tasks_.push_back(std::move(task));
}

void Machine::at(Time time, std::function<void()> act) {
  events_.push({.time = std::max(time, now_), .order = ++order_, .act = std::move(act)});
}

void Machine::every(Time period, std::function<void()> act) {
  at(now_ + period, [this, period, act = std::move(act)] {
    act();
    every(period, act);
  });
}

// Distributions of the standard library differ from one to the next; this is the same everywhere.
Time Machine::about(Time mean) { return mean * (80 + random_() % 41) / 100; }

std::size_t Machine::ready_tasks(int processor) const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks_, [&](const Task& each) {
    return each.state == Task::State::kReady && may_run(each, processor);
  }));
}

std::size_t Machine::length(std::size_t queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : found->second.length;
}

int Machine::priority_of(const Task& task) const {
  int priority = task.priority;
  if (!options_.locks_lend_priority) return priority;
  for (const auto& [object, lock] : locks_) {
    if (lock.holder != &task) continue;
    for (const Task* const each : lock.waiting) priority = std::max(priority, each->priority);
  }
  return priority;
}

void Machine::run_until(Time end) {
  end_ = end;
  for (Task& task : tasks_) wake(task, nullptr);
  while (!events_.empty() && events_.top().time <= end) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    event.act();
  }
}

Task* Machine::next_for(int processor) {
  Task* best = nullptr;
  for (Task& each : tasks_) {
    if (each.state != Task::State::kReady || !may_run(each, processor)) continue;
    if (best == nullptr || priority_of(each) > priority_of(*best) ||
        (priority_of(each) == priority_of(*best) && each.since < best->since))
      best = &each;
  }
  return best;
}

void Machine::choose_soon() {
  const Time time = now_ + about(kDispatch);
  at(time, [this] {
    for (int i = 0; i < options_.processors; ++i) choose(i);
  });
}

// Puts on a processor what is more urgent than what runs there.
void Machine::choose(int processor) {
  Task* const next = next_for(processor);
  if (next == nullptr) return;
  Processor& here = processors_[index(processor)];
  if (here.task == nullptr) return give(processor, next);
  // An idle processor that may run it takes it instead.
  for (int i = 0; i < options_.processors; ++i) {
    if (processors_[index(i)].task == nullptr && may_run(*next, i)) return give(i, next);
  }
  if (!options_.preempts || priority_of(*next) <= priority_of(*here.task)) return;
  here.task->state = Task::State::kReady;
  here.task->left = here.until > now_ ? here.until - now_ : 1;
  give(processor, next);
}

void Machine::give(int processor, Task* task) {
  Processor& here = processors_[index(processor)];
  const Task* const from = here.task;
  here.task = task;
  ++here.turn;
  if (task != nullptr) {
    task->state = Task::State::kRunning;
    task->on = processor;
  }
  if (from != task) observer_->switched(processor, from, task);
  if (task != nullptr) go_on(*task);
}

void Machine::wake(Task& task, const Task* by, bool soon) {
  task.state = Task::State::kReady;
  task.since = ++order_;
  observer_->woken(task, by);
  if (soon) choose_soon();
}

void Machine::serve(Task& task, const Task* by, bool soon) {
  task.served = true;
  wake(task, by, soon);
}

void Machine::block(Task& task, const Step& step) {
  task.waiting = true;
  task.served = false;
  task.timed_out = false;
  ++task.blocked;
  observer_->blocked(task, step);
  task.state = Task::State::kBlocked;
  give(task.on, next_for(task.on));
}

// Ends the wait that is about to begin.
void Machine::wake_after(Task& task, Time time, bool is_timeout) {
  at(now_ + time, [this, &task, is_timeout, blocked = task.blocked + 1] {
    if (task.state != Task::State::kBlocked || task.blocked != blocked) return;
    task.timed_out = is_timeout;
    for (auto& [object, waiting] : awaiting_) std::erase(waiting, &task);
    serve(task, nullptr);
  });
}

void Machine::start_running(Task& task, Time time) {
  Processor& here = processors_[index(task.on)];
  here.until = now_ + time;
  at(here.until, [this, &task, on = task.on, turn = here.turn, until = here.until] {
    const Processor& processor = processors_[index(on)];
    // Interrupts put it off.
    if (processor.turn != turn || processor.until != until) return;
    task.left = 0;
    ++task.at;
    go_on(task);
  });
}

bool Machine::next_turn(Task& task) {
  task.steps = task.work(task.turn++);
  task.at = 0;
  return !task.steps.empty();
}

// From its step on until something takes time.
void Machine::go_on(Task& task) {
  if (task.left != 0) return start_running(task, task.left);
  if (task.waiting && task.served) {
    task.waiting = false;
    observer_->resumed(task, task.steps[task.at]);
    ++task.at;
  }
  while (task.state == Task::State::kRunning) {
    if (task.at == task.steps.size() && !next_turn(task)) {
      task.state = Task::State::kOver;
      return give(task.on, next_for(task.on));
    }
    // What wakes others may not see it at a step that is done.
    const Step step = task.steps[task.at];
    if (!perform(task, step)) return;
    ++task.at;
  }
}

bool Machine::perform(Task& task, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kRun:
    case Step::Kind::kCompute:
      start_running(task, step.kind == Step::Kind::kRun ? about(step.time) : step.time);
      return false;
    case Step::Kind::kSleep:
    case Step::Kind::kDisk:
      wake_after(task, step.kind == Step::Kind::kDisk ? about(step.time) : step.time, false);
      block(task, step);
      return false;
    case Step::Kind::kLock:
      return lock_or_wait(task, step);
    case Step::Kind::kUnlock:
      unlock_for(task, step);
      return true;
    case Step::Kind::kSend:
      return send_or_wait(task, step);
    case Step::Kind::kReceive:
      return receive_or_wait(task, step);
    case Step::Kind::kAwait:
      awaiting_[step.object].push_back(&task);
      wake_after(task, step.time, true);
      block(task, step);
      return false;
    case Step::Kind::kNotify: {
      std::deque<Task*>& waiting = awaiting_[step.object];
      observer_->did(task, step, waiting.size());
      if (waiting.empty()) return true;
      Task* const first = waiting.front();
      waiting.pop_front();
      serve(*first, &task);
      return true;
    }
    default:
      observer_->did(task, step, 0);
      return true;
  }
}

bool Machine::lock_or_wait(Task& task, const Step& step) {
  Lock& lock = locks_[step.object];
  if (lock.holder == nullptr) {
    lock.holder = &task;
    observer_->did(task, step, 0);
    return true;
  }
  lock.waiting.push_back(&task);
  block(task, step);
  return false;
}

void Machine::unlock_for(Task& task, const Step& step) {
  Lock& lock = locks_[step.object];
  lock.holder = nullptr;
  observer_->did(task, step, 1);
  if (lock.waiting.empty()) return;
  lock.holder = lock.waiting.front();
  lock.waiting.pop_front();
  serve(*lock.holder, &task);
}

bool Machine::send_or_wait(Task& task, const Step& step) {
  Queue& queue = queues_[step.object];
  if (queue.length == options_.capacity) {
    queue.senders.push_back(&task);
    block(task, step);
    return false;
  }
  ++queue.length;
  observer_->did(task, step, queue.length);
  if (queue.receivers.empty()) return true;
  Task* const first = queue.receivers.front();
  queue.receivers.pop_front();
  --queue.length;
  serve(*first, &task);
  return true;
}

bool Machine::receive_or_wait(Task& task, const Step& step) {
  Queue& queue = queues_[step.object];
  if (queue.length == 0) {
    queue.receivers.push_back(&task);
    block(task, step);
    return false;
  }
  --queue.length;
  observer_->did(task, step, queue.length);
  if (queue.senders.empty()) return true;
  Task* const first = queue.senders.front();
  queue.senders.pop_front();
  ++queue.length;
  serve(*first, &task);
  return true;
}

void Machine::interrupt(const Interrupt& interrupt) {
  Processor& here = processors_[index(interrupt.processor)];
  Queue& queue = queues_[interrupt.queue];
  Task* woken = nullptr;
  if (interrupt.sends && queue.length < options_.capacity) {
    ++queue.length;
    if (!queue.receivers.empty()) woken = queue.receivers.front();
  }
  observer_->interrupted(interrupt.processor, interrupt.number, true, interrupt.queue,
                         queue.length);
  if (woken != nullptr) {
    queue.receivers.pop_front();
    --queue.length;
    serve(*woken, nullptr, false);
  }
  // What runs goes on later.
  if (here.task != nullptr && here.until > now_) {
    const Time left = here.until - now_ + interrupt.duration;
    ++here.turn;
    start_running(*here.task, left);
  }
  at(now_ + interrupt.duration, [this, interrupt] {
    observer_->interrupted(interrupt.processor, interrupt.number, false, interrupt.queue, 0);
    if (interrupt.yields) choose_soon();
  });
}

}  // namespace tracedeck::tests
