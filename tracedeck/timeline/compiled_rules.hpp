// The rules of a table: read once (compiled_rules.cpp), and bound to each event class (rules.cpp).
#pragma once

#include <fmt/format.h>

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/timeline/balance_rules.hpp"
#include "tracedeck/timeline/flow_rules.hpp"
#include "tracedeck/timeline/memory_rules.hpp"
#include "tracedeck/timeline/point_rules.hpp"
#include "tracedeck/timeline/rule_use.hpp"
#include "tracedeck/timeline/schedule_rules.hpp"
#include "tracedeck/timeline/slice_rules.hpp"
#include "tracedeck/timeline/wait_rules.hpp"

namespace tracedeck::timeline {

class RuleParser;

class CompiledRules final : public RuleSet, private ProcessorObserver {
 public:
  CompiledRules(const Table& table, RuleContext& context) : table_(table), context_(context) {}

  [[nodiscard]] Result<void> compile();

  [[nodiscard]] const Table& table() const override { return table_; }
  [[nodiscard]] bool applies(const TraceDescription& trace, ClassSearch& search) const override {
    if (!table_.format.empty() && trace.format() != table_.format) return false;
    if (applies_.empty() && table_.applies_to_attributes.empty()) return true;
    return search.finds(trace, applies_, table_.applies_to_attributes);
  }
  bool plan(const EventClass& event_class, std::vector<PlannedAction>& into) override;
  void plan_otherwise(const EventClass& event_class, std::vector<PlannedAction>& into) override;
  void forget(const SectionEnd& ended, const Moment& end) override {
    for (SliceState& each : slices_) each.forget(ended);
    for (WaitState& each : waits_) each.end_section(ended, end);
    for (FlowState& each : flows_) each.forget_all();
    for (BalanceState& each : balances_) each.balance.forget_all();
    for (Processors& each : processors_) each.forget(ended);
  }
  void finish(const Moment& end) override {
    for (Processors& each : processors_) each.settle_repeated(context_.marking);
    for (WaitState& each : waits_) each.finish(end);
  }
  [[nodiscard]] std::vector<std::string> notices() const override;
  [[nodiscard]] std::vector<std::string> unclear() const override;
  [[nodiscard]] std::vector<std::string> unused() const override {
    std::vector<std::string> sentences = use_.sentences();
    for (std::string& each : sentences) each = fmt::format("table {}: {}", table_.name, each);
    return sentences;
  }

 private:
  void name_memory();
  void compile_tracks(RuleParser& parser);
  void compile_slices(RuleParser& parser);
  void compile_begun(RuleParser& parser, SliceState& state);
  void compile_place(RuleParser& parser, SliceState& state);
  void find_task(RuleParser& parser, SliceState& state);
  void compile_end_with(RuleParser& parser, SliceState& state);
  void compile_points(RuleParser& parser);
  [[nodiscard]] TrackSpace* counter_space(RuleParser& parser, const CounterRule& rule);
  void compile_balance(RuleParser& parser, const CounterRule& rule);
  void compile_waits(RuleParser& parser);
  void compile_wait_flow(RuleParser& parser, WaitState& state);
  [[nodiscard]] std::int64_t least(std::string_view key, const std::string& text,
                                   RuleParser& parser) const;
  void compile_schedules(RuleParser& parser);
  void compile_memory(RuleParser& parser);
  void compile_processor(RuleParser& parser);
  void processor_known(const std::uint64_t* key, const std::uint64_t* left,
                       const Moment& now) override;
  void processors_several(const RuleMemory::Processor& known, const Moment& now) override;
  void compile_hosts(RuleParser& parser);

