#include "tracedeck/timeline/compiled_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/base/time_point.hpp"

namespace tracedeck::timeline {

// Reads the texts of rules; the first that is wrong is kept.
class RuleParser {
 public:
  RuleParser(const Table& table, const RuleNames& names, RuleUse& use)
      : table_(table), names_(names), use_(use) {}

  // The next rule of a list.
  void in(std::string_view list, std::string_view what) {
    index_ = list == list_ ? index_ + 1 : 0;
    list_ = list;
    place_ = fmt::format("[[{}]] {}", list, what);
    if (list == "track")
      use_.add_track_rule(std::string(what));
    else
      use_.add_rule(place_);
  }
  // The track of that id is the rule's, or the parent of its track.
  void on(const std::string& id) { use_.add_track(id); }
  void value(const std::string& text, RuleValue& into) {
    if (take(RuleValue::parse(text, names_), text, into)) use_.add_value(into);
  }
  void value(const std::string& text, std::optional<RuleValue>& into) {
    if (text.empty()) return;
    RuleValue parsed;
    value(text, parsed);
    into = std::move(parsed);
  }
  void values(const std::vector<std::string>& texts, std::vector<RuleValue>& into) {
    if (texts.size() + 1 > KeyTable::kMostWords)
      return wrong({.message = fmt::format("{} keys are too many; there may be {}", texts.size(),
                                           KeyTable::kMostWords - 1)});
    for (const std::string& text : texts) value(text, into.emplace_back());
  }
  void pairs(const std::vector<KeyPair>& pairs, std::vector<RuleValue>& a,
             std::vector<RuleValue>& b) {
    std::vector<std::string> of_a;
    std::vector<std::string> of_b;
    for (const KeyPair& pair : pairs) {
      of_a.push_back(pair.a);
      of_b.push_back(pair.b);
    }
    values(of_a, a);
    values(of_b, b);
  }
  // Of one at most.
  void pair(const std::vector<KeyPair>& check, std::optional<RuleValue>& a,
            std::optional<RuleValue>& b) {
    if (check.size() > 1) wrong({.message = "`check` may have one entry"});
    if (check.empty()) return;
    value(check.front().a, a);
    value(check.front().b, b);
  }
  // Of events of the rule's classes number `classes`.
  void text(const std::string& from, RuleTemplate& into, std::size_t classes = 0) {
    if (take(RuleTemplate::parse(from, names_), from, into)) use_.add_text(into, classes);
  }
  // Events of such classes are what the rule needs, or what it may do without.
  void classes(const ClassGlobs& globs, ClassMatcher& into) {
    if (take(ClassMatcher::from(globs), globs.empty() ? "" : globs.front(), into))
      use_.add_classes(globs, into);
  }
  void other_classes(const ClassGlobs& globs, ClassMatcher& into) {
    take(ClassMatcher::from(globs), globs.empty() ? "" : globs.front(), into);
  }
  void names(const std::vector<std::string>& globs, NameMatcher& into) {
    take(NameMatcher::from(globs), globs.empty() ? "" : globs.front(), into);
  }
  // `text`: what of the rule is wrong.
  void wrong(const Error& error, std::string_view text = {}) {
    if (error_) return;
    const std::string file = place_in_table(table_, list_, index_, text);
    error_ =
        Error{.code = ErrorCode::kInvalidArgument,
              .message = fmt::format("{}: {}: {}", file.empty() ? "table " + table_.name : file,
                                     place_, error.message)};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class T>
  bool take(Result<T> result, std::string_view text, T& into) {
    if (!result) {
      wrong(result.error(), text);
      return false;
    }
    into = *std::move(result);
    return true;
  }

  const Table& table_;
  const RuleNames& names_;
  RuleUse& use_;
  std::string list_;
  std::size_t index_ = 0;
  std::string place_;
  std::optional<Error> error_;
};

// What [[current]] and [[lookup]] rules set has a place before rules refer to it.
void CompiledRules::name_memory() {
  first_current_ = context_.memory.currents.size();
  std::vector<std::pair<std::string, std::size_t>> groups;  // by their `id` and `of`
  for (const CurrentRule& rule : table_.currents) {
    const std::string group = fmt::format("{}\n{}", rule.id, rule.of.size());
    auto place = std::ranges::find(groups, group, &std::pair<std::string, std::size_t>::first);
    if (place == groups.end()) {
      groups.emplace_back(group, context_.memory.currents.size());
      context_.memory.currents.emplace_back(rule.of.size() + 1).lasting = rule.lasting;
      members_.push_back(0);
      place = std::prev(groups.end());
    }
    for (const CurrentRule::Value& value : rule.set) {
      if (names_.currents.contains(value.name)) continue;
      names_.currents.emplace(
          value.name,
          CurrentPlace{place->second, members_[place->second - first_current_]++, &rule.of});
    }
  }
  for (const LookupRule& rule : table_.lookups) {
    if (names_.lookups.contains(rule.id)) continue;
    names_.lookups.emplace(rule.id,
                           RuleNames::LookupPlace{context_.memory.lookups.size(),
                                                  rule.key.size() + (rule.range.empty() ? 0 : 1)});
    context_.memory.lookups.emplace_back(rule.key.size() + 1).has_ranges = !rule.range.empty();
  }
}

void CompiledRules::compile_processor(RuleParser& parser) {
  if (table_.processor.empty()) return;
  parser.in("processor", table_.processor);
  parser.value("processor", early_.processor);
  early_.processors = processors(1);
}

// What began there before is of the task that leaves, or of one that nobody knows.
void CompiledRules::processor_known(const std::uint64_t* key, const std::uint64_t* left,
                                    const Moment& now) {
  if (early_.keys.empty()) return;
  std::erase_if(early_.keys, [&](const EarlySlices::Key& each) {
    if (each.processor != key[0] || each.trace != key[1]) return false;
    if (left == nullptr || !each.state->give_to(each.words, *left, now))
      each.state->end_unclear(each.words, now);
    return true;
  });
}

void CompiledRules::processors_several(const RuleMemory::Processor& known, const Moment& now) {
  if (!known.is_assumed) return;
  for (SliceState& each : slices_) {
    if (std::ranges::any_of(each.key_a, &RuleValue::is_of_processor)) each.end_unclear(now);
  }
  early_.keys.clear();
  if (known.is_said) return;
  for (const auto& [id, space] : spaces_) {
    if (space->rule.kind != TrackKind::kState ||
        !std::ranges::any_of(space->key, &RuleValue::is_of_processor))
      continue;
    space->tracks->for_each(
        [&](TrackId track) { context_.marking.state(track, kNoName, now, kNoCpu, 0); });
  }
}

void CompiledRules::compile_tracks(RuleParser& parser) {
  for (const TrackRule& rule : table_.tracks) {
    parser.in("track", rule.id);
    const std::string signature =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(rule.kind), rule.name,
                    fmt::join(rule.key, "\t"), rule.parent, rule.shared, rule.pid, rule.tid,
                    fmt::format("{}\n{}\n{}\n{}", rule.unit, rule.join, fmt::join(rule.ends, "\t"),
                                rule.reused));
    auto& known = context_.tracks[signature];
    if (known != nullptr) {
      spaces_.emplace(rule.id, known.get());
      continue;
    }
    known = std::make_unique<TrackSpace>(rule);
    TrackSpace& space = *known;
    space.rank = static_cast<std::uint32_t>(context_.tracks.size());
    spaces_.emplace(rule.id, &space);
    parser.values(rule.key, space.key);
    parser.text(rule.name, space.name);
    parser.value(rule.pid, space.pid);
    parser.value(rule.tid, space.tid);
    parser.names(rule.ends, space.ends);
    if (!rule.ends.empty() && (rule.kind != TrackKind::kTask || rule.key.size() != 1))
      parser.wrong({.message = "with `ends` a track is to be of kind task, with one key"});
    if (!rule.parent.empty()) space.parent = this->space(rule.parent);
    parser.on(rule.parent);
    if (rule.join.empty()) continue;
    const std::size_t words = TrackSpace::words_of(rule);
    space.tracks = &context_.joined.try_emplace(rule.join, words).first->second;
    if (!rule.shared || space.tracks->words() != words)
      parser.wrong({.message = fmt::format("tracks that are joined as `{}` are to be shared, and "
                                           "to have as many keys",
                                           rule.join)});
  }
}

void CompiledRules::compile_slices(RuleParser& parser) {
  for (const SliceRule& rule : table_.slices) {
    parser.in("slice", fmt::format("from {}", fmt::join(rule.begin, ", ")));
    SliceState& state = slices_.emplace_back(rule, context_.marking);
    parser.classes(rule.begin, state.begin);
    parser.classes(rule.end, state.end);
    parser.value(rule.when, state.when);
    parser.value(rule.end_when, state.end_when);
    parser.pairs(rule.match, state.key_a, state.key_b);
    parser.pairs(rule.check, state.check_a, state.check_b);
    if (rule.check.size() > SliceDetails::kMostChecks)
      parser.wrong({.message = "`check` may have three entries"});
    parser.text(rule.name, state.name);
    state.track = space(rule.track);
    parser.on(rule.track);
    compile_begun(parser, state);
    parser.other_classes(rule.born, state.born);
    parser.values(rule.born_key, state.born_key);
    parser.value(rule.inherited, state.inherited);
    if (rule.born.empty() == rule.born_key.empty() && rule.born_key.size() <= 1) {
      compile_end_with(parser, state);
    } else {
      parser.wrong({.message = "`born` and `born_key` go together, and the key is one"});
    }
    find_task(parser, state);
    compile_place(parser, state);
    if (!rule.by_name) continue;
    for (const ClassGlobs& globs : {rule.begin, rule.end}) {
      if (globs.size() != 1 || std::ranges::count(globs.front(), '*') != 1)
        parser.wrong({.message = "with `by_name`, `begin` and `end` are one name with a `*` each"});
    }
  }
}

void CompiledRules::compile_begun(RuleParser& parser, SliceState& state) {
  const SliceRule& rule = *state.rule;
  state.threads = &threads_;
  state.spent = &spent_before_;
  if (rule.by_stream && rule.again != SliceRule::Again::kMix)
    parser.wrong({.message = "with `by_stream`, `again` is `mix`"});
  if (rule.by_track && (rule.again != SliceRule::Again::kMix || rule.by_stream))
    parser.wrong({.message = "with `by_track`, `again` is `mix`, and there is no `by_stream`"});
  if (rule.state.empty() != rule.begun.empty())
    parser.wrong({.message = "`state` and `begun` go together"});
  if (rule.state.empty()) return;
  state.states = space(rule.state);
  state.begun = context_.marking.add_name("", rule.begun);
  if (state.states != nullptr && state.states->rule.kind != TrackKind::kState)
    parser.wrong({.message = fmt::format("the track `{}` is to be of kind state", rule.state)});
}

void CompiledRules::compile_place(RuleParser& parser, SliceState& state) {
  const SliceRule& rule = *state.rule;
  parser.value(rule.start, state.start);
  parser.value(rule.duration, state.duration);
  parser.value(rule.who, state.who);
  parser.value(rule.thread, state.thread);
  if ((state.start || state.duration) && !rule.end.empty())
    parser.wrong({.message = "`start` and `duration` are of events without `end`"});
  if (rule.during.empty() != rule.who.empty())
    parser.wrong({.message = "`during` and `who` go together"});
  if (!rule.elsewhere.empty()) state.elsewhere = space(rule.elsewhere);
  parser.on(rule.elsewhere);
  if (!state.thread) return;
  for (const auto& [id, each] : spaces_) {
    if (each->rule.kind == TrackKind::kState && each->tid) state.of_threads = each->parent;
  }
}

// Which part of the key of slices is what runs on a processor.
void CompiledRules::find_task(RuleParser& parser, SliceState& state) {
  const auto is_task = [&](const RuleValue& key) {
    if (key.is_of_task()) return true;
    const auto runs_on = std::ranges::find_if(table_.schedules, [&](const ScheduleRule& rule) {
      return rule.cpu.size() == 1 && key.is_current_on(rule.cpu.front());
    });
    if (runs_on == table_.schedules.end()) return false;
    if (early_.processors == nullptr) parser.value(runs_on->cpu.front(), early_.processor);
    early_.processors = processors(1);
    return true;
  };
  const auto task = std::ranges::find_if(state.key_a, is_task);
  if (task == state.key_a.end()) return;
  state.early = &early_;
  state.task_place = static_cast<std::size_t>(task - state.key_a.begin());
  // The processor stands for it last.
  if (auto value = RuleValue::parse(task->text_before_last(), names_))
    state.key_task = *std::move(value);
}

void CompiledRules::compile_end_with(RuleParser& parser, SliceState& state) {
  const std::string& id = state.rule->ends_with;
  TrackSpace* const tasks = id.empty() ? nullptr : space(id);
  if (tasks == nullptr) return;
  if (tasks->ends.empty() || state.rule->match.empty())
    return parser.wrong({.message = fmt::format("the track `{}` is to have `ends`, and its key is "
                                                "to be the first of `match`",
                                                id)});
  tasks->observers.push_back(&state);
  if (state.track != nullptr && state.track->rule.kind == TrackKind::kThread &&
      state.track->tracks->words() == 2)
    tasks->threads.push_back(state.track);
}

void CompiledRules::compile_points(RuleParser& parser) {
  // The tracks of states that say which thread they are of, by the tracks that they are below.
  std::unordered_map<const TrackSpace*, const TrackSpace*> states;
  for (const auto& [id, each] : spaces_) {
    if (each->rule.kind == TrackKind::kState && each->tid) states[each->parent] = each;
  }
  for (const InstantRule& rule : table_.instants) {
    parser.in("instant", fmt::format("of {}", fmt::join(rule.event, ", ")));
    InstantState& state = instants_.emplace_back();
    state.rule = &rule;
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.text(rule.name, state.name);
    state.track = space(rule.track);
    parser.on(rule.track);
    if (const auto below = states.find(state.track); below != states.end())
      state.tid = below->second->tid;
  }
  for (const CounterRule& rule : table_.counters) {
    parser.in("counter", fmt::format("of {}", fmt::join(rule.event, ", ")));
    if (!rule.until.empty()) {
      compile_balance(parser, rule);
      continue;
    }
    CounterState& state = counters_.emplace_back();
    state.rule = &rule;
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.value(rule.value, state.value);
    state.track = counter_space(parser, rule);
    parser.on(rule.track);
  }
  for (const FieldsRule& rule : table_.fields) {
    parser.in("fields", fmt::format("of {}", fmt::join(rule.event, ", ")));
    FieldsState& state = fields_.emplace_back();
    state.rule = &rule;
    parser.classes(rule.event, state.event);
  }
  for (const StateRule& rule : table_.states) {
    parser.in("state", fmt::format("of {}", fmt::join(rule.event, ", ")));
    StateState& state = states_.emplace_back();
    state.rule = &rule;
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.value(rule.spent, state.spent);
    parser.value(rule.cpu, state.cpu);
    parser.text(rule.name, state.name);
    parser.other_classes(rule.not_behind, state.not_behind);
    parser.other_classes(rule.not_before, state.not_before);
    state.track = space(rule.track);
    parser.on(rule.track);
    if (state.track != nullptr && state.track->rule.kind != TrackKind::kState &&
        state.track->rule.kind != TrackKind::kTask)
      parser.wrong(
          {.message = fmt::format("the track `{}` is to be of kind state or task", rule.track)});
  }
}

TrackSpace* CompiledRules::counter_space(RuleParser& parser, const CounterRule& rule) {
  TrackSpace* const found = space(rule.track);
  if (found != nullptr && found->rule.kind != TrackKind::kCounter)
    parser.wrong({.message = fmt::format("the track `{}` is to be of kind counter", rule.track)});
  return found;
}

void CompiledRules::compile_balance(RuleParser& parser, const CounterRule& rule) {
  BalanceState& state = balances_.emplace_back(rule);
  parser.classes(rule.event, state.event);
  parser.classes(rule.until, state.until);
  parser.value(rule.when, state.when);
  parser.value(rule.value, state.value);
  parser.pairs(rule.match, state.key_a, state.key_b);
  state.track = counter_space(parser, rule);
  parser.on(rule.track);
  if (rule.match.empty()) parser.wrong({.message = "with `until`, `match` says what is taken off"});
}

void CompiledRules::compile_waits(RuleParser& parser) {
  for (const WaitRule& rule : table_.waits) {
    parser.in("wait", rule.name);
    WaitState& state = waits_.emplace_back(rule, context_);
    parser.classes(rule.from, state.from);
    parser.classes(rule.to, state.to);
    parser.value(rule.when, state.when);
    parser.value(rule.to_when, state.to_when);
    parser.pairs(rule.match, state.key_a, state.key_b);
    parser.pair(rule.check, state.check_a, state.check_b);
    state.track = space(rule.track);
    parser.on(rule.track);
    parser.text(rule.name, state.name, 1);
    parser.value(rule.awaited, state.awaited);
    parser.other_classes(rule.cancel, state.cancels);
    parser.other_classes(rule.born, state.born);
    parser.other_classes(rule.prefer, state.preferred);
    parser.other_classes(rule.beside, state.beside);
    parser.text(rule.served, state.served, 1);
    parser.text(rule.over, state.over, 1);
    parser.text(rule.unasked, state.unasked, 1);
    const auto name_of = [&](const std::string& text) {
      return text.empty() ? kNoName : context_.marking.add_name("", text);
    };
    state.asked = name_of(rule.asked);
    for (const std::string& each : rule.unless) state.unless.push_back(name_of(each));
    compile_wait_flow(parser, state);
    if (!rule.state.empty()) state.states = space(rule.state);
    if (!rule.check.empty() && !(rule.state.empty() && rule.during.empty()))
      parser.wrong({.message = "with `state` or `during` there is no `check`"});
    if (state.states != nullptr && state.states->rule.key.size() != 1)
      parser.wrong({.message = fmt::format("the track `{}` is to have one key", rule.state)});
    const auto check_born = [&] {
      if (rule.born.empty()) return;
      if (state.during == nullptr || !state.during->rule->by_stream)
        parser.wrong({.message = "`born` is of waits `during` slices that are `by_stream`"});
      else if (!state.during->rule->end_args.empty())
        parser.wrong({.message = "`born` is of waits `during` slices without `end_args`"});
    };
    if (rule.during.empty()) {
      check_born();
      continue;
    }
    for (SliceState& each : slices_) {
      if (each.rule->id == rule.during) state.during = &each;
    }
    check_born();
    if (state.during == nullptr)
      parser.wrong({.message = fmt::format("no [[slice]] has the id `{}`", rule.during)});
    for (const WaitState& other : waits_) {
      if (&other != &state && other.during != nullptr && other.during == state.during)
        parser.wrong({.message = fmt::format("another [[wait]] is during `{}`", rule.during)});
    }
  }
  for (SliceState& slice : slices_) {
    const std::string& during = slice.rule->during;
    for (WaitState& wait : waits_) {
      if (!during.empty() && wait.during != nullptr && wait.during->rule->id == during &&
          wait.rule->match.size() == 1)
        slice.served = &wait;
    }
    if (!during.empty() && slice.served == nullptr)
      parser.wrong({.message = fmt::format("no [[wait]] of one key is `during` `{}`", during)});
  }
  for (const FlowRule& rule : table_.flows) {
    parser.in("flow", fmt::format("from {}", fmt::join(rule.from, ", ")));
    FlowState& state = flows_.emplace_back(rule);
    parser.classes(rule.from, state.from);
    parser.classes(rule.to, state.to);
    parser.pairs(rule.match, state.key_a, state.key_b);
    parser.pair(rule.check, state.check_a, state.check_b);
    parser.value(rule.when, state.when);
    state.from_track = space(rule.from_track);
    state.to_track = space(rule.to_track);
    state.minimum = least("minimum", rule.minimum, parser);
  }
}

void CompiledRules::compile_wait_flow(RuleParser& parser, WaitState& state) {
  const WaitRule& rule = *state.rule;
  if (rule.flow_track.empty() != rule.flow_key.empty())
    parser.wrong({.message = "`flow_track` and `flow_key` go together"});
  if (rule.flow_track.empty()) return;
  parser.value(rule.flow_key, state.flow_key);
  state.flow_track = space(rule.flow_track);
  state.flow_minimum = least("flow_minimum", rule.flow_minimum, parser);
  if (state.flow_track != nullptr && state.flow_track->rule.key.size() != 1)
    parser.wrong({.message = fmt::format("the track `{}` is to have one key", rule.flow_track)});
}

// How long what leads to a flow takes at least.
std::int64_t CompiledRules::least(std::string_view key, const std::string& text,
                                  RuleParser& parser) const {
  if (text.empty()) return 0;
  const auto minimum = parse_time_point(text);
  if (!minimum || minimum->from != TimePoint::From::kOrigin || minimum->value.negative()) {
    parser.wrong({.message = fmt::format("`{}` is to be a duration, \"1ms\"", key)});
    return 0;
  }
  return context_.all_flows ? 0 : saturated(minimum->value);
}

void CompiledRules::compile_schedules(RuleParser& parser) {
  for (const ScheduleRule& rule : table_.schedules) {
    parser.in("schedule", fmt::format("of {}", fmt::join(rule.event, ", ")));
    ScheduleState& state = schedules_.emplace_back(rule);
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.values(rule.cpu, state.cpu);
    parser.value(rule.next, state.next);
    parser.value(rule.previous, state.previous);
    parser.text(rule.next_name, state.next_name);
    parser.text(rule.previous_name, state.previous_name);
    parser.text(rule.previous_state.empty() ? "runnable" : rule.previous_state,
                state.previous_state);
    parser.names(rule.unclear, state.unclear);
    parser.value(rule.idle, state.idle);
    state.track = space(rule.track);
    state.processors = processors(rule.cpu.size());
    if (early_.processors == state.processors) state.observer = this;
    if (std::ranges::any_of(state.cpu, &RuleValue::is_of_processor)) {
      // Events may do without it.
      if (auto said = RuleValue::parse(table_.processor, {}))
        state.said_processor = *std::move(said);
      if (rule.cpu.size() != 1) parser.wrong({.message = "with `processor`, `cpu` is that alone"});
    }
    if (state.track != nullptr && rule.cpu.size() == 1) {
      if (state.track->processors == nullptr) state.track->observers.push_back(state.processors);
      state.track->processors = state.processors;
      state.track->says_what_leaves = state.track->says_what_leaves || state.previous;
    }
    if (state.track != nullptr &&
        (state.track->rule.kind != TrackKind::kTask || state.track->rule.key.size() != 1))
      parser.wrong({.message = fmt::format("the track `{}` is to be of kind task, with one key",
                                           rule.track)});
  }
  for (const PendingRule& rule : table_.pendings) {
    parser.in("pending", fmt::format("of {}", fmt::join(rule.event, ", ")));
    PendingState& state = pendings_.emplace_back();
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.values(rule.cpu, state.cpu);
    parser.value(rule.task, state.task);
    parser.text(rule.state, state.state);
    state.is_none = rule.state.empty();
    state.is_lasting = rule.lasting;
    if (rule.lasting && (rule.task.empty() || rule.state.empty()))
      parser.wrong({.message = "with `lasting`, `task` and `state` are needed"});
    state.processors = processors(rule.cpu.size());
  }
}

void CompiledRules::compile_memory(RuleParser& parser) {
  for (const CurrentRule& rule : table_.currents) {
    parser.in("current", fmt::format("of {}", fmt::join(rule.event, ", ")));
    CurrentState& state = currents_.emplace_back();
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.values(rule.of, state.of);
    for (const CurrentRule::Value& value : rule.set) {
      const CurrentPlace& place = names_.currents.at(value.name);
      state.current = place.current;
      CurrentState::Set& set = state.set.emplace_back();
      set.member = place.member;
      parser.value(value.value, set.value);
    }
  }
  for (const LookupRule& rule : table_.lookups) {
    parser.in("lookup", rule.id);
    LookupState& state = lookups_.emplace_back();
    parser.classes(rule.event, state.event);
    parser.value(rule.when, state.when);
    parser.values(rule.key, state.key);
    parser.text(rule.value, state.value);
    state.first = rule.first;
    parser.values(rule.range, state.range);
    if (!rule.range.empty() && rule.range.size() != 2)
      parser.wrong({.message = "`range` is to be two expressions, a begin and a size"});
    const RuleNames::LookupPlace& place = names_.lookups.at(rule.id);
    state.lookup = place.lookup;
    if (place.keys != rule.key.size() + (rule.range.empty() ? 0 : 1))
      parser.wrong({.message = "all [[lookup]] rules of one id need as many keys"});
  }
}

void CompiledRules::compile_hosts(RuleParser& parser) {
  for (const HostRule& rule : table_.hosts) {
    parser.in("host", fmt::format("of {}", fmt::join(rule.event, ", ")));
    ClassMatcher events;
    std::optional<RuleValue> value;
    std::optional<RuleValue> process;
    parser.classes(rule.event, events);
    parser.value(rule.value, value);
    if (!rule.process.empty()) parser.value(rule.process, process);
    if (parser.error() || !value) return;
    context_.origins.read_hosts_with([this, events = std::move(events), value = *std::move(value),
                                      process = std::move(process)](
                                         const Event& event) -> std::optional<TraceOrigins::Said> {
      if (!events.matches(timeline::name_of(*event.event_class))) return std::nullopt;
      const auto text_of = [&](const RuleValue& from) {
        const query::Value said = BoundValue(from, *event.event_class).read(event, context_.scope);
        return said.known() ? std::optional(to_text(said)) : std::nullopt;
      };
      std::optional<std::string> host = text_of(value);
      std::optional<std::string> id = process ? text_of(*process) : std::nullopt;
      if (!host && !id) return std::nullopt;
      return TraceOrigins::Said{.host = std::move(host).value_or(""),
                                .process = std::move(id).value_or("")};
    });
  }
}

Result<void> CompiledRules::compile() {
  name_memory();
  names_.processor = table_.processor;
  RuleParser parser(table_, names_, use_);
  parser.in("applies", "class");
  parser.other_classes(table_.applies_to, applies_);
  compile_processor(parser);
  compile_tracks(parser);
  compile_slices(parser);
  compile_points(parser);
  compile_waits(parser);
  compile_schedules(parser);
  compile_memory(parser);
  compile_hosts(parser);
  if (parser.error()) return std::unexpected(*parser.error());
  return {};
}

}  // namespace tracedeck::timeline
