#include "tracedeck/timeline/class_plans.hpp"

#include <fmt/format.h>

#include <functional>
#include <ranges>

#include "tracedeck/flow/trace_names.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/inference.hpp"
#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {
namespace {

// An event of a class that lacks a field of each rule that is for it.
class CountLacking final : public Action {
 public:
  explicit CountLacking(Marking& marking) : marking_(marking) {}
  void run(const Moment& now) override { marking_.count_without_field(now); }

 private:
  Marking& marking_;
};

// A built-in table that was printed and is given again.
bool is_as_built_in(const Table& table) {
  return std::ranges::any_of(built_in_tables(), [&](const Table& each) {
    return each.name == table.name && table.text.starts_with(each.text);
  });
}

// Of a table whose rules met no event.
std::string unused_text(const Table& table) {
  if (table.format.empty() && table.applies_to.empty())
    return fmt::format("table {} was not used: none of its rules is about these events",
                       table.name);
  std::vector<std::string> needs;
  if (!table.format.empty()) needs.push_back(fmt::format("of the format `{}`", table.format));
  if (!table.applies_to.empty())
    needs.push_back(fmt::format("with events `{}`", fmt::join(table.applies_to, "`, `")));
  return fmt::format("table {} was not used: it applies to traces {}, and its rules met no event",
                     table.name, fmt::join(needs, " "));
}

}  // namespace

Result<void> ClassPlans::compile(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    if (const auto compiled = compile(table); !compiled) return compiled;
  }
  for (const Table& table : built_in_tables()) {
    const bool replaced = std::ranges::find(tables, table.name, &Table::name) != tables.end();
    if (replaced || table.optional) continue;
    if (const auto compiled = compile(table); !compiled) return compiled;
  }
  return {};
}

Result<void> ClassPlans::compile(const Table& table) {
  auto rules = RuleSet::compile(table, context_);
  if (!rules) return std::unexpected(rules.error());
  rules_.push_back(*std::move(rules));
  return {};
}

std::vector<std::string> ClassPlans::explained() const {
  std::vector<std::string> tables;
  for (const auto* const all : {&rules_, &inferred_rules_}) {
    for (const auto& rules : *all) {
      if (used_.contains(rules.get())) tables.push_back(rules->table().text);
    }
  }
  return tables;
}

std::vector<std::string> ClassPlans::notices(bool any_events) const {
  std::vector<std::string> all;
  std::set<std::string_view> known;
  for (const auto& rules : rules_) {
    for (const std::string& sentence : rules->notices()) {
      if (known.insert(sentence).second) all.push_back(sentence);
    }
    for (std::string& sentence : rules->unclear()) all.push_back(std::move(sentence));
    if (rules->table().built_in || !any_events || is_as_built_in(rules->table())) continue;
    if (!used_.contains(rules.get())) {
      all.push_back(unused_text(rules->table()));
    } else {
      for (std::string& sentence : rules->unused()) all.push_back(std::move(sentence));
    }
  }
  for (const auto& rules : inferred_rules_) {
    for (std::string& sentence : rules->unclear()) all.push_back(std::move(sentence));
  }
  return all;
}

bool ClassPlans::plan(const Event& event) {
  const EventClass& event_class = *event.event_class;
  ClassPlan& plan = plans_[event_class];
  plan.way = ClassPlan::Way::kAny;
  plan.count_from(timeline_.base());
  // The first event of each trace that has a time, whether it means anything or not.
  if (plan.clock != nullptr && begun_.insert(trace_of(event_class)).second)
    timeline_.note_time(plan.time_of(event.time));
  make_plan(plan, event);
  return !std::exchange(plan_again_, false);
}

void ClassPlans::note_clock(const ClockClass& clock, const TraceDescription* trace) {
  EntityId id = clock.entity;
  if (trace != nullptr) id.trace = trace->same_trace();
  if (timeline_.clock() == nullptr) {
    timeline_.note_clock(clock);
    first_clock_ = id;
    first_compared_ = flow::ComparedClock::of(clock, trace);
    if (trace != nullptr) {
      first_trace_ = trace->number();
      timeline_.note_first_trace(flow::full_name(*trace));
    }
  }
  if (id == first_clock_ && id.trace != 0) return;
  const flow::ClockRelation found =
      relation(first_compared_, flow::ComparedClock::of(clock, trace));
  if (found == flow::ClockRelation::kOne || !compared_.insert(id).second) return;
  if (trace != nullptr && relates_ && relates_(first_trace_, trace->number())) return;
  if (found == flow::ClockRelation::kHosts) {
    if (trace != nullptr) timeline_.note_trace_of_other_host(flow::full_name(*trace));
    return;
  }
  note_unrelated(flow::ComparedClock::of(clock, trace));
  if (trace != nullptr) timeline_.note_unrelated_trace(flow::full_name(*trace));
}

// Traces may have one clock.
void ClassPlans::note_unrelated(flow::ComparedClock clock) {
  constexpr std::size_t kMostUnrelated = 64;
  const auto is_it = [&](const flow::ComparedClock& each) {
    return !clock.clock.identity.uid.empty() && each.clock.identity == clock.clock.identity &&
           relation(each, clock) == flow::ClockRelation::kOne;
  };
  if (std::ranges::any_of(unrelated_, is_it)) return;
  ++timeline_.mutable_counts().unrelated_clocks;
  if (unrelated_.size() < kMostUnrelated) unrelated_.push_back(std::move(clock));
}