  [[nodiscard]] TrackSpace* space(std::string_view id) {
    const auto found = spaces_.find(std::string(id));
    return found == spaces_.end() ? nullptr : found->second;
  }
  [[nodiscard]] Processors* processors(std::size_t keys) {
    for (Processors& each : processors_) {
      if (each.keys.words() == keys + 1) return &each;
    }
    return &processors_.emplace_back(keys + 1);
  }
  [[nodiscard]] BoundTrack track(TrackSpace* of, const EventClass& event_class) {
    return {*of, event_class, context_};
  }
  [[nodiscard]] const Arguments* arguments(const std::vector<std::string>& paths,
                                           const EventClass& event_class);
  // `needed`: values of the rule; those of its track are needed too.
  void lacks(std::string_view what, const EventClass& event_class, const TrackSpace* track,
             const std::vector<RuleValue>& needed = {});
  [[nodiscard]] SliceScope scope_of(const SliceRule& rule, const EventClass& event_class);
  [[nodiscard]] std::optional<SlicePlace> place(SliceState& state, const EventClass& event_class);
  // Of slices that may be mixed: which fields their events have.
  static void note_fields(const EventClass& event_class,
                          std::optional<std::vector<std::string>>& fields);
  void plan_slices(const EventClass& event_class, std::vector<PlannedAction>& into);
  // False: no event of the class ends, or begins, such a slice.
  [[nodiscard]] bool plan_end(SliceState& state, const EventClass& event_class,
                              std::vector<PlannedAction>& into);
  [[nodiscard]] bool plan_begin(SliceState& state, const EventClass& event_class,
                                std::vector<PlannedAction>& into);
  void plan_points(const EventClass& event_class, std::vector<PlannedAction>& into);
  void plan_fields(const EventClass& event_class, std::vector<PlannedAction>& into);
  // The tracks of a field that is a counter.
  [[nodiscard]] TrackSpace& space_of(const Member& field, const EventClass& event_class);
  [[nodiscard]] std::unique_ptr<Action> instant(const InstantState& state, BoundTrack on,
                                                const EventClass& event_class);
  void plan_denial(StateState& state, const EventClass& event_class,
                   std::vector<PlannedAction>& into);
  void plan_balances(const EventClass& event_class, std::vector<PlannedAction>& into);
  void plan_waits(const EventClass& event_class, std::vector<PlannedAction>& into);
  void plan_schedules(const EventClass& event_class, std::vector<PlannedAction>& into);
  void plan_memory(const EventClass& event_class, std::vector<PlannedAction>& into);

  const Table& table_;
  RuleContext& context_;
  RuleNames names_;
  RuleUse use_;
  ClassMatcher applies_;
  std::unordered_map<std::string, TrackSpace*> spaces_;  // by id
  // Lists, as rules refer to what is in them, and those that are empty take no memory: there is a
  // set of rules for each pair of classes that names say.
  std::list<SliceState> slices_;
  std::list<InstantState> instants_;
  std::list<CounterState> counters_;
  std::list<BalanceState> balances_;
  std::list<FieldsState> fields_;
  std::list<StateState> states_;
  TrackNumbers sums_{0};  // by `CounterRule::sum` of whichever rules
  // What `StateRule::spent` said last.
  TrackNumbers spent_before_{TrackNumbers::kUnknown};
  TrackThreads threads_;
  std::list<WaitState> waits_;
  std::list<FlowState> flows_;
  std::list<ScheduleState> schedules_;
  std::list<PendingState> pendings_;
  std::list<CurrentState> currents_;
  std::list<LookupState> lookups_;
  std::list<Processors> processors_;
  EarlySlices early_;
  std::list<Arguments> arguments_;
  std::vector<std::size_t> members_;  // of each `RuleMemory::Current` from `first_current_` on
  std::size_t first_current_ = 0;
  // Classes that lack fields of rules, by what is said of them: the list of rules and the fields.
  struct Lacking {
    std::string what;
    std::vector<std::string> fields;
    std::vector<std::string> classes;
  };
  std::vector<Lacking> lacking_;
  bool lacks_ = false;  // the class that is planned
};

}  // namespace tracedeck::timeline
