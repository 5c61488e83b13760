// Writes a time line that has everything into files, for other programs to read: into the folder
// that TRACEDECK_EXPORT_FOLDER names (tests/perfetto_test.py).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tracedeck/export/chrome.hpp"
#include "tracedeck/export/folded.hpp"
#include "tracedeck/export/made_up_marks_test.hpp"
#include "tracedeck/export/perfetto.hpp"

namespace tracedeck::exporting {
namespace {

constexpr std::int64_t kMicrosecond = 1000;

// Workers of a process that run tasks which wake each other; an RTOS with two cores; lanes, losses,
// late marks, everything that is not UTF-8, deep nesting.
class Scene : public MadeUpMarks {
 public:
  Scene() {
    time_ = 1'000'000'000'000;
    for (std::size_t round = 0; round < 200; ++round) {
      polls(round);
      switch_tasks(round);
      requests(round);
      time_ += 100 * kMicrosecond;
    }
    odd_ones();
  }

 private:
  void polls(std::size_t round) {
    const TrackId worker = workers_[round % 2];
    instant(workers_[(round + 1) % 2], time_, "wake");
    flow(MarkKind::kFlowOut, workers_[(round + 1) % 2], time_, 1 + round % 3);
    const std::int64_t began = time_ + 3 * kMicrosecond;
    state(states_[round % 2], began, "active");
    Mark& poll = begin(worker, began, "main.rs:" + std::to_string(round % 7), "poll");
    if (round % 5 == 0) arguments_.give(poll);
    flow(MarkKind::kFlowIn, worker, began, 1 + round % 3);
    wait(worker, time_, began, "wake -> poll");
    counter(queue_, began, static_cast<std::int64_t>(round % 11));
    begin(worker, began + kMicrosecond, "read \"x\"");
    end(worker, began + 2 * kMicrosecond, "read \"x\"", began + kMicrosecond);
    Mark& done = end(worker, began + 4 * kMicrosecond, "main.rs:" + std::to_string(round % 7),
                     began, "poll");
    if (round % 50 == 0) done.flags = timeline::kAcrossLoss;
    state(states_[round % 2], began + 5 * kMicrosecond, "parked").value = 17;
    Mark& load = counter(load_, began + 5 * kMicrosecond, 0);
    load.flags = timeline::kReal;
    load.real = static_cast<double>(round) / 4.0;
  }

  void switch_tasks(std::size_t round) {
    const std::size_t core = round % 2;
    const auto cpu = static_cast<std::int32_t>(core);
    const TrackId next = tasks_[round % 3];
    if (running_[core] == next || running_[1 - core] == next) return;
    if (running_[core] != timeline::kNoTrack) {
      state(running_[core], time_ + 20 * kMicrosecond, round % 4 == 0 ? "delay" : "runnable", cpu);
    }
    state(next, time_ + 20 * kMicrosecond, "running", cpu);
    running_[core] = next;
  }

  // Two at a time, which overlap.
  void requests(std::size_t round) {
    const std::size_t lane = round % 2;
    if (round >= 2)
      end(lanes_[lane], time_ + 30 * kMicrosecond, "request", began_[lane], "http").flags =
          timeline::kOverlap;
    began_[lane] = time_ + 30 * kMicrosecond;
    begin(lanes_[lane], began_[lane], "request", "http");
  }

  void odd_ones() {
    state(states_[0], time_, "");
    state(states_[1], time_, "parked");  // which it is in
    gap(time_ - 300 * kMicrosecond, time_, "lost 7002 events");
    gap(time_ - 200 * kMicrosecond, time_ + kMicrosecond, "damaged");
    for (std::int64_t i = 0; i < 510; ++i) begin(deep_, time_ + i, "f");
    for (std::int64_t i = 509; i >= 0; --i) end(deep_, time_ + 2000 - i, "f", time_ + i);
    begin(late_, time_ - kMicrosecond, "late \xff").flags = timeline::kLate;
    end(late_, time_ - 1, "late \xff", time_ - kMicrosecond).flags = timeline::kLate;
    end(late_, time_ + 5000, "before", 1'000'000'000'000).flags = timeline::kBeganBefore;
    instant(late_, time_ + 6000, "unmatched end").flags = timeline::kUnmatchedEnd;
    for (int i = 0; i < 520; ++i) instant(crowd_, time_ + 6500, "crowd");
    // Those that are open end with the trace.
    for (const std::size_t lane : {0U, 1U})
      end(lanes_[lane], time_ + 7000, "request", began_[lane], "http").flags = timeline::kOpenAtEnd;
  }

