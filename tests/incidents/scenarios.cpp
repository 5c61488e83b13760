#include "tests/incidents/scenarios.hpp"

#include <array>
#include <vector>

namespace tracedeck::tests {
namespace {

constexpr Time kMicrosecond = 1'000;
constexpr Time kMillisecond = 1'000'000;

using Steps = std::vector<Step>;

// Each turn the same.
auto always(Steps steps) {
  return [steps = std::move(steps)](std::size_t) { return steps; };
}

// The turn `when` is another.
auto but_once(Steps steps, std::size_t when, Steps other) {
  return [steps = std::move(steps), when, other = std::move(other)](std::size_t turn) {
    return turn == when ? other : steps;
  };
}

// ---- Tokio ----

constexpr const char* kHandler = "/home/dev/shop/src/handlers.rs:31:5";
constexpr const char* kRefresh = "/home/dev/shop/src/refresh.rs:12:5";
constexpr const char* kReport = "/home/dev/shop/src/report.rs:77:5";

// Requests that come and are handled.
void add_handlers(Machine& machine, int count, int processor = -1) {
  for (int i = 0; i < count; ++i)
    machine.add({.name = kHandler,
                 .work = always({sleep(2 * kMillisecond + static_cast<Time>(i) * 37 * kMicrosecond),
                                 begin("handle"), run(20 * kMicrosecond), sleep(300 * kMicrosecond),
                                 run(30 * kMicrosecond), end("handle")}),
                 .processor = processor});
}

void healthy_dial9(Machine& machine) {
  add_handlers(machine, 8);
  machine.add(
      {.name = kRefresh, .work = always({sleep(5 * kMillisecond), run(25 * kMicrosecond)})});
}

// A poll that ends only after what a thread should not do in it.
void add_bad_poll(Machine& machine, const char* place, std::size_t when, Steps bad,
                  int processor = -1) {
  machine.add(
      {.name = place,
       .work = but_once({sleep(10 * kMillisecond), run(40 * kMicrosecond)}, when, std::move(bad)),
       .processor = processor});
}

constexpr const char* kNanosleep =
    "__schedule\nschedule\ndo_nanosleep\nhrtimer_nanosleep\ncommon_nsleep\n__x64_sys_clock_"
    "nanosleep\n"
    "do_syscall_64\nentry_SYSCALL_64_after_hwframe\nclock_nanosleep\nstd::thread::sleep\n"
    "shop::refresh::retry";
constexpr const char* kFutexWait =
    "__schedule\nschedule\nfutex_wait_queue\nfutex_wait\ndo_futex\n__x64_sys_futex\ndo_syscall_64\n"
    "entry_SYSCALL_64_after_hwframe\nsyscall\nstd::sys::sync::mutex::futex::Mutex::lock_contended\n"
    "shop::cache::get";
constexpr const char* kPreempted =
    "__schedule\nschedule\nexit_to_user_mode_prepare\nirqentry_exit_to_user_mode\n"
    "asm_sysvec_apic_timer_interrupt\nshop::report::render";
constexpr const char* kRendering = "shop::report::escape\nshop::report::render\nshop::report::run";
constexpr const char* kRehashing = "shop::cache::rehash\nshop::cache::insert\nshop::refresh::run";

void blocking_poll(Machine& machine) {
  add_handlers(machine, 5);
  add_handlers(machine, 3, 0);
  add_bad_poll(machine, kRefresh, 20,
               {sleep(10 * kMillisecond), compute(30 * kMicrosecond), asleep(kNanosleep),
                compute(40 * kMillisecond)},
               0);
}

// A worker rehashes a table under a lock that a poll on the other worker wants.
void lock_in_poll(Machine& machine) {
  add_handlers(machine, 8);
  Steps holds = {sleep(10 * kMillisecond), compute(100 * kMicrosecond)};
  for (int i = 0; i < 5; ++i) {
    holds.push_back(compute(6 * kMillisecond));
    holds.push_back(sample(kRehashing));
  }
  add_bad_poll(machine, kRefresh, 20, holds);
  add_bad_poll(machine, kReport, 20,
               {sleep(10 * kMillisecond), compute(300 * kMicrosecond), asleep(kFutexWait),
                compute(29'700 * kMicrosecond)});
}

void preempted_poll(Machine& machine) {
  add_handlers(machine, 8);
  add_bad_poll(machine, kReport, 20,
               {sleep(10 * kMillisecond), compute(60 * kMicrosecond), asleep(kPreempted),
                compute(24 * kMillisecond)});
}

// A task that cannot be stolen waits behind a long poll, and the other worker has nothing to do.
void waits_behind_poll(Machine& machine) {
  machine.add({.name = kHandler,
               .work = always({sleep(2 * kMillisecond), run(30 * kMicrosecond)}),
               .processor = 0});
  Steps renders = {sleep(10 * kMillisecond)};
  for (int i = 0; i < 8; ++i) {
    renders.push_back(compute(5 * kMillisecond));
    renders.push_back(sample(kRendering));
  }
  add_bad_poll(machine, kReport, 20, renders, 0);
  machine.add({.name = kRefresh,
               .work = always({sleep(90 * kMillisecond), run(40 * kMicrosecond)}),
               .processor = 1});
}

// More comes at once than two workers can do.
void burst(Machine& machine) {
  add_handlers(machine, 4);
  for (int i = 0; i < 200; ++i)
    machine.add({.name = kReport, .work = [](std::size_t turn) {
                   return turn == 0 ? Steps{sleep(100 * kMillisecond), run(500 * kMicrosecond)}
                                    : Steps{};
                 }});
}

// ---- FreeRTOS ----

void add_control(Machine& machine, Steps work) {
  Steps steps = {sleep(5 * kMillisecond), begin("cycle")};
  steps.insert(steps.end(), work.begin(), work.end());
  steps.push_back(end("cycle"));
  machine.add({.name = "control", .priority = 3, .work = always(std::move(steps))});
}

void healthy_tband(Machine& machine) {
  add_control(machine, {lock(0), run(40 * kMicrosecond), unlock(0)});
  machine.add({.name = "logger",
               .priority = 1,
               .work = always({sleep(12 * kMillisecond), lock(0), run(60 * kMicrosecond), unlock(0),
                               run(400 * kMicrosecond)})});
}

void lock_held(Machine& machine) {
  add_control(machine, {lock(0), run(150 * kMicrosecond), unlock(0)});
  machine.add({.name = "logger",
               .priority = 1,
               .work = but_once(
                   {sleep(12 * kMillisecond), lock(0), run(60 * kMicrosecond), unlock(0)}, 20,
                   {sleep(12 * kMillisecond), lock(0), compute(40 * kMillisecond), unlock(0)})});
}

void full_queue(Machine& machine) {
  machine.add({.name = "sensor",
               .priority = 3,
               .work = always({sleep(2 * kMillisecond), begin("measure"), run(50 * kMicrosecond),
                               send(0), end("measure")})});
  machine.add({.name = "radio",
               .priority = 2,
               .work = but_once({receive(0), run(300 * kMicrosecond)}, 100,
                                {receive(0), run(300 * kMicrosecond), sleep(60 * kMillisecond)})});
}

// An interrupt wakes a task and does not ask for a switch: it runs at the next tick.
void add_interrupts(Machine& machine, Time period, Time duration, bool yields) {
  machine.every(period, [&machine, duration, yields] {
    machine.interrupt({.number = 5, .duration = duration, .sends = true, .yields = yields});
  });
}

void missed_yield(Machine& machine) {
  machine.add(
      {.name = "radio", .priority = 3, .work = always({receive(0), run(40 * kMicrosecond)})});
  machine.add({.name = "logger",
               .priority = 1,
               .work = always({sleep(10 * kMillisecond), run(30 * kMicrosecond)})});
  add_interrupts(machine, 3'300 * kMicrosecond, 10 * kMicrosecond, true);
  machine.every(kMillisecond,
                [&machine] { machine.interrupt({.number = 1, .duration = 2 * kMicrosecond}); });
  machine.at(205'050 * kMicrosecond, [&machine] {
    machine.interrupt({.number = 6, .duration = 8 * kMicrosecond, .sends = true, .yields = false});
  });
}

// A task of middle urgency computes, and one below it does not run.
void hogged_core(Machine& machine) {
  machine.add({.name = "display",
               .priority = 1,
               .work = always({sleep(8 * kMillisecond), run(200 * kMicrosecond)})});
  machine.add({.name = "codec",
               .priority = 2,
               .work = but_once({sleep(20 * kMillisecond), run(300 * kMicrosecond)}, 10,
                                {sleep(20 * kMillisecond), compute(90 * kMillisecond)})});
}

// ---- Linux ----

void add_threads(Machine& machine, int count, bool one_lock) {
  for (int i = 0; i < count; ++i) {
    const std::size_t mutex = one_lock ? 0 : static_cast<std::size_t>(i);
    const Time period = 3 * kMillisecond + static_cast<Time>(i) * 170 * kMicrosecond;
    machine.add({.name = "worker-" + std::to_string(i),
                 .work = always({sleep(period), lock(mutex), run(20 * kMicrosecond), unlock(mutex),
                                 run(250 * kMicrosecond)})});
  }
}

void healthy_lttng(Machine& machine) { add_threads(machine, 2, false); }

void preempted_thread(Machine& machine) {
  machine.add({.name = "player",
               .priority = 0,
               .work = always({sleep(5 * kMillisecond), run(400 * kMicrosecond)}),
               .processor = 1});
  machine.add({.name = "rt-hog",
               .priority = 50,
               .work = but_once({sleep(30 * kMillisecond), run(100 * kMicrosecond)}, 9,
                                {sleep(30 * kMillisecond), compute(35 * kMillisecond)}),
               .processor = 1});
  machine.add({.name = "other",
               .work = always({sleep(4 * kMillisecond), run(300 * kMicrosecond)}),
               .processor = 0});
}

// All may run on one processor only, and the other has nothing to do.
void starved_core(Machine& machine) {
  machine.add({.name = "other",
               .work = always({sleep(90 * kMillisecond), run(300 * kMicrosecond)}),
               .processor = 1});
  for (int i = 0; i < 3; ++i)
    machine.add({.name = "pinned-" + std::to_string(i),
                 .work = but_once({sleep(6 * kMillisecond), run(200 * kMicrosecond)},
                                  static_cast<std::size_t>(30 + i),
                                  {sleep(6 * kMillisecond), compute(20 * kMillisecond)}),
                 .processor = 0});
}

// A thread tells of work just before the other begins to wait for it.
void lost_wakeup(Machine& machine) {
  machine.add({.name = "consumer",
               .work = but_once({await(1, 500 * kMillisecond), run(50 * kMicrosecond)}, 40,
                                {compute(3 * kMillisecond), await(1, 500 * kMillisecond),
                                 run(50 * kMicrosecond)})});
  machine.add({.name = "producer", .work = [](std::size_t turn) {
                 return turn < 41 || turn > 42
                            ? Steps{sleep(2 * kMillisecond), run(20 * kMicrosecond), notify(1)}
                            : Steps{sleep(600 * kMillisecond)};
               }});
}

void slow_disk(Machine& machine) {
  machine.add({.name = "database",
               .work = but_once(
                   {sleep(4 * kMillisecond), run(100 * kMicrosecond), disk(800 * kMicrosecond)}, 50,
                   {sleep(4 * kMillisecond), run(100 * kMicrosecond), disk(200 * kMillisecond)})});
}

// Below holds the lock, above waits for it, and between them somebody computes.
void priority_inversion(Machine& machine) {
  machine.add(
      {.name = "control",
       .priority = 50,
       .work = always({sleep(5 * kMillisecond), lock(0), run(50 * kMicrosecond), unlock(0)}),
       .processor = 0});
  machine.add(
      {.name = "logger",
       .priority = 1,
       .work = but_once({sleep(7 * kMillisecond), lock(0), run(60 * kMicrosecond), unlock(0)}, 40,
                        {sleep(7 * kMillisecond), lock(0), compute(2 * kMillisecond), notify(1),
                         compute(4 * kMillisecond), unlock(0)}),
       .processor = 0});
  machine.add({.name = "network",
               .priority = 10,
               .work = always({await(1, 10'000 * kMillisecond), compute(38 * kMillisecond)}),
               .processor = 0});
}

void lock_held_in_program(Machine& machine) {
  add_threads(machine, 3, true);
  machine.add({.name = "reloader",
               .work = but_once(
                   {sleep(20 * kMillisecond), lock(0), run(40 * kMicrosecond), unlock(0)}, 9,
                   {sleep(20 * kMillisecond), lock(0), compute(45 * kMillisecond), unlock(0)})});
}

// ---- Heph ----

void add_actors(Machine& machine, int count) {
  for (int i = 0; i < count; ++i)
    machine.add(
        {.name = "session",
         .work = always({sleep(3 * kMillisecond + static_cast<Time>(i) * 90 * kMicrosecond),
                         begin("run actor"), run(30 * kMicrosecond), begin("handle message"),
                         run(60 * kMicrosecond), end("handle message"), end("run actor")})});
}

void healthy_heph(Machine& machine) { add_actors(machine, 6); }

Steps query(Time connecting, Time asking) {
  Steps steps = {sleep(4 * kMillisecond), begin("query")};
  if (connecting != 0) {
    steps.push_back(begin("connect"));
    steps.push_back(compute(connecting));
    steps.push_back(end("connect"));
  }
  steps.push_back(run(asking));
  steps.push_back(end("query"));
  return steps;
}

void slow_first_call(Machine& machine) {
  add_actors(machine, 3);
  machine.add({.name = "store",
               .work = but_once(query(0, 150 * kMicrosecond), 0,
                                query(70 * kMillisecond, 150 * kMicrosecond))});
}

void blocking_actor(Machine& machine) {
  add_actors(machine, 4);
  const Steps usual = {sleep(9 * kMillisecond), begin("run actor"), run(40 * kMicrosecond),
                       end("run actor")};
  machine.add(
      {.name = "audit",
       .work = but_once(usual, 25,
                        {sleep(9 * kMillisecond), begin("run actor"), run(40 * kMicrosecond),
                         begin("write file"), compute(50 * kMillisecond), end("write file"),
                         end("run actor")})});
}

constexpr Machine::Options kTokio{.processors = 2, .preempts = false};
constexpr Machine::Options kFreeRtos{.processors = 1, .locks_lend_priority = true};
constexpr Machine::Options kLinux{.processors = 2};

constexpr auto kScenarios = std::to_array<Scenario>({
    {"healthy-dial9", "requests on two workers", kTokio, 1000 * kMillisecond, record_dial9,
     healthy_dial9},
    {"healthy-tband", "a control loop and a logger with one bus", kFreeRtos, 1000 * kMillisecond,
     record_tband, healthy_tband},
    {"healthy-ctf", "threads with a mutex each", kLinux, 1000 * kMillisecond, record_lttng,
     healthy_lttng},
    {"healthy-heph", "actors on two threads", kTokio, 1000 * kMillisecond, record_heph,
     healthy_heph},
    {"blocking-poll", "a thread sleeps in a poll", kTokio, 1000 * kMillisecond, record_dial9,
     blocking_poll},
    {"lock-in-poll", "a poll waits for a lock that a poll elsewhere holds", kTokio,
     1000 * kMillisecond, record_dial9, lock_in_poll},
    {"preempted-poll", "the kernel switches a worker out", kTokio, 1000 * kMillisecond,
     record_dial9, preempted_poll},
    {"behind-poll", "a task waits behind a long poll, and the other worker is parked", kTokio,
     1000 * kMillisecond, record_dial9, waits_behind_poll},
    {"burst", "two hundred tasks become ready at once", kTokio, 500 * kMillisecond, record_dial9,
     burst},
    {"lock-held", "a logger keeps the bus while the control loop wants it", kFreeRtos,
     1000 * kMillisecond, record_tband, lock_held},
    {"full-queue", "who receives stands still until the queue is full", kFreeRtos,
     1000 * kMillisecond, record_tband, full_queue},
    {"missed-yield", "an interrupt wakes a task and asks for no switch", kFreeRtos,
     1000 * kMillisecond, record_tband, missed_yield},
    {"hogged-core", "a more urgent task computes", kFreeRtos, 1000 * kMillisecond, record_tband,
     hogged_core},
    {"preempted-thread", "a real-time thread keeps the processor", kLinux, 1000 * kMillisecond,
     record_lttng, preempted_thread},
    {"starved-core", "all threads are pinned to one processor", kLinux, 1000 * kMillisecond,
     record_lttng, starved_core},
    {"lost-wakeup", "a thread waits for what was told just before", kLinux, 2000 * kMillisecond,
     record_lttng, lost_wakeup},
    {"slow-disk", "a disk takes long once", kLinux, 1500 * kMillisecond, record_lttng, slow_disk},
    {"priority-inversion", "who holds the mutex is kept from running", kLinux, 1000 * kMillisecond,
     record_lttng, priority_inversion},
    {"mutex-held", "a mutex is held for long", kLinux, 1000 * kMillisecond, record_lttng,
     lock_held_in_program},
    {"slow-first-call", "the first query connects", kTokio, 1000 * kMillisecond, record_heph,
     slow_first_call},
    {"blocking-actor", "an actor writes a file in its thread", kTokio, 1000 * kMillisecond,
     record_heph, blocking_actor},
});

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace tracedeck::tests
