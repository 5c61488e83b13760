#include "tracedeck/render/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tracedeck/formats.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

using flow::RecordingQuality;
using flow::StuckTask;
using flow::StuckTasks;

// Of fewer tasks, or stacks, nothing is said.
constexpr std::uint64_t kFewest = 10;
constexpr std::uint64_t kPartOfAddresses = 10;

struct StuckKind {
  std::string_view key;
  StuckTasks RecordingQuality::* tasks;
  std::string (*sentence)(std::uint64_t count, const std::string& tasks);
};

template <SentenceId kSentence>
std::string counted_sentence(std::uint64_t count, const std::string& tasks) {
  return say<kSentence>(count, tasks);
}

constexpr auto kStuckKinds = std::to_array<StuckKind>({
    {"never_polled", &RecordingQuality::never_polled, counted_sentence<"stuck/never-polled">},
    {"woken", &RecordingQuality::woken, counted_sentence<"stuck/woken">},
    {"never_woken", &RecordingQuality::never_woken, counted_sentence<"stuck/never-woken">},
    {"self_woken", &RecordingQuality::self_woken,
     [](std::uint64_t, const std::string& tasks) { return say<"stuck/self-woken">(tasks); }},
});

std::string stuck_age(std::uint64_t nanoseconds) {
  struct Unit {
    std::uint64_t size;
    std::string_view name;
  };
  static constexpr auto kUnits =
      std::to_array<Unit>({{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}});
  for (const Unit& unit : kUnits) {
    if (nanoseconds >= unit.size)
      return fmt::format(
          "{:.3g}{}", static_cast<double>(nanoseconds) / static_cast<double>(unit.size), unit.name);
  }
  return fmt::format("{}ns", nanoseconds);
}

// Behind the directory of packages, which is another on each machine.
std::string_view short_place(std::string_view place) {
  constexpr std::string_view kPackages = "/registry/src/";
  const std::size_t at = place.rfind(kPackages);
  if (at == std::string_view::npos) return place;
  const std::size_t slash = place.find('/', at + kPackages.size());
  return slash == std::string_view::npos ? place : place.substr(slash + 1);
}

std::string stuck_task(const StuckTask& task) {
  const std::string name =
      task.place.empty() ? say<"stuck/task">(Plain(task.id))
                         : say<"stuck/task-of">(Plain(task.id), visible(short_place(task.place)));
  return task.count != 0 ? say<"stuck/times">(name, task.count, with_separators(task.polls))
                         : say<"stuck/for">(name, stuck_age(task.age));
}

void add_stacks(std::vector<QualityFinding>& findings, const RecordingQuality& quality) {
  if (quality.stacks < kFewest) return;
  // An address stands for several frames where functions are inlined.
  if (quality.shallow * 2 >= quality.stacks && !quality.has_inlined)
    findings.push_back({"shallow",
                        say<"quality/shallow">(quality.shallow, with_separators(quality.stacks)),
                        say<"quality/shallow-remedy">()});
  if (quality.symbols == 0) {
    findings.push_back(
        {"no-symbols", say<"quality/no-symbols">(quality.stacks), say<"quality/symbols-remedy">()});
  } else if (quality.nameless * kPartOfAddresses >= quality.addresses) {
    findings.push_back(
        {"few-symbols",
         say<"quality/few-symbols">(quality.nameless, with_separators(quality.addresses)),
         say<"quality/symbols-remedy">()});
  }
}

void add_memory(std::vector<QualityFinding>& findings, const RecordingQuality& quality) {
  if (quality.allocations != 0 && !quality.has_sample_rate)
    findings.push_back({"no-sample-rate", say<"quality/no-sample-rate">(quality.allocations),
                        say<"quality/no-sample-rate-remedy">()});
  if (quality.without_address != 0)
    findings.push_back(
        {"no-frees",
         say<"quality/no-frees">(quality.without_address, with_separators(quality.allocations)),
         say<"quality/no-frees-remedy">()});
}

