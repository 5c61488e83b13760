#include "tracedeck/timeline/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "tracedeck/query/parser.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/timeline/compiled_rules.hpp"

namespace tracedeck::timeline {

RuleContext::RuleContext(Marking& into, bool all) : marking(into), all_flows(all) {}
RuleContext::~RuleContext() = default;

const Arguments* CompiledRules::arguments(const std::vector<std::string>& paths,
                                          const EventClass& event_class) {
  if (paths.empty()) return nullptr;
  Arguments& made = arguments_.emplace_back();
  for (const std::string& path : paths) {
    if (path == "*") {
      made.add_all(event_class);
      continue;
    }
    const auto parsed = query::parse_expression(path);
    if (parsed && (*parsed)->operation == query::Operator::kPath)
      made.add(path, (*parsed)->path, event_class);
  }
  return made.empty() ? nullptr : &made;
}

void CompiledRules::lacks(std::string_view what, const EventClass& event_class,
                          const TrackSpace* track, const std::vector<RuleValue>& needed) {
  std::vector<RuleValue> values = needed;
  if (track != nullptr) values.insert(values.end(), track->key.begin(), track->key.end());
  std::vector<std::string> fields;
  for (const RuleValue& each : values) {
    if (!BoundValue(each, event_class).possible() &&
        std::ranges::find(fields, each.text()) == fields.end())
      fields.emplace_back(each.text());
  }
  lacks_ = true;
  auto known = std::ranges::find_if(
      lacking_, [&](const Lacking& each) { return each.what == what && each.fields == fields; });
  if (known == lacking_.end())
    known = lacking_.insert(
        known, {.what = std::string(what), .fields = std::move(fields), .classes = {}});
  const std::string name(timeline::name_of(event_class));
  if (std::ranges::find(known->classes, name) == known->classes.end())
    known->classes.push_back(name);
}

std::vector<std::string> CompiledRules::notices() const {
  const auto is_thread = [&](const std::string& field) {
    return std::ranges::any_of(table_.tracks,
                               [&](const TrackRule& each) { return each.tid == field; });
  };
  std::vector<std::string> sentences;
  for (const Lacking& each : lacking_) {
    const std::string classes = fmt::format("{}", fmt::join(each.classes, "`, `"));
    if (each.fields.size() == 1 && is_thread(each.fields.front()))
      sentences.push_back(
          render::say<"notice/lacks-thread">(table_.name, each.fields.front(), classes, each.what));
    else
      sentences.push_back(render::say<"notice/lacks">(
          table_.name, classes,
          each.fields.empty() ? std::string("a field")
                              : fmt::format("`{}`", fmt::join(each.fields, "` and `")),
          each.what));
  }
  return sentences;
}

namespace {

// That none of the fields that begins and ends of slices have says which of them are of one.
std::string saying_nothing(const SliceState& state) {
  constexpr std::size_t kMostFields = 8;
  std::vector<std::string> both;
  if (state.fields_a && state.fields_b)
    std::ranges::set_intersection(*state.fields_a, *state.fields_b, std::back_inserter(both));
  if (both.empty()) return "no field says";
  const bool is_cut = both.size() > kMostFields;
  if (is_cut) both.resize(kMostFields);
  return fmt::format("none of the fields that both have (`{}`{}) is known to say",
                     fmt::join(both, "`, `"), is_cut ? ", ..." : "");
}

}  // namespace

std::vector<std::string> CompiledRules::unclear() const {
  std::vector<std::string> sentences;
  for (const SliceState& each : slices_) {
    if (each.perhaps_older != 0)
      sentences.push_back(render::say<"notice/perhaps-older">(
          table_.name, each.rule->category, fmt::format("{}", fmt::join(each.rule->end, "`, `"))));
    if (!each.any_mixed) continue;
    if (each.rule->by_stream) {
      sentences.push_back(render::say<"notice/not-told-apart">(
          table_.name, each.rule->category, fmt::format("{}", fmt::join(each.rule->end, "`, `"))));
      continue;
    }
    sentences.push_back(render::say<"notice/mixed">(
        fmt::format("{}", fmt::join(each.rule->begin, "`, `")), saying_nothing(each),
        fmt::format("{}", fmt::join(each.rule->end, "`, `"))));
  }
  if (table_.processor.empty() ||
      std::ranges::none_of(context_.memory.processors, &RuleMemory::Processor::is_unknown))
    return sentences;
  std::vector<std::string> categories;
  for (const SliceState& each : slices_) {
    if (std::ranges::any_of(each.key_a, &RuleValue::is_of_processor) &&
        std::ranges::find(categories, each.rule->category) == categories.end())
      categories.push_back(each.rule->category);
  }
  sentences.push_back(render::say<"notice/no-processor">(
      table_.name, fmt::format("{}", fmt::join(categories, "`, `"))));
  return sentences;
}

SliceScope CompiledRules::scope_of(const SliceRule& rule, const EventClass& event_class) {
  SliceScope scope{.trace = trace_of(event_class)};
  if (!rule.by_name) return scope;
  scope.name = 0;
  std::string_view name = timeline::name_of(event_class);
  for (const ClassGlobs& globs : {rule.begin, rule.end}) {
    const std::string& glob = globs.front();
    const std::size_t star = glob.find('*');
    const std::string_view before = std::string_view(glob).substr(0, star);
    const std::string_view after = std::string_view(glob).substr(star + 1);
    if (name.size() < glob.size() - 1 || !name.starts_with(before) || !name.ends_with(after))
      continue;
    name.remove_prefix(before.size());
    name.remove_suffix(after.size());
    scope.name = context_.memory.odd.word_of_text(name).value_or(0);
    break;
  }
  return scope;
}

std::optional<SlicePlace> CompiledRules::place(SliceState& state, const EventClass& event_class) {
  if (!state.is_placed()) return std::nullopt;
  std::optional<BoundTrack> elsewhere;
  if (state.elsewhere != nullptr) elsewhere.emplace(track(state.elsewhere, event_class));
  return SlicePlace(state, track(state.track, event_class), std::move(elsewhere), event_class,
                    context_, trace_of(event_class));
}

bool CompiledRules::plan_end(SliceState& state, const EventClass& event_class,
                             std::vector<PlannedAction>& into) {
  auto end = std::make_unique<EndSlice>(
      state, track(state.track, event_class), place(state, event_class), event_class, context_,
      arguments(state.rule->end_args, event_class), scope_of(*state.rule, event_class));
  if (!end->possible()) return false;
  into.push_back({Phase::kEnd, std::move(end)});
  return true;
}

bool CompiledRules::plan_begin(SliceState& state, const EventClass& event_class,
                               std::vector<PlannedAction>& into) {
  const Arguments* const args = arguments(state.rule->args, event_class);
  const auto plan = [&](auto action) {
    if (!action->possible()) return false;
    into.push_back({Phase::kBegin, std::move(action)});
    return true;
  };
  if (state.start || state.duration)
    return plan(std::make_unique<MarkEnded>(state, track(state.track, event_class), event_class,
                                            context_, args));
  const SliceScope scope = scope_of(*state.rule, event_class);
  if (auto placed = place(state, event_class))
    return plan(std::make_unique<BeginPlacedSlice>(state, *std::move(placed),
                                                   track(state.track, event_class), event_class,
                                                   context_, args, scope));
  return plan(std::make_unique<BeginSlice>(state, track(state.track, event_class), event_class,
                                           context_, args, scope));
}

void CompiledRules::note_fields(const EventClass& event_class,
                                std::optional<std::vector<std::string>>& fields) {
  const auto* const payload =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  std::vector<std::string> names;
  if (payload != nullptr) {
    for (const Member& member : payload->members) names.emplace_back(member.name.view());
  }
  std::ranges::sort(names);
  if (!fields) {
    fields = std::move(names);
    return;
  }
  std::erase_if(*fields,
                [&](const std::string& each) { return !std::ranges::binary_search(names, each); });
}

void CompiledRules::plan_slices(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  std::set<std::string_view> planned;  // categories
  std::vector<std::pair<const SliceState*, const std::vector<RuleValue>*>> lacking;
  for (SliceState& state : slices_) {
    if (state.born.matches(name)) {
      auto birth = std::make_unique<NoteBirth>(state, event_class, context_, trace_of(event_class));
      if (birth->possible()) into.push_back({Phase::kLookup, std::move(birth)});
    }
    const SliceRule& rule = *state.rule;
    if (rule.otherwise && planned.contains(rule.category)) continue;
    const auto note = [&](bool is_planned, const std::vector<RuleValue>& key) {
      if (is_planned)
        planned.insert(rule.category);
      else
        lacking.emplace_back(&state, &key);
    };
    const bool says_begin = state.start || state.duration;
    // Slices of events that have a duration need no end.
    const bool begins =
        state.begin.matches(name) && (!state.end.empty() || event_class.has_duration || says_begin);
    if (rule.again == SliceRule::Again::kMix && !rule.by_stream) {
      if (state.begin.matches(name)) note_fields(event_class, state.fields_a);
      if (state.end.matches(name)) note_fields(event_class, state.fields_b);
    }
    if (state.end.matches(name)) note(plan_end(state, event_class, into), state.key_b);
    if (!begins) continue;
    const bool is_planned = plan_begin(state, event_class, into);
    if (is_planned || !says_begin) note(is_planned, state.key_a);
  }
  for (const auto& [state, key] : lacking) {
    if (!planned.contains(state->rule->category))
      lacks("[[slice]]", event_class, state->track, *key);
  }
}

void CompiledRules::plan_points(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  const auto has_otherwise = [&](std::string_view of) {
    return std::ranges::any_of(instants_, [&](const InstantState& each) {
      return each.rule->otherwise && each.event.matches(of);
    });
  };
  const auto add = [&](Phase phase, BoundTrack& on, const TrackSpace* track, std::string_view what,
                       auto make) {
    if (!on.possible()) return lacks(what, event_class, track);
    into.push_back({phase, make()});
  };
  for (const InstantState& state : instants_) {
    if (state.rule->otherwise || !state.event.matches(name)) continue;
    BoundTrack on = track(state.track, event_class);
    if (!on.possible() && has_otherwise(name)) continue;
    add(Phase::kPoint, on, state.track, "[[instant]]",
        [&] { return instant(state, std::move(on), event_class); });
  }
  for (CounterState& state : counters_) {
    if (!state.event.matches(name)) continue;
    BoundTrack on = track(state.track, event_class);
    add(Phase::kPoint, on, state.track, "[[counter]]", [&] {
      return std::make_unique<MarkCounter>(state.rule->sum, state.value, state.when, std::move(on),
                                           event_class, context_, sums_);
    });
  }
  for (StateState& state : states_) {
    plan_denial(state, event_class, into);
    if (!state.event.matches(name)) continue;
    BoundTrack on = track(state.track, event_class);
    add(Phase::kState, on, state.track, "[[state]]", [&] {
      return std::make_unique<MarkState>(state, std::move(on), event_class, context_, spent_before_,
                                         threads_);
    });
  }
}

std::unique_ptr<Action> CompiledRules::instant(const InstantState& state, BoundTrack on,
                                               const EventClass& event_class) {
  return std::make_unique<MarkInstant>(
      *state.rule, state.name, state.when, std::move(on), event_class, context_,
      arguments(state.rule->args, event_class), threads_, state.tid);
}

void CompiledRules::plan_otherwise(const EventClass& event_class,
                                   std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  for (const InstantState& state : instants_) {
    if (!state.rule->otherwise || !state.event.matches(name)) continue;
    BoundTrack on = track(state.track, event_class);
    if (on.possible()) into.push_back({Phase::kPoint, instant(state, std::move(on), event_class)});
  }
}

void CompiledRules::plan_fields(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const auto* const payload =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  for (const FieldsState& state : fields_) {
    if (payload == nullptr || !state.event.matches(timeline::name_of(event_class))) continue;
    for (const Member& field : payload->members) {
      const bool counts = std::ranges::any_of(field.attributes, [&](const Attribute& each) {
        return each.key == state.rule->attribute;
      });
      const auto value = RuleValue::of_field(field.name);
      if (!counts || !value) continue;
      into.push_back({Phase::kPoint, std::make_unique<MarkCounter>(
                                         false, *value, std::nullopt,
                                         track(&space_of(field, event_class), event_class),
                                         event_class, context_, sums_)});
    }
  }
}

namespace {

// Of several of a kind, as devices and sockets, a field says which it is.
const Member* find_identity(const StructureClass& payload) {
  constexpr auto kIdentityEndings =
      std::to_array<std::string_view>({"_index", "_cookie", "_id", "_name"});
  for (const std::string_view ending : kIdentityEndings) {
    const auto found = std::ranges::find_if(payload.members, [&](const Member& member) {
      const std::string_view name = member.name;
      return name.ends_with(ending) && member.attributes.empty();
    });
    if (found != payload.members.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

TrackSpace& CompiledRules::space_of(const Member& field, const EventClass& event_class) {
  const Member* const identity = find_identity(*event_class.payload->as<StructureClass>());
  TrackRule rule{
      .id = "fields", .kind = TrackKind::kCounter, .unit = std::string(unit_of(field.attributes))};
  const std::string_view name = field.name;
  const std::string shown(name.find_first_of("{}") == std::string_view::npos ? name : "?");
  rule.name = fmt::format("{{name}}: {}", shown);
  const auto key = identity == nullptr ? std::nullopt : RuleValue::of_field(identity->name);
  if (key && key->text().find_first_of("{}|?") == std::string::npos)
    rule.name += fmt::format(" {{{}}}", key->text());
  auto& known = context_.tracks[fmt::format(
      "fields\n{}\n{}\n{}\n{}", timeline::name_of(event_class), name, rule.unit, rule.name)];
  if (known != nullptr) return *known;
  if (key) rule.key.push_back(key->text());
  known = std::make_unique<TrackSpace>(rule);
  known->rank = static_cast<std::uint32_t>(context_.tracks.size());
  if (key) known->key.push_back(*key);
  if (auto text = RuleTemplate::parse(rule.name, names_)) known->name = *std::move(text);
  return *known;
}

void CompiledRules::plan_denial(StateState& state, const EventClass& event_class,
                                std::vector<PlannedAction>& into) {
  if (state.track == nullptr || state.track->processors == nullptr) return;
  const std::string_view name = timeline::name_of(event_class);
  const bool is_behind = state.not_behind.matches(name);
  if (!is_behind && !state.not_before.matches(name)) return;
  BoundTrack on = track(state.track, event_class);
  if (!on.possible()) return lacks("[[state]]", event_class, state.track);
  into.push_back(
      {Phase::kState,
       std::make_unique<DenyState>(std::move(on), *state.track->processors, context_, is_behind)});
}

// An event that both takes off and adds, as realloc, takes off first.
void CompiledRules::plan_balances(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  const std::uint64_t trace = trace_of(event_class);
  const auto add = [&](auto action, const TrackSpace* track, const std::vector<RuleValue>& key) {
    if (!action->possible()) return lacks("[[counter]]", event_class, track, key);
    into.push_back({Phase::kPoint, std::move(action)});
  };
  for (BalanceState& state : balances_) {
    if (state.until.matches(name))
      add(std::make_unique<TakeOffBalance>(state, event_class, context_, trace), nullptr,
          state.key_b);
    if (state.event.matches(name))
      add(std::make_unique<AddToBalance>(state, track(state.track, event_class), event_class,
                                         context_, trace),
          state.track, state.key_a);
  }
}

void CompiledRules::plan_waits(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  const std::uint64_t trace = trace_of(event_class);
  for (WaitState& state : waits_) {
    if (state.to.matches(name)) {
      into.push_back(
          {Phase::kServe,
           std::make_unique<ServeWait>(state, track(state.track, event_class), event_class,
                                       context_, arguments(state.rule->args, event_class), trace)});
    }
    if (state.born.matches(name)) {
      into.push_back({Phase::kServe, std::make_unique<BearWaiter>(state, event_class, trace)});
    }
    if (state.cancels.matches(name)) {
      into.push_back({Phase::kServe, std::make_unique<CancelWait>(state, event_class, trace)});
    }
    if (state.from.matches(name)) {
      into.push_back(
          {Phase::kRequest, std::make_unique<RequestWait>(state, event_class, context_, trace)});
    }
  }
  for (FlowState& state : flows_) {
    if (state.to.matches(name)) {
      into.push_back(
          {Phase::kPoint, std::make_unique<EndFlow>(state, track(state.to_track, event_class),
                                                    event_class, context_, trace)});
    }
    if (state.from.matches(name)) {
      into.push_back(
          {Phase::kPoint, std::make_unique<BeginFlow>(state, track(state.from_track, event_class),
                                                      event_class, context_, trace)});
    }
  }
}

void CompiledRules::plan_schedules(const EventClass& event_class,
                                   std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  const std::uint64_t trace = trace_of(event_class);
  for (ScheduleState& state : schedules_) {
    if (!state.event.matches(name)) continue;
    auto action = std::make_unique<Schedule>(state, track(state.track, event_class), event_class,
                                             context_, trace);
    if (!action->possible()) {
      std::vector<RuleValue> needed = state.cpu;
      if (state.next) needed.push_back(*state.next);
      lacks("[[schedule]]", event_class, nullptr, needed);
      continue;
    }
    into.push_back({Phase::kState, std::move(action)});
  }
  for (PendingState& state : pendings_) {
    if (!state.event.matches(name)) continue;
    into.push_back(
        {Phase::kState, std::make_unique<MarkPending>(state, event_class, context_, trace)});
  }
}

void CompiledRules::plan_memory(const EventClass& event_class, std::vector<PlannedAction>& into) {
  const std::string_view name = timeline::name_of(event_class);
  for (const CurrentState& state : currents_) {
    if (!state.event.matches(name)) continue;
    std::vector<SetCurrent::Set> set;
    for (const CurrentState::Set& each : state.set)
      set.push_back(
          {each.member, each.value ? BoundValue(*each.value, event_class) : BoundValue()});
    into.push_back({Phase::kCurrent, std::make_unique<SetCurrent>(
                                         state.current, bind_all(state.of, event_class),
                                         std::move(set), members_[state.current - first_current_],
                                         state.when, event_class, context_)});
  }
  for (const LookupState& state : lookups_) {
    if (!state.event.matches(name)) continue;
    into.push_back({Phase::kLookup,
                    std::make_unique<SetLookup>(state.lookup, state.key, state.value, state.when,
                                                state.first, state.range, event_class, context_)});
  }
}

bool CompiledRules::plan(const EventClass& event_class, std::vector<PlannedAction>& into) {
  lacks_ = false;
  // Built-in tables are for traces that lack much of what they know.
  if (!table_.built_in) use_.see(event_class);
  plan_memory(event_class, into);
  plan_slices(event_class, into);
  plan_schedules(event_class, into);
  plan_points(event_class, into);
  plan_fields(event_class, into);
  plan_balances(event_class, into);
  plan_waits(event_class, into);
  return lacks_;
}

Result<void> check_table(const Table& table) {
  Timeline timeline;
  Marking marking(timeline);
  RuleContext context(marking);
  CompiledRules rules(table, context);
  return rules.compile();
}

Result<std::unique_ptr<RuleSet>> RuleSet::compile(const Table& table, RuleContext& context) {
  auto rules = std::make_unique<CompiledRules>(table, context);
  const auto compiled = rules->compile();
  if (!compiled) return std::unexpected(compiled.error());
  return rules;
}

}  // namespace tracedeck::timeline