  MadeUpArguments arguments_;
  std::int64_t time_;
  TrackId server_ = process("server", 100);
  std::vector<TrackId> workers_ = {thread("worker 0", 101, server_),
                                   thread("worker 1", 102, server_)};
  std::vector<TrackId> states_ = {track(TrackKind::kState, "worker 0", server_),
                                  track(TrackKind::kState, "worker 1", server_)};
  TrackId queue_ = timeline.add_track(
      {.kind = TrackKind::kCounter, .parent = server_, .name = "queue", .unit = "count"});
  TrackId load_ = timeline.add_track({.kind = TrackKind::kCounter, .name = "load", .unit = "%"});
  TrackId rtos_ = process("FreeRTOS", 1);
  std::vector<TrackId> tasks_ = {task("A", 1001, rtos_), task("B", 1002, rtos_),
                                 task("C", 1003, rtos_)};
  TrackId running_[2] = {timeline::kNoTrack, timeline::kNoTrack};
  TrackId group_ = track(TrackKind::kGroup, "requests");
  TrackId first_lane_ = track(TrackKind::kLanes, "GET", group_);
  std::vector<TrackId> lanes_ = {first_lane_, lane(first_lane_, 1)};
  std::int64_t began_[2] = {0, 0};
  TrackId deep_ = track(TrackKind::kPlain, "deep");
  TrackId crowd_ = track(TrackKind::kPlain, "crowd");
  TrackId late_ = track(TrackKind::kPlain, "late");
};

template <class Make>
void write_file(const std::filesystem::path& path, const Scene& scene, Make make) {
  const auto output = io::create_file(path.string());
  ASSERT_TRUE(output);
  const auto exporter = make(**output);
  ASSERT_TRUE(exporter->take(scene.timeline, scene.marks));
  ASSERT_TRUE(exporter->finish(scene.timeline));
  ASSERT_TRUE((*output)->finish());
}

// What there ought to be in each file, by our own count, and when the trace ends.
void write_counts(const std::filesystem::path& path, const Scene& scene) {
  std::map<std::string, std::uint64_t> counts;
  constexpr const char* kKinds[] = {"slice_begin", "slice_end", "instant", "state", "counter",
                                    "flow_out",    "flow_in",   "wait",    "gap"};
  for (const Mark& mark : scene.marks) {
    ++counts[kKinds[static_cast<std::size_t>(mark.kind)]];
    if (mark.kind == MarkKind::kState && scene.timeline.track(mark.track).kind == TrackKind::kTask)
      ++counts["task_state"];
    if (mark.kind == MarkKind::kState && mark.name == timeline::kNoName) ++counts["unknown_state"];
  }
  counts["end"] = static_cast<std::uint64_t>(scene.timeline.end());
  std::ofstream file(path);
  file << "{";
  const char* separator = "";
  for (const auto& [kind, count] : counts) {
    file << separator << '"' << kind << "\":" << count;
    separator = ",";
  }
  file << "}\n";
}

TEST(ExportFiles, HoldATimeLineWithEverything) {
  const char* const folder = std::getenv("TRACEDECK_EXPORT_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "TRACEDECK_EXPORT_FOLDER names no folder to write into";
  const Scene scene;
  const std::filesystem::path into = folder;
  write_counts(into / "counts.json", scene);
  const auto attributes = [] {
    return std::vector<TraceAttribute>{{"tracedeck.input.0", "made up"},
                                       {"tracedeck.lost_events", std::int64_t{7002}}};
  };
  for (const int level : {50, 57}) {
    write_file(into / ("scene" + std::to_string(level) + ".pftrace"), scene,
               [&](io::Output& output) {
                 return make_perfetto(
                     output, {.level = level, .format = "dial9", .attributes = attributes});
               });
  }
  write_file(into / "scene.json", scene,
             [&](io::Output& output) { return make_chrome(output, {.attributes = attributes}); });
  write_file(into / "scene.folded", scene,
             [](io::Output& output) { return make_folded(output, FoldedStacks::kSlices); });
}

}  // namespace
}  // namespace tracedeck::exporting
