#include "tracedeck/export/perfetto_tasks.hpp"

#include <algorithm>
#include <array>

#include "tracedeck/export/host_numbers.hpp"

namespace tracedeck::exporting::perfetto {
namespace {

struct StateWord {
  std::string_view word;
  TaskState state;
};
constexpr std::array kStateWords = {
    StateWord{"created", TaskState::kCreated},
    StateWord{"runnable", TaskState::kRunnable},
    StateWord{"ready", TaskState::kRunnable},
    StateWord{"running", TaskState::kRunning},
    StateWord{"uninterruptible", TaskState::kUninterruptible},
    StateWord{"suspended", TaskState::kStopped},
    StateWord{"stopped", TaskState::kStopped},
    StateWord{"traced", TaskState::kStopped},
    StateWord{"exited", TaskState::kDead},
    StateWord{"dead", TaskState::kDead},
    StateWord{"zombie", TaskState::kDead},
    StateWord{"deleted", TaskState::kDestroyed},
    StateWord{"destroyed", TaskState::kDestroyed},
};

// Numbers of tasks that a track does not give: above those that systems give.
constexpr std::int64_t kMadeUpTids = 1'000'000'000;

// 0 is for Perfetto the idle task of every processor, and a number that comes again the same task.
std::int64_t tid_of(const timeline::Timeline& timeline, timeline::TrackId id) {
  const timeline::Track& track = timeline.track(id);
  const std::int64_t tid = track.earlier == 0 ? track.tid.value_or(0) : 0;
  return tid == 0 ? kMadeUpTids + id : number_on_host(timeline, id, tid);
}

}  // namespace

TaskState task_state(std::string_view name) {
  const std::string_view word = name.substr(0, name.find_first_of(" :,("));
  const auto* const found = std::ranges::find(kStateWords, word, &StateWord::word);
  return found == kStateWords.end() ? TaskState::kSleeping : found->state;
}

TaskState Tasks::state_of(const timeline::Timeline& timeline, timeline::NameId name) {
  if (name == timeline::kNoName) return TaskState::kUnknown;
  if (name > states_.size()) states_.resize(timeline.name_count(), TaskState::kUnknown);
  TaskState& state = states_[name - 1];
  if (state == TaskState::kUnknown) state = task_state(timeline.name(name).text);
  return state;
}

// Perfetto rejects a task that runs twice, one that is created and known, one that is dead behind
// what is not known, and all but the end of a dead one.
bool Tasks::can_follow(TaskState state, const Task& task, std::int64_t tid) {
  const bool is_known = task.state != TaskState::kUnknown || tracks_.has_thread(tid);
  if (state == task.state || (state == TaskState::kCreated && is_known) ||
      (state == TaskState::kDead && task.is_gone)) {
    ++counts_.repeated;
    return false;
  }
  return true;
}

void Tasks::put(const timeline::Timeline& timeline, const timeline::Mark& mark) {
  const std::int64_t tid = tid_of(timeline, mark.track);
  Task& task = tasks_[tid];
  if (mark.time < task.time) {
    ++counts_.late;
    return;
  }
  task.time = mark.time;
  TaskState state = state_of(timeline, mark.name);
  if (state == TaskState::kUnknown) {
    // Nothing was said of it, or that it is gone: then nothing more is to be known.
    if (task.state == TaskState::kUnknown || task.state == TaskState::kDead) return;
    // Perfetto has no word for it, and else would go on with what was known.
    ++counts_.unknown;
    state = TaskState::kDestroyed;
  }
  if (!can_follow(state, task, tid)) return;
  // The processor that it leaves is the one that it ran on: Perfetto looks for it there.
  if (task.state != TaskState::kRunning && mark.cpu != timeline::kNoCpu)
    task.cpu = processor_on_host(timeline, mark.track, mark.cpu);
  if (state == TaskState::kRunning && mark.cpu == timeline::kNoCpu) {
    task.cpu = free_processor();
    ++counts_.placed;
  }
  if (task.state == TaskState::kRunning || state == TaskState::kRunning)
    note_running(task.cpu, state == TaskState::kRunning);
  if (task.state == TaskState::kDead && state != TaskState::kDestroyed)
    put_state(timeline, mark, TaskState::kDestroyed);
  put_state(timeline, mark, state);
  task.is_gone = state == TaskState::kDestroyed;
  task.state = task.is_gone ? TaskState::kUnknown : state;
  if (!task.has_process) {
    task.has_process = true;
    put_process(timeline, mark.track);
  }
}

std::int32_t Tasks::free_processor() const {
  return static_cast<std::int32_t>(std::ranges::find(busy_, false) - busy_.begin());
}

void Tasks::note_running(std::int32_t cpu, bool runs) {
  constexpr std::size_t kMostProcessors = std::size_t{1} << 12U;
  const auto place = static_cast<std::size_t>(cpu);
  if (cpu < 0 || place >= kMostProcessors) return;
  if (place >= busy_.size()) busy_.resize(place + 1);
  busy_[place] = runs;
}

void Tasks::put_state(const timeline::Timeline& timeline, const timeline::Mark& mark,
                      TaskState state) {
  const std::int64_t tid = tid_of(timeline, mark.track);
  packets_.begin(mark.time);
  ProtobufWriter& writer = packets_.writer();
  const std::size_t event = writer.open(packet_field::kKernelTaskState);
  writer.signed_integer(task_field::kCpu, tasks_[tid].cpu);
  packets_.text(task_field::kComm, timeline.track(mark.track).name);
  writer.signed_integer(task_field::kTid, tid);
  writer.integer(task_field::kState, static_cast<std::uint64_t>(state));
  writer.close(event);
  packets_.end();
}

// After the first state: a task whose process is told before is known, and cannot be created.
void Tasks::put_process(const timeline::Timeline& timeline, timeline::TrackId track) {
  const std::int32_t pid = process_of(timeline, track);
  if (pid == 0) return;
  // It has its name from its own descriptor.
  if (const timeline::TrackId parent = timeline.track(track).parent; parent != timeline::kNoTrack)
    (void)tracks_.uuid(timeline, parent, Content::kEvents);
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t tree = writer.open(packet_field::kKernelProcessTree);
  const std::size_t thread = writer.open(process_tree_field::kThreads);
  writer.signed_integer(process_tree_field::kTid, tid_of(timeline, track));
  writer.signed_integer(process_tree_field::kPid, pid);
  packets_.text(process_tree_field::kComm, timeline.track(track).name);
  writer.close(thread);
  writer.close(tree);
  packets_.end();
}

}  // namespace tracedeck::exporting::perfetto