// Whether the format of the trace relates its clock to UTC.
bool has_anchors(const flow::TraceSummary& summary) {
  const Format* const format = find_format(summary.description->format());
  return format != nullptr && !format->info().clock_sync_event.empty();
}

}  // namespace

std::vector<QualityFinding> quality_findings(const RecordingQuality& quality) {
  std::vector<QualityFinding> findings;
  if (quality.polled >= kFewest && quality.wakes == 0) {
    findings.push_back(
        {"no-wakes", say<"quality/no-wakes">(quality.polled), say<"quality/no-wakes-remedy">()});
  }
  if (quality.uninstrumented != 0) {
    findings.push_back(
        {"not-instrumented",
         say<"quality/not-instrumented">(quality.uninstrumented, with_separators(quality.spawned)),
         say<"quality/not-instrumented-remedy">()});
  }
  add_stacks(findings, quality);
  add_memory(findings, quality);
  return findings;
}

std::vector<QualityFinding> quality_findings(const flow::TraceSummary& summary) {
  std::vector<QualityFinding> findings;
  if (summary.losses.places != 0 || summary.problems.count != 0)
    findings.push_back({"lost", say<"quality/lost">(), say<"quality/lost-remedy">()});
  if (summary.quality)
    std::ranges::move(quality_findings(*summary.quality), std::back_inserter(findings));
  if (has_anchors(summary) && !summary.utc)
    findings.push_back({"no-clock-anchor", say<"quality/no-clock-anchor">(),
                        say<"quality/no-clock-anchor-remedy">()});
  const std::size_t steps =
      summary.utc && summary.utc->wall ? summary.utc->wall->steps().size() : 0;
  if (steps != 0)
    findings.push_back({"clock-steps", say<"quality/clock-steps">(std::uint64_t{steps}),
                        say<"quality/clock-steps-remedy">()});
  return findings;
}

std::string worst_text(const std::vector<QualityFinding>& findings) {
  if (findings.empty()) return {};
  return findings.size() == 1
             ? say<"quality/worst">(findings.front().text)
             : say<"quality/worst-of-several">(findings.front().text, findings.size() - 1);
}

std::vector<std::string> stuck_texts(const RecordingQuality& quality) {
  std::vector<std::string> texts;
  for (const StuckKind& kind : kStuckKinds) {
    const StuckTasks& tasks = quality.*kind.tasks;
    if (tasks.count == 0) continue;
    std::vector<std::string> each;
    for (const StuckTask& task : tasks.first) each.push_back(stuck_task(task));
    if (tasks.count > tasks.first.size())
      each.push_back(say<"stuck/more">(tasks.count - tasks.first.size()));
    texts.push_back(kind.sentence(tasks.count, fmt::format("{}", fmt::join(each, ", "))));
  }
  return texts;
}

void append_findings(TextBuffer& out, const std::vector<QualityFinding>& findings) {
  JsonArray list(out);
  for (const QualityFinding& each : findings) {
    JsonObject object(list.next());
    object.string("id", each.id);
    object.string("text", each.text);
    object.string("remedy", each.remedy);
    object.end();
  }
  list.end();
}

bool has_stuck(const RecordingQuality& quality) {
  return std::ranges::any_of(
      kStuckKinds, [&](const StuckKind& kind) { return (quality.*kind.tasks).count != 0; });
}

void append_stuck(TextBuffer& out, const RecordingQuality& quality) {
  JsonObject object(out);
  for (const StuckKind& kind : kStuckKinds) {
    const StuckTasks& tasks = quality.*kind.tasks;
    if (tasks.count == 0) continue;
    JsonObject of_kind(object.key(kind.key));
    of_kind.integer("count", tasks.count);
    JsonArray list(of_kind.key("tasks"));
    for (const StuckTask& task : tasks.first) {
      JsonObject each(list.next());
      each.integer("task", task.id);
      if (!task.place.empty()) each.string("spawned_at", task.place);
      if (task.count != 0) {
        each.integer("count", task.count);
        each.integer("polls", task.polls);
      } else {
        each.integer("age", task.age);
      }
      each.end();
    }
    list.end();
    of_kind.end();
  }
  object.end();
}

}  // namespace tracedeck::render
