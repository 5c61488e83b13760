// What a recording of a Tokio runtime lacks, and which of its tasks seem to be stuck.
//
// A `RecordingSurvey` is fed with the batches of one reading, in any order of the events. It holds
// so many tasks; where there are more, nothing is said of those that seem to be stuck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// A task of which something is to be said.
struct StuckTask {
  std::uint64_t id = 0;
  std::string place = {};   // where it was spawned; "": that is not recorded
  std::uint64_t count = 0;  // how often it woke itself
  std::uint64_t polls = 0;
  std::uint64_t age = 0;  // ns from what it waits since to the last event
};

struct StuckTasks {
  static constexpr std::size_t kListed = 5;

  std::uint64_t count = 0;
  std::vector<StuckTask> first = {};  // the most notable
};

struct RecordingQuality {
  bool is_known = false;  // whether there was anything that is surveyed

  std::uint64_t polled = 0;          // tasks
  std::uint64_t wakes = 0;           // events
  std::uint64_t spawned = 0;         // tasks
  std::uint64_t uninstrumented = 0;  // of them, whose wakes are not recorded
  std::uint64_t stacks = 0;          // of samples
  std::uint64_t shallow = 0;         // of them, of one or two addresses
  std::uint64_t addresses = 0;       // in stacks
  std::uint64_t nameless = 0;        // of them, that the trace has no name for
  std::uint64_t symbols = 0;         // events
  bool has_inlined = false;          // some of them are of functions that were inlined
  std::uint64_t allocations = 0;
  std::uint64_t without_address = 0;  // of them, whose frees are not tracked
  bool has_sample_rate = false;       // of allocations
  bool has_clock_anchor = false;

  // Nothing is said of these where events were lost.
  StuckTasks never_polled = {};  // that were spawned
  StuckTasks woken = {};         // and not polled since
  StuckTasks never_woken = {};   // polled once
  StuckTasks self_woken = {};
};

class RecordingSurvey {
 public:
  // Whether traces of that format have what is surveyed.
  [[nodiscard]] static bool is_about(std::string_view format);

  // For who wants no names of addresses: of these traces, if any of them has what is surveyed.
  [[nodiscard]] static std::optional<RecordingSurvey> of(
      std::vector<std::shared_ptr<const TraceDescription>> traces);

  // `names_addresses`: whether names of addresses are looked up, for which they have to be read.
  explicit RecordingSurvey(bool names_addresses) : names_addresses_(names_addresses) {}

  // Of these traces: as long as none of them describes what is surveyed, batches are not looked at.
  void expect(std::vector<std::shared_ptr<const TraceDescription>> traces);
  void see(const Batch& batch);
  // `has_losses`: events were lost, or could not be read.
  [[nodiscard]] RecordingQuality finish(bool has_losses) const;

 private:
  enum class Kind : std::uint8_t {
    kOther,
    kPoll,
    kPollEnd,
    kWake,
    kSpawn,
    kTerminate,
    kSample,
    kSymbol,
    kAllocation,
    kClockAnchor,
    kMetadata,
  };
  // What is read of the events of one class.
  struct ClassUse {
    explicit ClassUse(const EventClass& event_class);

    Kind kind = Kind::kOther;
    const StructureClass* payload = nullptr;
    // Numbers of members: what it is about, and who wakes, where it was spawned and the like.
    std::size_t subject = 0;
    std::size_t object = 0;
  };
  struct Key {
    std::uint64_t trace = 0;
    std::uint64_t id = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    [[nodiscard]] std::size_t operator()(const Key& key) const {
      return hash(key.id ^ (key.trace << 48U | key.trace >> 16U));
    }
    KeyedHash hash;
  };
  // Where tasks are spawned, so many of them; 0 is not recorded, or beyond.
  using PlaceId = std::uint32_t;
  struct Task {
    PlaceId place = 0;
    std::optional<std::uint64_t> spawned = {};  // times
    std::optional<std::uint64_t> polled = {};   // the last one, as of the next
    std::optional<std::uint64_t> woken = {};
    std::optional<std::uint64_t> first_poll_end = {};
    std::uint32_t polls = 0;
    std::uint32_t wakes = 0;
    std::uint32_t self_wakes = 0;
    bool is_uninstrumented = false;
  };
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  // The last poll of a worker.
  struct WorkerPoll {
    Key worker;
    std::uint64_t task = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_first = false;  // of its task, and it goes on
  };
  static constexpr std::size_t kMostTasks = std::size_t{1} << 14U;
  static constexpr std::size_t kMostEnded = std::size_t{1} << 17U;
  static constexpr std::size_t kMostWorkers = 1024;
  static constexpr std::size_t kMostPlaces = 256;

  struct Expected {
    std::shared_ptr<const TraceDescription> trace;
    std::size_t seen = 0;  // of its classes
  };

  [[nodiscard]] bool is_described();
  void see_event(const Event& event);
  void take_poll(const ClassUse& use, const Event& event);
  void take_poll_end(const ClassUse& use, const Event& event);
  void take_wake(const ClassUse& use, const Event& event);
  void take_spawn(const ClassUse& use, const Event& event);
  void take_end(const ClassUse& use, const Event& event);
  void take_stack(const ClassUse& use, const Event& event);
  void take_allocation(const ClassUse& use, const Event& event);
  void take_metadata(const ClassUse& use, const Event& event);
  [[nodiscard]] PlaceId place_of(const Event& event, std::size_t member);
  // Null: it has ended, or there are too many.
  [[nodiscard]] Task* task_of(const Event& event, std::uint64_t id);
  [[nodiscard]] WorkerPoll* poll_of(const Event& event, std::uint64_t worker);
  [[nodiscard]] bool is_polled(const Key& task) const;
  void list_stuck(const Key& key, const Task& task, RecordingQuality& quality) const;

  bool names_addresses_;
  ClassCache<ClassUse> classes_;
  std::unordered_map<Key, Task, KeyHash> tasks_;
  std::map<std::string, PlaceId, std::less<>> place_ids_;
  std::vector<std::string> places_{""};  // by number
  // Events of a task may come behind its end: as they were recorded, and as who wakes does not
  // know.
  std::unordered_set<Key, KeyHash> ended_;
  std::vector<WorkerPoll> polls_;
  std::map<std::uint64_t, Range> ranges_;  // of times, by trace
  RecordingQuality counts_;                // and who woke itself, of tasks that ended
  std::vector<Expected> expected_;
  bool is_described_ = true;
  bool has_too_many_ = false;
};

}  // namespace tracedeck::flow
