#include "tracedeck/flow/hiding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tracedeck::flow {
namespace {

// What of a kind is counted.
std::string_view counted_of(HiddenKind kind) {
  switch (kind) {
    case HiddenKind::kField:
      return "values of fields";
    case HiddenKind::kClass:
      return "events of classes";
    case HiddenKind::kEnvironment:
      return "entries of the environment";
    case HiddenKind::kMetadata:
      return "entries of the metadata";
    case HiddenKind::kThread:
      return "names of threads";
    case HiddenKind::kFile:
      return "paths of files";
  }
  return {};
}

// Fields that tracers call the names of threads and tasks by.
constexpr auto kNamesOfThreads = std::to_array<std::string_view>(
    {"comm", "prev_comm", "next_comm", "parent_comm", "child_comm", "oldcomm", "newcomm",
     "procname", "thread_name", "task_name", "threadName", "taskName"});

}  // namespace

Hiding::Hiding(std::vector<HiddenPattern> patterns,
               std::function<std::string(std::string_view)> mask)
    : patterns_(std::move(patterns)),
      mask_(std::move(mask)),
      matched_(std::make_unique<std::atomic<bool>[]>(patterns_.size())) {
  hides_contents_ = std::ranges::any_of(patterns_, [](const HiddenPattern& pattern) {
    return pattern.kind == HiddenKind::kField || pattern.kind == HiddenKind::kEnvironment ||
           pattern.kind == HiddenKind::kMetadata ||
           (pattern.kind == HiddenKind::kClass && pattern.drops);
  });
  hides_threads_ = std::ranges::any_of(
      patterns_, [](const HiddenPattern& pattern) { return pattern.kind == HiddenKind::kThread; });
  hides_fields_ = std::ranges::any_of(patterns_, [](const HiddenPattern& pattern) {
    return pattern.kind == HiddenKind::kField && !pattern.only_texts;
  });
  masks_fields_ = std::ranges::any_of(patterns_, [](const HiddenPattern& pattern) {
    return pattern.kind == HiddenKind::kField && !pattern.drops && !pattern.only_texts;
  });
}

Verdict Hiding::verdict(std::uint32_t pattern) const {
  const HiddenPattern& of = patterns_[pattern];
  matched_[pattern] = true;
  return {.pattern = pattern, .drops = of.drops, .only_texts = of.only_texts};
}

template <class Matches>
Verdict Hiding::strongest(HiddenKind kind, Matches matches) const {
  std::optional<std::uint32_t> found;
  const auto rank = [](const HiddenPattern& pattern) {
    return pattern.is_preset ? 0 : pattern.drops ? 2 : 1;
  };
  for (std::uint32_t i = 0; i < patterns_.size(); ++i) {
    const HiddenPattern& pattern = patterns_[i];
    if (pattern.kind != kind || !matches(pattern)) continue;
    // A preset that another pattern makes needless matched nothing.
    if (!pattern.is_preset) matched_[i] = true;
    if (!found || rank(pattern) > rank(patterns_[*found])) found = i;
  }
  return found ? verdict(*found) : Verdict();
}

Verdict Hiding::of(HiddenKind kind, std::string_view text) const {
  return strongest(kind, [&](const HiddenPattern& pattern) { return pattern.matches(text); });
}

Verdict Hiding::of(const FieldPlace& field) const {
  const std::string scoped = fmt::format("{}.{}", field.scope, field.path);
  return strongest(HiddenKind::kField, [&](const HiddenPattern& pattern) {
    if (pattern.of_class && !(field.event_class && pattern.of_class(*field.event_class)))
      return false;
    if (!pattern.by_path) return pattern.matches(field.name);
    return pattern.matches(field.path) || pattern.matches(scoped);
  });
}

Verdict Hiding::of_value_name(std::string_view name) const {
  const Verdict as_thread = of(HiddenKind::kThread, name);
  if (as_thread) return as_thread;
  return strongest(HiddenKind::kField, [](const HiddenPattern& pattern) {
    return pattern.by_path ? pattern.matches("fields.name") || pattern.matches("name")
                           : pattern.matches("name");
  });
}

bool Hiding::may_name_threads(const FieldPlace& field) const {
  if (!hides_threads_) return false;
  if (std::ranges::find(kNamesOfThreads, field.name) != kNamesOfThreads.end()) return true;
  // Events that give names to them.
  const std::string_view of = field.event_class.value_or("");
  const auto holds = [&](std::string_view word) { return of.find(word) != std::string_view::npos; };
  return field.name == "name" &&
         (holds("thread") || holds("Thread") || holds("task") || holds("Task"));
}

std::string Hiding::own_name(const std::string& name) const {
  return hides_contents_ ? mask(name) : name;
}

std::string Hiding::path(std::string_view path, Verdict of_trace) const {
  const Verdict own = of(HiddenKind::kFile, path);
  const Verdict is = own ? own : of_trace;
  if (!is || path.empty()) return std::string(path);
  if (!is.drops) return mask(path);
  const std::lock_guard lock(mutex_);
  const auto place = dropped_paths_.try_emplace(std::string(path), dropped_paths_.size() + 1).first;
  return fmt::format("file-{}", place->second);
}

void Hiding::add(const std::string& place, const HidingCounts& counts) const {
  const std::lock_guard lock(mutex_);
  HidingCounts& most = most_[place];
  most.resize(patterns_.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    most[i] = place.empty() ? most[i] + counts[i] : std::max(most[i], counts[i]);
}

Receipt Hiding::receipt() const {
  const std::lock_guard lock(mutex_);
  Receipt receipt;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (!matched_[i]) continue;
    const HiddenPattern& pattern = patterns_[i];
    std::uint64_t count = 0;
    for (const auto& [place, counts] : most_) count += counts[i];
    receipt.push_back({.what = fmt::format("{} ({})", counted_of(pattern.kind), pattern.said),
                       .done = pattern.drops ? "dropped" : "masked",
                       .count = count,
                       .lossy = false});
  }
  return receipt;
}

std::vector<std::string> Hiding::unmatched() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (!matched_[i] && !patterns_[i].is_preset) all.push_back(patterns_[i].given);
  return all;
}

}  // namespace tracedeck::flow
