// What is concluded from the evidence around a slice: a sentence for each known pattern, only where
// all of it was seen. A pattern that cannot be told from another one by what traces hold is none.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/render/sentences.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

using render::say;
using State = Evidence::Spent;

std::string time_text(std::int64_t time) { return short_duration(static_cast<double>(time)); }

bool is_most(std::int64_t time, std::int64_t of) { return time >= of - of / 10; }
bool is_half(std::int64_t time, std::int64_t of) { return time >= of / 2; }

const State* state_of(const std::vector<State>& states, const Timeline& timeline,
                      std::string_view name) {
  const auto found = std::ranges::find_if(
      states, [&](const State& each) { return timeline.name(each.name).text == name; });
  return found == states.end() ? nullptr : &*found;
}

// The state of who it is about that begins so, for half of the time at least.
const State* blocked_state(const Evidence& evidence, const Timeline& timeline,
                           std::string_view beginning) {
  const auto found = std::ranges::find_if(evidence.states, [&](const State& each) {
    return timeline.name(each.name).text.starts_with(beginning) &&
           is_half(each.time, evidence.slice.duration());
  });
  return found == evidence.states.end() ? nullptr : &*found;
}

// ---- Where a thread was switched out, by the functions it was in ----

struct SwitchedOut {
  std::string_view function;  // in the stack
  std::string_view caller;    // behind it; empty: the function is the first beside the scheduler's
  std::string_view category;  // of the slice; empty: any
  std::string (*sentence)();
};
constexpr auto kSwitchedOut = std::to_array<SwitchedOut>({
    {"synchronize_rcu", "expand_fdtable", "", say<"so/rcu">},
    {"hrtimer_nanosleep", "", "poll", say<"so/sleep">},
    {"futex_wait", "", "poll", say<"so/futex">},
});
// Functions in which the kernel takes the processor from a thread that wants to run.
constexpr auto kPreempting = std::to_array<std::string_view>(
    {"exit_to_user_mode_prepare", "exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
     "irqentry_exit_cond_resched", "raw_irqentry_exit_cond_resched", "preempt_schedule",
     "preempt_schedule_irq", "preempt_schedule_common"});

bool is_switched_out(const Evidence::Sample& sample, const Timeline& timeline) {
  return timeline.name(sample.name).text == "descheduled";
}

bool shows(const Evidence::Sample& sample, const SwitchedOut& pattern) {
  const auto inner = std::ranges::find(sample.stack, pattern.function);
  if (inner == sample.stack.end()) return false;
  return pattern.caller.empty() ||
         std::find(inner, sample.stack.end(), pattern.caller) != sample.stack.end();
}

// Whether it was off the processor for half of the time at least, which only CPU time can prove,
// from where it was first sampled on; and all samples of its track say that it was so there.
template <class Shows>
bool is_off_processor(const Evidence& evidence, const Timeline& timeline, const Shows& shows_it) {
  const FoundSlice& slice = evidence.slice;
  if (slice.is_wait || slice.is_state || !is_half(evidence.off_processor, slice.duration()))
    return false;
  std::int64_t first = slice.end;
  for (const Evidence::Sample& each : evidence.samples) {
    if (each.track != slice.track) continue;
    if (!is_switched_out(each, timeline) || !shows_it(each)) return false;
    first = std::min(first, each.first);
  }
  return is_half(slice.end - first, slice.duration());
}

std::string switched_out(const Evidence& evidence, const Timeline& timeline) {
  for (const SwitchedOut& each : kSwitchedOut) {
    if (!each.category.empty() && timeline.name(evidence.slice.name).category != each.category)
      continue;
    if (is_off_processor(evidence, timeline,
                         [&](const Evidence::Sample& sample) { return shows(sample, each); }))
      return each.sentence();
  }
  return {};
}

std::string preempted_thread(const Evidence& evidence, const Timeline& timeline) {
  const bool is_it = is_off_processor(evidence, timeline, [](const Evidence::Sample& sample) {
    return !sample.stack.empty() &&
           std::ranges::find(kPreempting, sample.stack.front()) != kPreempting.end();
  });
  return is_it ? say<"so/preempted-thread">() : std::string();
}

// ---- Locks ----

struct Holding {
  std::string who = {};
  std::string what = {};
  std::int64_t time = 0;  // while it was waited for
};

struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Its wait for what is called so: the slice itself, or the one inside it that fills half of it.
std::optional<Span> wait_for(const Evidence& evidence, const Timeline& timeline,
                             std::string_view what) {
  const FoundSlice& slice = evidence.slice;
  const auto is_wait = [&](NameId name) {
    return timeline.name(name).category == "wait" && timeline.name(name).text == what;
  };
  if (is_wait(slice.name)) return Span{slice.begin, slice.end};
  const auto inside = std::ranges::find_if(evidence.inside, [&](const Evidence::Piece& each) {
    return is_wait(each.name) && is_half(each.end - each.begin, slice.duration());
  });
  if (inside == evidence.inside.end()) return std::nullopt;
  return Span{inside->begin, inside->end};
}

// "logger 312" of names, "worker 1" of a number alone.
std::string who_held(const Evidence::Piece& held) {
  const bool is_number =
      !held.values.empty() && held.values.find_first_not_of("0123456789") == std::string::npos;
  std::string who = is_number ? held.arguments : held.values;
  std::ranges::replace(who, '=', ' ');
  return who;
}

// Who held what was waited for, for half of the time at least.
Holding holding(const Evidence& evidence, const Timeline& timeline) {
  if (evidence.held.empty()) return {};
  const FoundSlice& slice = evidence.slice;
  const Evidence::Piece& held = evidence.held.front();
  const MarkName& name = timeline.name(held.name);
  Holding holds{.what = timeline.track(held.track).name};
  if (name.category == "hold") {
    const auto wait = wait_for(evidence, timeline, name.text);
    // One that goes on behind the wait was not what it waited for.
    if (!wait || held.end > wait->end) return {};
    holds.who = who_held(held);
    holds.time = held.end - std::max(held.begin, wait->begin);
    return is_half(holds.time, wait->end - wait->begin) ? holds : Holding{};
  }
  constexpr std::string_view kTaken = "taken by ";
  const State* const blocked = blocked_state(evidence, timeline, "blocked: ");
  if (!name.text.starts_with(kTaken) || blocked == nullptr) return {};
  holds.who = name.text.substr(kTaken.size());
  holds.time = std::min(held.end, slice.end) - std::max(held.begin, slice.begin);
  const bool is_own = std::ranges::any_of(
      evidence.tasks, [&](TrackId task) { return timeline.track(task).name == holds.who; });
  return !is_own && is_half(holds.time, blocked->time) ? holds : Holding{};
}

// The priorities that a task had meanwhile, if the trace says them of one task of that name alone.
const Evidence::Level* priority_of(const Evidence& evidence, const Timeline& timeline,
                                   TrackId task) {
  const std::string name = timeline.track(task).name + std::string(kPriority);
  const auto is_it = [&](const Evidence::Level& each) {
    return timeline.track(each.track).name == name;
  };
  const auto found = std::ranges::find_if(evidence.priorities, is_it);
  return std::ranges::count_if(evidence.priorities, is_it) == 1 ? &*found : nullptr;
}

std::string priority_inversion(const Evidence& evidence, const Timeline& timeline) {
  const Holding holds = holding(evidence, timeline);
  if (holds.who.empty() || evidence.ran.empty() || evidence.holder.empty()) return {};
  const State* const ready = state_of(evidence.holder, timeline, "runnable");
  const State& ran = evidence.ran.front();
  if (ready == nullptr || ran.track == ready->track || ran.cpu != evidence.holder_cpu ||
      !is_half(ready->time, evidence.slice.duration()) ||
      !is_most(evidence.ran_while_holder_ready, ready->time))
    return {};
  const std::string& runner = timeline.track(ran.track).name;
  const std::string time = time_text(ready->time);
  const Evidence::Level* const waits =
      evidence.tasks.empty() ? nullptr : priority_of(evidence, timeline, evidence.tasks.front());
  const Evidence::Level* const runs = priority_of(evidence, timeline, ran.track);
  if (waits != nullptr && runs != nullptr) {
    if (runs->most < waits->least) return say<"so/inversion">(holds.who, holds.what, time, runner);
    // The processor was with a task that is no less urgent than the one that waits.
    if (runs->least >= waits->most) return {};
  }
  return say<"so/inversion-unless">(holds.who, holds.what, time, runner, runner);
}

std::string lock_held(const Evidence& evidence, const Timeline& timeline) {
  const Holding holds = holding(evidence, timeline);
  if (holds.who.empty()) return {};
  return say<"so/held">(holds.who, holds.what, time_text(holds.time));
}

