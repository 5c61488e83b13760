#include "tracedeck/timeline/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/inference.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/point_rules.hpp"
#include "tracedeck/timeline/rules.hpp"
#include "tracedeck/timeline/slice_rules.hpp"
#include "tracedeck/timeline/wait_rules.hpp"

namespace tracedeck::timeline {
namespace {

constexpr std::uint64_t kMostTime = kNoTime - 1;

}  // namespace

// What becomes of the events of a class.
struct Interpreter::ClassPlan {
  explicit ClassPlan(const EventClass& event_class)
      : clock(event_class.has_real_time() ? event_class.clock : nullptr),
        counts_nanoseconds(clock != nullptr && clock->counts_nanoseconds()),
        has_duration(event_class.has_duration),
        without_time(clock == nullptr && !event_class.describes_others) {}

  [[nodiscard]] std::int64_t time_of(std::uint64_t value) const {
    if (counts_nanoseconds) [[likely]]
      return static_cast<std::int64_t>(std::min(value, kMostTime));
    return saturated(clock->to_nanoseconds(value));
  }

  const ClockClass* clock;
  bool counts_nanoseconds;
  bool has_duration;
  bool without_time;  // an event that lacks what it should have
  enum class Way : std::uint8_t {
    kPlain,    // `is_of_line`, and all its events have one time in nanoseconds
    kSkipped,  // nothing becomes of them, and nothing is to be counted
    kAny,
    kUnplanned,
  };
  Way way = Way::kUnplanned;
  bool is_of_line = false;  // it makes marks, or says where they are: the line reaches to it
  std::vector<std::unique_ptr<Action>> actions = {};
  struct Step {
    Action::Run run;
    Action* action;
    bool is_last;
  };
  std::vector<Step> steps = {};  // the same
};

class Interpreter::Work {
 public:
  explicit Work(InterpreterOptions options) : options_(std::move(options)) {}

  Result<void> compile() {
    for (const Table& table : options_.tables) {
      if (const auto compiled = compile(table); !compiled) return compiled;
    }
    for (const Table& table : built_in_tables()) {
      const bool replaced =
          std::ranges::find(options_.tables, table.name, &Table::name) != options_.tables.end();
      if (replaced || table.optional) continue;
      if (const auto compiled = compile(table); !compiled) return compiled;
    }
    return {};
  }

  Result<void> add(const BatchPtr& batch, MarkSink& sink) {
    batches_.push_back(batch);
    others_.clear();
    count_with(sink.counter());
    at_hand_.fill({});
    Moment& now = now_;
    for (const Record& record : batch->records()) {
      if (record.kind != RecordKind::kEvent) [[unlikely]] {
        others_.push_back(&record);
        take(record);
        continue;
      }
      const EventClass* const event_class = record.event.event_class;
      const ClassAtHand& known = at_hand(event_class);
      if (known.planned == event_class) [[likely]] {
        if (is_plain(record.event)) [[likely]]
          run_plain(known.steps, record.event, now);
        else
          run_any(*known.plan, record.event);
      } else if (known.skipped != event_class) [[unlikely]] {
        take_any(record.event);
      }
    }
    events_ += batch->size() - others_.size();
    if (!context_.scope.texts.empty()) context_.scope.texts.clear();
    const auto handed = hand_on(sink);
    if (whole_.empty()) batches_.clear();
    return handed;
  }

  Result<void> finish(MarkSink& sink) {
    count_with(sink.counter());
    flush_whole();
    note_plain_time();
    end_damage(timeline_.end());
    for (const auto* const all : {&rules_, &inferred_rules_}) {
      for (const auto& rules : *all) rules->finish({.time = timeline_.end()});
    }
    marking_.finish(timeline_.end());
    if (const auto handed = hand_on(sink); !handed) return handed;
    return sink.finish(timeline_);
  }

  [[nodiscard]] const Timeline& timeline() const { return timeline_; }
  [[nodiscard]] const std::vector<BatchPtr>& batches() const { return batches_; }
  [[nodiscard]] const std::vector<const Record*>& others() const { return others_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }

  [[nodiscard]] std::vector<std::string> explained() const {
    std::vector<std::string> tables;
    for (const auto* const all : {&rules_, &inferred_rules_}) {
      for (const auto& rules : *all) {
        if (used_.contains(rules.get())) tables.push_back(rules->table().text);
      }
    }
    return tables;
  }

