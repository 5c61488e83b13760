// Any text as a table: what can be read and be meant, is written and read back the same, and makes
// marks that nest of events of every class that its rules name.

#include "tracedeck/timeline/table.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/inference.hpp"
#include "tracedeck/timeline/interpreter.hpp"
#include "tracedeck/timeline/latency.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file
using render::unsigned_class;
using timeline::Mark;
using timeline::MarkKind;

constexpr std::size_t kMostClasses = 24;

void require(bool holds) {
  if (!holds) std::abort();
}

// Holds marks to what they promise, then hands them on.
class Checked final : public timeline::MarkSink {
 public:
  explicit Checked(timeline::MarkSink& next) : next_(next) {}

  Result<void> take(const timeline::Timeline& line, std::span<const Mark> marks) override {
    for (const Mark& mark : marks) {
      require(mark.track <= line.track_count() && mark.name <= line.name_count());
      std::vector<timeline::NameId>& open = open_[mark.track];
      if (mark.kind == MarkKind::kSliceBegin) open.push_back(mark.name);
      if (mark.kind != MarkKind::kSliceEnd) continue;
      require(mark.begin <= mark.time);
      if (mark.has(timeline::kUnplaced)) continue;
      require(!open.empty() && open.back() == mark.name);
      open.pop_back();
    }
    return next_.take(line, marks);
  }
  Result<void> finish(const timeline::Timeline& line) override {
    for (const auto& [track, open] : open_) require(open.empty());
    return next_.finish(line);
  }

 private:
  timeline::MarkSink& next_;
  std::map<timeline::TrackId, std::vector<timeline::NameId>> open_;
};

// Events of the classes that a table names, each with the fields that tables are about.
class Sample {
 public:
  explicit Sample(const timeline::Table& table) {
    const auto add = [&](const timeline::ClassGlobs& globs) {
      for (const std::string& glob : globs) add_class(glob);
    };
    for (const auto& rule : table.slices) {
      add(rule.begin);
      add(rule.end);
    }
    for (const auto& rule : table.waits) {
      add(rule.from);
      add(rule.to);
      add(rule.cancel);
    }
    for (const auto& rule : table.flows) {
      add(rule.from);
      add(rule.to);
    }
    for (const auto& rule : table.instants) add(rule.event);
    for (const auto& rule : table.counters) add(rule.event);
    for (const auto& rule : table.states) add(rule.event);
    for (const auto& rule : table.schedules) add(rule.event);
    for (const auto& rule : table.pendings) add(rule.event);
    for (const auto& rule : table.currents) add(rule.event);
    for (const auto& rule : table.lookups) add(rule.event);
  }

  // The same ones each time, in no order that means anything; a loss among them.
  [[nodiscard]] BatchPtr batch() {
    auto batch = std::make_shared<Batch>();
    std::uint64_t state = 1;
    const auto next = [&](std::uint64_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return (state >> 33U) % below;
    };
    for (std::uint64_t i = 0; i < 200 && !classes_.empty(); ++i) {
      const EventClass& of = *classes_[next(classes_.size())];
      std::vector<Slot> values;
      for (std::size_t field = 0; field < kFields.size(); ++field)
        values.push_back(unsigned_slot(next(4)));
      values.push_back(render::text_slot(next(2) == 0 ? "a" : "b b"));
      const std::uint64_t time = 1000 + i * 10 - next(15);
      batch->add_event(trace_.event(of, time, values));
      if (i == 120) batch->add_loss({.stream = &trace_.stream, .events = 3});
    }
    return batch;
  }

 private:
  static constexpr auto kFields = std::to_array<const char*>(
      {"id", "tid", "next_tid", "prev_tid", "worker_id", "task_id", "span_id", "ret", "addr",
       "mutex", "irq", "vec", "value", "depth", "thread_id", "callback"});

  void add_class(std::string name) {
    for (char& character : name) {
      if (character == '*' || character == '?') character = 'x';
    }
    for (const EventClass* each : classes_) {
      if (each->name == name) return;
    }
    if (classes_.size() >= kMostClasses) return;
    StructureClass structure;
    for (const char* const field : kFields)
      structure.members.push_back(
          {.name = field, .field_class = unsigned_class(), .attributes = {}});
    structure.members.push_back(
        {.name = "name", .field_class = render::string_class(), .attributes = {}});
    classes_.push_back(&trace_.add(trace_.event_class(classes_.size(), std::move(name),
                                                      make_field_class(std::move(structure)))));
  }

  render::SampleTrace trace_;
  std::vector<const EventClass*> classes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto table = timeline::parse_table(text, "table.toml");
  if (!table) {
    require(!table.error().message.empty());
    return 0;
  }
  const std::string written = timeline::to_toml(*table);
  const auto again = timeline::parse_table(written, "table.toml");
  require(again.has_value() && timeline::to_toml(*again) == written);
  table->format.clear();
  table->applies_to.clear();
  Sample sample(*table);
  timeline::InterpreterOptions options;
  options.tables.push_back(*std::move(table));
  const auto interpreter = timeline::Interpreter::make(std::move(options));
  if (!interpreter) return 0;
  const auto latency = timeline::Latency::make({});
  require(latency.has_value());
  Checked checked(**latency);
  const BatchPtr batch = sample.batch();
  require((*interpreter)->add(batch, checked).has_value());
  require((*interpreter)->finish(checked).has_value());
  (void)(*interpreter)->explain();
  return 0;
}