// ---- Queues, timers, processors ----

std::string full_queue(const Evidence& evidence, const Timeline& timeline) {
  constexpr std::string_view kSending = "blocked: send ";
  const State* const blocked = blocked_state(evidence, timeline, kSending);
  if (blocked == nullptr) return {};
  const std::string queue = timeline.name(blocked->name).text.substr(kSending.size());
  const auto is_it = [&](const Evidence::Level& each) {
    return timeline.track(each.track).name == queue + ": length";
  };
  const auto level = std::ranges::find_if(evidence.levels, is_it);
  // Of several queues of that name nothing says which one it is.
  if (std::ranges::count_if(evidence.levels, is_it) != 1 || level->most != level->most_of_trace ||
      !is_most(level->time_at_most, blocked->time))
    return {};
  return say<"so/full">(queue, std::to_string(level->most), time_text(level->time_at_most));
}

std::string timed_out(const Evidence& evidence, const Timeline& timeline) {
  // -ETIMEDOUT of Linux.
  if (timeline.name(evidence.slice.name).label() != "syscall futex" ||
      !evidence.arguments.ends_with(" ret=-110"))
    return {};
  return say<"so/timeout">();
}

// Another task had its processor nearly all the while that it was ready to run.
std::string preempted(const Evidence& evidence, const Timeline& timeline) {
  if (evidence.ran.empty()) return {};
  std::int64_t ready = evidence.slice.duration();
  std::int64_t ran_meanwhile = evidence.ran.front().time;
  if (!evidence.slice.is_wait) {
    const State* const state = state_of(evidence.states, timeline, "runnable");
    if (state == nullptr || !is_half(state->time, ready)) return {};
    ready = state->time;
    ran_meanwhile = evidence.ran_while_ready;
  }
  const State& ran = evidence.ran.front();
  if (!is_most(ran_meanwhile, ready) || !is_most(ready - evidence.ready_elsewhere, ready))
    return {};
  return say<"so/preempted">(timeline.track(ran.track).name, time_text(ran.time));
}

// The first that is met counts: those that know more come first.
struct Pattern {
  std::string_view needs;
  std::string (*sentence)(const Evidence& evidence, const Timeline& timeline);
};
constexpr auto kPatterns = std::to_array<Pattern>({
    {"all samples in functions of one kind, and CPU time that leaves half", switched_out},
    {"all samples where the kernel takes a processor away, CPU time likewise", preempted_thread},
    {"who held what was waited for, ready to run itself while another ran", priority_inversion},
    {"who held what was waited for, for half of the time", lock_held},
    {"a task that waits to send, its queue at its most meanwhile", full_queue},
    {"a futex that ended with the number of a timeout", timed_out},
    {"one other task on the processor while it was ready", preempted},
});

}  // namespace

NotConcluded why_not_concluded(const Evidence& evidence, const Histogram& durations) {
  // What was lost may have been the other half, and so may what comes behind the trace.
  if (!evidence.gaps.empty()) return NotConcluded::kLostMeanwhile;
  if (evidence.slice.is_open) return NotConcluded::kNotEnded;
  if (static_cast<double>(evidence.slice.duration()) <= 2 * durations.quantile(0.5))
    return NotConcluded::kUsual;
  return NotConcluded::kNoPattern;
}

std::string not_concluded_text(NotConcluded reason) {
  switch (reason) {
    case NotConcluded::kLostMeanwhile:
      return say<"why/lost-meanwhile">();
    case NotConcluded::kNotEnded:
      return say<"why/not-ended">();
    case NotConcluded::kUsual:
      return say<"why/usual">();
    case NotConcluded::kNoPattern:
      break;
  }
  return say<"why/no-pattern">();
}

std::string_view not_concluded_word(NotConcluded reason) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"lost_meanwhile", "not_ended", "usual", "no_pattern"});
  return kWords[static_cast<std::size_t>(reason)];
}

std::string conclusion(const Evidence& evidence, const Timeline& timeline,
                       const Histogram& durations) {
  if (why_not_concluded(evidence, durations) != NotConcluded::kNoPattern) return {};
  for (const Pattern& each : kPatterns) {
    std::string sentence = each.sentence(evidence, timeline);
    if (!sentence.empty()) return sentence;
  }
  return {};
}

}  // namespace tracedeck::timeline