  [[nodiscard]] std::vector<std::string> notices() const {
    std::vector<std::string> all;
    for (const auto& rules : rules_) {
      for (const std::string& sentence : rules->notices()) {
        if (std::ranges::find(all, sentence) == all.end()) all.push_back(sentence);
      }
      if (rules->table().built_in || events_ == 0 || is_as_built_in(rules->table())) continue;
      if (!used_.contains(rules.get())) {
        all.push_back(unused_text(rules->table()));
      } else {
        for (std::string& sentence : rules->unused()) all.push_back(std::move(sentence));
      }
    }
    return all;
  }

 private:
  // A built-in table that was printed and is given again.
  [[nodiscard]] static bool is_as_built_in(const Table& table) {
    return std::ranges::any_of(built_in_tables(), [&](const Table& each) {
      return each.name == table.name && table.text.starts_with(each.text);
    });
  }
  // Of a table whose rules met no event.
  [[nodiscard]] static std::string unused_text(const Table& table) {
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

  Result<void> compile(const Table& table) {
    auto rules = RuleSet::compile(table, context_);
    if (!rules) return std::unexpected(rules.error());
    rules_.push_back(*std::move(rules));
    return {};
  }

  void count_with(SpanCounter* counter) {
    const bool counted = marking_.counts();
    marking_.count_with(counter);
    // What is planned is for one of both.
    if (marking_.counts() == counted) return;
    flush_whole();
    plans_.clear();
  }

  // Classes of the batch at hand, found in a few instructions. Others are in `plans_` alone.
  struct alignas(32) ClassAtHand {
    const EventClass* skipped = nullptr;  // nothing becomes of its events
    const EventClass* planned = nullptr;  // another one, which is plain
    const ClassPlan::Step* steps = nullptr;
    ClassPlan* plan = nullptr;
  };
  static constexpr std::size_t kAtHand = 64;

  [[nodiscard]] ClassAtHand& at_hand(const EventClass* event_class) {
    return at_hand_[reinterpret_cast<std::uintptr_t>(event_class) / 64 % kAtHand];
  }

  [[gnu::noinline]] void take_any(const Event& event) {
    ClassPlan& plan = planned(event);
    ClassAtHand& known = at_hand(event.event_class);
    if (plan.way == ClassPlan::Way::kSkipped) {
      known.skipped = event.event_class;
      return;
    }
    if (plan.way == ClassPlan::Way::kPlain) {
      known.planned = event.event_class;
      known.steps = plan.steps.data();
      known.plan = &plan;
    }
    run_any(plan, event);
  }

  [[nodiscard]] ClassPlan& planned(const Event& event) {
    ClassPlan& plan = plans_[*event.event_class];
    return plan.way == ClassPlan::Way::kUnplanned ? plan_first(event) : plan;
  }

  // An event of a class that has no plan yet.
  [[nodiscard, gnu::noinline, gnu::cold]] ClassPlan& plan_first(const Event& event) {
    // Classes that have a plan may get another.
    at_hand_.fill({});
    ClassPlan* plan = &plans_[*event.event_class];
    while (plan->way == ClassPlan::Way::kUnplanned) {
      plan->way = ClassPlan::Way::kAny;
      note_first(*plan, event);
      make_plan(*plan, event);
      if (!std::exchange(plan_again_, false)) continue;
      // A table has come to be for a trace: its other classes may be among what it is about.
      flush_whole();
      plans_.clear();
      plan = &plans_[*event.event_class];
    }
    return *plan;
  }

  // The first event of each trace that has a time: times are shown from the earliest of them on.
  void note_first(const ClassPlan& plan, const Event& event) {
    if (plan.clock == nullptr || !begun_.insert(trace_of(*event.event_class)).second) return;
    timeline_.note_event(plan.time_of(event.time));
  }

  // What nearly all events are, if their class is plain: of the last one's stream, later, and
  // nothing is pending. A time beyond `kMostTime` is in the past when one is added.
  [[nodiscard, gnu::always_inline]] bool is_plain(const Event& event) const {
    return event.stream == plain_stream_ && static_cast<std::int64_t>(event.time + 1) > now_.time;
  }

  [[gnu::always_inline]] void run_plain(const ClassPlan::Step* step, const Event& event,
                                        Moment& now) {
    ++now.number;
    now.event = &event;
    now.time = static_cast<std::int64_t>(event.time);
    for (;; ++step) {
      step->run(*step->action, now);
      if (step->is_last) return;
    }
  }

  [[gnu::noinline]] void run_any(ClassPlan& plan, const Event& event) {
    if (plan.actions.empty()) {
      if (plan.without_time) ++timeline_.mutable_counts().without_time;
      return;
    }
    ++now_.number;
    note_plain_time();
    note_stream(event);
    now_.event = &event;
    if (plan.clock != nullptr) now_.time = plan.time_of(event.time);
    if (plan.is_of_line) timeline_.note_time(now_.time);
    if (damage_pending_) [[unlikely]]
      end_damage(now_.time);
    if (plan.has_duration) return take_whole(plan, event);
    if (!whole_.empty()) [[unlikely]]
      flush_whole();
    if (now_.time < *latest_) [[unlikely]]
      step_back(now_);
    else
      *latest_ = now_.time;
    marking_.pass(now_.time);
    for (const auto& action : plan.actions) action->run(now_);
    const bool may_be_plain = plan.is_of_line && now_.time >= 0 && now_.time == *latest_;
    note_pending(!may_be_plain || damage_pending_ || marking_.any_ending());
  }

  // Whether the next event is not plain in any case: damage has no end yet, slices are in `whole_`
  // or have an end that is known, or the last event was not of the line, or not its stream's
  // latest.
  void note_pending(bool any) { plain_stream_ = any ? &no_stream_ : last_stream_; }
  // Of events that were plain neither the line nor their stream knows the time before this.
  void note_plain_time() {
    if (plain_stream_ == &no_stream_) return;
    timeline_.note_time(now_.time);
    *latest_ = now_.time;
  }

  // A step so far that the clock began anew, as after a reset. Beyond so many of them the clock is
  // none, and times are clamped.
  void step_back(const Moment& now) {
    if (now.stream == nullptr) {
      *latest_ = now.time;
      return;
    }
    StreamState& stream = *now.stream;
    const auto step =
        static_cast<std::uint64_t>(stream.latest) - static_cast<std::uint64_t>(now.time);
    if (step <= kFarBack || timeline_.counts().sections == kMostSections) return;
    const SectionEnd ended = marking_.end_section(stream, now.number - 1);
    for (auto& [name, space] : context_.tracks) space->forget(ended);
    for (const auto* const all : {&rules_, &inferred_rules_}) {
      for (const auto& rules : *all) rules->forget(ended);
    }
    stream.latest = now.time;
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  // Slices that begin at the same time are begun in the order in which they enclose one another.
  void take_whole(ClassPlan& plan, const Event& event) {
    Moment now = now_;
    now.end_time = plan.time_of(event.end_time);
    timeline_.note_time(std::max(now.time, now.end_time));
    note_pending(true);
    if (!whole_.empty() && whole_.front().now.time != now.time) flush_whole();
    whole_.push_back({&plan, now});
    if (whole_.size() >= kMostAtOnce) flush_whole();
  }

  void flush_whole() {
    if (whole_.empty()) return;
    std::ranges::stable_sort(
        whole_, [](const Whole& a, const Whole& b) { return a.now.end_time > b.now.end_time; });
    marking_.pass(whole_.front().now.time);
    for (Whole& each : whole_) {
      each.now.stretch = marking_.stretch_of(each.now.stream);
      for (const auto& action : each.plan->actions) action->run(each.now);
      if (each.now.stream != nullptr)
        each.now.stream->latest = std::max(each.now.stream->latest, each.now.time);
    }
    whole_.clear();
  }

  void note_stream(const Event& event) {
    if (event.stream == last_stream_) [[likely]]
      return;
    last_stream_ = event.stream;
    plain_stream_ = &no_stream_;
    now_.stream = event.stream == nullptr ? nullptr : &stream_of(event);
    now_.stretch = marking_.stretch_of(now_.stream);
    latest_ = now_.stream != nullptr ? &now_.stream->latest : &latest_of_none_;
  }

  // The same for all readings of one trace.
  [[nodiscard]] static EntityId key_of(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    if (stream_class == nullptr || stream_class->trace == nullptr) return stream.entity;
    return {stream_class->trace->same_trace(), stream.entity.ordinal};
  }
  [[nodiscard]] StreamState& stream_of(const Event& event) {
    const auto [place, is_new] = streams_.try_emplace(key_of(*event.stream));
    const DataStreamClass* const stream_class = event.stream->stream_class;
    if (is_new && event.packet != nullptr && event.packet->begin && stream_class != nullptr &&
        stream_class->default_clock != nullptr)
      place->second.begin =
          saturated(stream_class->default_clock->to_nanoseconds(*event.packet->begin));
    return place->second;
  }

  [[gnu::noinline, gnu::cold]] void take(const Record& record) {
    note_plain_time();
    switch (record.kind) {
      case RecordKind::kLoss:
        return take(*record.loss);
      case RecordKind::kProblem:
        end_damage(now_.time);
        damage_pending_ = true;
        note_pending(true);
        damage_begin_ = now_.time;
        damage_number_ = now_.number;
        return;
      default:
        return;
    }
  }

  void take(const Loss& loss) {
    TimelineCounts& counts = timeline_.mutable_counts();
    if (loss.taken_back) {
      counts.lost_events -= std::min(counts.lost_events, loss.events.value_or(0));
      return;
    }
    counts.lost_events += loss.events.value_or(0);
    StreamState* const state = loss.stream == nullptr ? nullptr : &streams_[key_of(*loss.stream)];
    const std::int64_t before =
        state != nullptr && state->latest != std::numeric_limits<std::int64_t>::min()
            ? state->latest
            : now_.time;
    const std::int64_t begin = loss.begin ? saturated(*loss.begin) : before;
    const std::int64_t end = loss.end ? saturated(*loss.end) : std::max(begin, now_.time);
    const std::string name = loss.events    ? fmt::format("lost {} events", *loss.events)
                             : loss.packets ? fmt::format("lost {} packets", *loss.packets)
                                            : std::string("lost events");
    flush_whole();
    marking_.gap(losses_are_wide_ ? nullptr : state, marking_.add_name("loss", name), begin, end,
                 now_.number);
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  void end_damage(std::int64_t time) {
    if (!damage_pending_) return;
    damage_pending_ = false;
    marking_.gap(nullptr, marking_.add_name("damage", "damaged"), damage_begin_, time,
                 damage_number_);
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  Result<void> hand_on(MarkSink& sink) {
    note_plain_time();
    TimelineCounts& counts = timeline_.mutable_counts();
    counts.events = events_;
    counts.without_rule = events_ - now_.number - counts.without_time;
    MarkBuffer& marks = marking_.marks();
    if (marks.empty()) return {};
    const auto taken = sink.take(timeline_, marks);
    marks.clear();
    return taken;
  }

  void make_plan(ClassPlan& plan, const Event& event) {
    const EventClass& event_class = *event.event_class;
    const DataStreamClass* const stream_class = event_class.stream_class;
    const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
    if (plan.clock != nullptr) {
      EntityId clock = plan.clock->entity;
      if (trace != nullptr) clock.trace = trace->same_trace();
      if (timeline_.clock() == nullptr) {
        timeline_.note_clock(*plan.clock);
        first_clock_ = clock;
      }
      const bool is_related =
          (clock == first_clock_ && clock.trace != 0) || related(*timeline_.clock(), *plan.clock);
      if (!is_related && unrelated_.insert(clock).second)
        ++timeline_.mutable_counts().unrelated_clocks;
    }
    std::vector<PlannedAction> actions;
    bool any_applies = false;
    for (std::size_t i = 0; i < rules_.size() && trace != nullptr; ++i) {
      if (!applies(*trace, i)) continue;
      any_applies = true;
      const std::size_t before = actions.size();
      rules_[i]->plan(event_class, actions);
      if (actions.size() == before) continue;
      note_use(*rules_[i]);
    }
    if (actions.empty() && plan.clock != nullptr) infer(event, any_applies, actions);
    const auto only_prepares = [](const PlannedAction& each) {
      return each.phase == Phase::kLookup || each.phase == Phase::kCurrent;
    };
    // What has no time makes no mark.
    if (plan.clock == nullptr) std::erase_if(actions, std::not_fn(only_prepares));
    plan.is_of_line = std::ranges::any_of(actions, std::not_fn(only_prepares));
    std::ranges::stable_sort(actions, {}, &PlannedAction::phase);
    for (PlannedAction& each : actions) {
      plan.steps.push_back(
          {each.action->usual_run(marking_.counts()), each.action.get(), &each == &actions.back()});
      plan.actions.push_back(std::move(each.action));
    }
    const bool is_plain = plan.is_of_line && plan.counts_nanoseconds && !plan.has_duration;
    plan.way = plan.actions.empty() && !plan.without_time ? ClassPlan::Way::kSkipped
               : is_plain                                 ? ClassPlan::Way::kPlain
                                                          : ClassPlan::Way::kAny;
  }

  void note_use(const RuleSet& rules) {
    used_.insert(&rules);
    losses_are_wide_ = losses_are_wide_ || rules.table().wide_losses;
    timeline_.note_table(rules.table().name);
  }

  // Whether a table is for a trace; it may come to be when the trace's classes become more.
  bool applies(const TraceDescription& trace, std::size_t index) {
    Applied& applied = applied_[{trace.number(), index}];
    if (applied.applies || applied.classes == trace.event_classes().size()) return applied.applies;
    applied.applies = rules_[index]->applies(trace, applied.classes);
    if (applied.applies && applied.classes != 0) plan_again_ = true;
    applied.classes = trace.event_classes().size();
    return applied.applies;
  }

  // Where tables are for a trace, others of its events that are no pairs have no meaning.
  void infer(const Event& event, bool any_applies, std::vector<PlannedAction>& into) {
    const EventClass& event_class = *event.event_class;
    const Pairing pairing = find_pairing(event_class);
    if (any_applies && pairing.begins.empty() && !event_class.has_duration) return;
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
    note_use(*found->second);
    if (pairing.begins.empty() || event_class.has_duration || !paired_.insert(found->second).second)
      return;
    // Its partners may have been taken for ones that have none.
    for (const auto& classes : {pairing.begins, pairing.ends}) {
      for (const EventClass* const each : classes) {
        ClassPlan& other = plans_[*each];
        if (each == &event_class || other.way == ClassPlan::Way::kUnplanned) continue;
        other.way = ClassPlan::Way::kUnplanned;
        other.steps.clear();
        other.actions.clear();
      }
    }
  }

  struct Applied {
    bool applies = false;
    std::size_t classes = 0;  // that were looked at
  };
  struct Whole {
    ClassPlan* plan;
    Moment now;
  };
  static constexpr std::size_t kMostAtOnce = 65'536;
  static constexpr std::uint64_t kFarBack = 1'000'000'000;  // ns
  static constexpr std::uint64_t kMostSections = 256;

  InterpreterOptions options_;
  Timeline timeline_;
  Marking marking_{timeline_};
  RuleContext context_{marking_, options_.all_flows};
  std::vector<std::unique_ptr<RuleSet>> rules_;
  std::map<std::pair<std::uint64_t, std::size_t>, Applied> applied_;  // by trace and rules
  bool plan_again_ = false;
  bool losses_are_wide_ = false;
  std::set<const RuleSet*> used_;
  std::deque<Table> inferred_tables_;
  std::unordered_map<std::string, RuleSet*> inferred_;
  std::vector<std::unique_ptr<RuleSet>> inferred_rules_;
  std::set<const RuleSet*> paired_;
  ClassTable<ClassPlan> plans_;
  std::array<ClassAtHand, kAtHand> at_hand_ = {};
  std::unordered_map<EntityId, StreamState, EntityIdHash> streams_;
  const DataStream no_stream_ = {};
  const DataStream* last_stream_ = nullptr;
  // The same if nothing is pending (`note_pending`).
  const DataStream* plain_stream_ = &no_stream_;
  std::int64_t latest_of_none_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t* latest_ = &latest_of_none_;  // of the last event's stream
  EntityId first_clock_ = {};
  std::unordered_set<EntityId, EntityIdHash> unrelated_;  // clocks
  std::unordered_set<std::uint64_t> begun_;               // traces
  std::uint64_t events_ = 0;                              // of batches that are complete
  // The last event, but without its end.
  Moment now_;
  bool damage_pending_ = false;  // its end is not known yet
  std::int64_t damage_begin_ = 0;
  std::uint64_t damage_number_ = 0;
  std::vector<Whole> whole_;       // events that begin at the same time
  std::vector<BatchPtr> batches_;  // which these and marks refer to
  std::vector<const Record*> others_;
};

std::string join_tables(const std::vector<std::string>& tables) {
  std::string out;
  for (auto each = tables.begin(); each != tables.end(); ++each) {
    if (std::find(tables.begin(), each, *each) != each) continue;
    if (!out.empty()) out += '\n';
    out += *each;
  }
  return out;
}

Interpreter::Interpreter(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Interpreter::~Interpreter() = default;

Result<std::unique_ptr<Interpreter>> Interpreter::make(InterpreterOptions options) {
  auto work = std::make_unique<Work>(std::move(options));
  if (const auto compiled = work->compile(); !compiled) return std::unexpected(compiled.error());
  return std::unique_ptr<Interpreter>(new Interpreter(std::move(work)));
}

Result<void> Interpreter::add(const BatchPtr& batch, MarkSink& sink) {
  return work_->add(batch, sink);
}
Result<void> Interpreter::finish(MarkSink& sink) { return work_->finish(sink); }
const Timeline& Interpreter::timeline() const { return work_->timeline(); }
const std::vector<BatchPtr>& Interpreter::batches() const { return work_->batches(); }
const std::vector<const Record*>& Interpreter::others() const { return work_->others(); }
Timeline& Interpreter::timeline() { return work_->timeline(); }
std::vector<std::string> Interpreter::explained() const { return work_->explained(); }
std::vector<std::string> Interpreter::notices() const { return work_->notices(); }

}  // namespace tracedeck::timeline