void ClassPlans::make_plan(ClassPlan& plan, const Event& event) {
  const EventClass& event_class = *event.event_class;
  const DataStreamClass* const stream_class = event_class.stream_class;
  const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
  if (plan.clock != nullptr) note_clock(*plan.clock, trace);
  std::vector<PlannedAction> actions;
  bool any_applies = false;
  RuleSet* lacking = nullptr;
  for (std::size_t i = 0; i < rules_.size() && trace != nullptr; ++i) {
    if (!applies(*trace, i)) continue;
    any_applies = true;
    const std::size_t before = actions.size();
    if (rules_[i]->plan(event_class, actions)) lacking = rules_[i].get();
    if (actions.size() == before) continue;
    note_use(*rules_[i]);
  }
  if (actions.empty() && plan.clock != nullptr && lacking == nullptr)
    infer(event, any_applies, actions);
  if (actions.empty() && any_applies && !event_class.describes_others)
    plan_otherwise(event_class, *trace, actions);
  if (actions.empty() && lacking != nullptr) {
    actions.push_back({Phase::kPoint, std::make_unique<CountLacking>(context_.marking)});
    note_use(*lacking);
  }
  set_actions(plan, std::move(actions));
}

void ClassPlans::plan_otherwise(const EventClass& event_class, const TraceDescription& trace,
                                std::vector<PlannedAction>& into) {
  for (std::size_t i = 0; i < rules_.size() && into.empty(); ++i) {
    if (!applies(trace, i)) continue;
    rules_[i]->plan_otherwise(event_class, into);
    if (!into.empty()) note_use(*rules_[i]);
  }
}

void ClassPlans::set_actions(ClassPlan& plan, std::vector<PlannedAction> actions) const {
  // What has no time makes no mark.
  if (plan.clock == nullptr) {
    std::erase_if(actions, [](const PlannedAction& each) {
      return each.phase != Phase::kLookup && each.phase != Phase::kCurrent;
    });
  }
  std::ranges::stable_sort(actions, {}, &PlannedAction::phase);
  plan.may_be_late = std::ranges::all_of(actions, [](const PlannedAction& each) {
    return each.phase == Phase::kPoint || each.phase == Phase::kLookup;
  });
  for (PlannedAction& each : std::views::reverse(actions)) {
    const PlannedRun run = {each.action->usual_run(context_.marking.counts()), each.action.get()};
    if (plan.usual.action != nullptr)
      plan.together.push_back(std::make_unique<RunBoth>(run, plan.usual));
    plan.usual = plan.together.empty() ? run : plan.together.back()->planned();
  }
  for (PlannedAction& each : actions) plan.actions.push_back(std::move(each.action));
  const bool is_plain = !plan.actions.empty() && plan.counts_nanoseconds && !plan.has_duration;
  plan.way = plan.actions.empty() && !plan.without_time ? ClassPlan::Way::kSkipped
             : is_plain                                 ? ClassPlan::Way::kPlain
                                                        : ClassPlan::Way::kAny;
}

void ClassPlans::note_use(const RuleSet& rules) {
  used_.insert(&rules);
  losses_are_wide_ = losses_are_wide_ || rules.table().wide_losses;
  streams_end_together_ = streams_end_together_ || rules.table().streams_end_together;
  streams_overlap_ = streams_overlap_ || rules.table().streams_overlap;
  timeline_.note_table(rules.table().name);
}

bool ClassPlans::losses_are_wide(const TraceDescription* trace) {
  for (std::size_t i = 0; i < rules_.size() && trace != nullptr && !losses_are_wide_; ++i)
    losses_are_wide_ = rules_[i]->table().wide_losses && applies(*trace, i);
  return losses_are_wide_;
}

// Whether a table is for a trace; it may come to be when the trace's classes become more.
bool ClassPlans::applies(const TraceDescription& trace, std::size_t index) {
  const auto [place, is_new] = applied_.try_emplace({trace.number(), index});
  Applied& applied = place->second;
  if (applied.applies) return true;
  applied.applies = rules_[index]->applies(trace, applied.search);
  if (applied.applies && !is_new) plan_again_ = true;
  return applied.applies;
}

// Where tables are for a trace, others of its events that are no pairs have no meaning.
void ClassPlans::infer(const Event& event, bool any_applies, std::vector<PlannedAction>& into) {
  const EventClass& event_class = *event.event_class;
  const Pairing pairing = pairings_.find(event_class);
  if (any_applies && pairing.empty() && !event_class.has_duration) return;
  Table table = infer_table(event, pairing);
  table.text = to_toml(table);
  auto found = inferred_.find(table.text);
  if (found == inferred_.end()) {
    inferred_tables_.push_back(std::move(table));
    auto rules = RuleSet::compile(inferred_tables_.back(), context_);
    if (!rules) return;
    found = inferred_.emplace(inferred_tables_.back().text, rules->get()).first;
    inferred_rules_.push_back(*std::move(rules));
  }
  found->second->plan(event_class, into);
  used_.insert(found->second);
  if (!pairing.empty()) note_use(*found->second);
  if (pairing.empty() || event_class.has_duration || !paired_.insert(found->second).second) return;
  // Its partners may have been taken for ones that have none.
  for (const auto* const all : {&pairing.begins, &pairing.ends}) {
    for (const NamedClasses* const named : *all) {
      for (const EventClass* const each : named->classes) {
        if (each != &event_class) unplan(*each);
      }
    }
  }
}

void ClassPlans::unplan(const EventClass& event_class) {
  ClassPlan& plan = plans_[event_class];
  if (plan.way == ClassPlan::Way::kUnplanned) return;
  plan.way = ClassPlan::Way::kUnplanned;
  plan.usual = {};
  plan.together.clear();
  plan.actions.clear();
}

}  // namespace tracedeck::timeline
