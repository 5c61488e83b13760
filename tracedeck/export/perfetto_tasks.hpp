// States of tasks as events of a generic kernel: Perfetto shows which runs on each processor, and
// the state of each as that of a thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/export/perfetto_tracks.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::exporting::perfetto {

// Which of Perfetto's states a name begins with: "running", "blocked: receive QUEUE" (which is
// sleeping, as is every name that says nothing else).
[[nodiscard]] TaskState task_state(std::string_view name);

// States that Perfetto's events cannot say.
struct TaskCounts {
  std::uint64_t unknown = 0;   // written as gone
  std::uint64_t repeated = 0;  // the same again, left out
  std::uint64_t late = 0;      // came behind later ones, left out
  std::uint64_t placed = 0;    // runs where nobody knows: on a processor on which nothing runs
};

class Tasks {
 public:
  Tasks(Packets& packets, Tracks& tracks) : packets_(packets), tracks_(tracks) {}

  // Requires a track of kind kTask.
  void put(const timeline::Timeline& timeline, const timeline::Mark& mark);

  [[nodiscard]] const TaskCounts& counts() const { return counts_; }

 private:
  struct Task {
    TaskState state = TaskState::kUnknown;                         // the last that was written
    std::int32_t cpu = 0;                                          // on which it ran last
    std::int64_t time = std::numeric_limits<std::int64_t>::min();  // of its last state
    bool is_gone = false;  // the last that was written is that, after which nothing is known
    bool has_process = false;
  };

  [[nodiscard]] TaskState state_of(const timeline::Timeline& timeline, timeline::NameId name);
  [[nodiscard]] bool can_follow(TaskState state, const Task& task, std::int64_t tid);
  void put_state(const timeline::Timeline& timeline, const timeline::Mark& mark, TaskState state);
  [[nodiscard]] std::int32_t free_processor() const;
  void note_running(std::int32_t cpu, bool runs);
  void put_process(const timeline::Timeline& timeline, timeline::TrackId track);

  Packets& packets_;
  Tracks& tracks_;
  NumberMap<std::int64_t, Task> tasks_;  // by tid
  std::vector<TaskState> states_;        // by NameId; kUnknown: not looked at yet
  std::vector<bool> busy_;               // by processor, as far as they are few
  TaskCounts counts_;
};

}  // namespace tracedeck::exporting::perfetto
