// The keys of each rule of a table: what reads tables, writes them and describes them.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {

template <class Rule, class Member>
struct TableKey {
  std::string_view name;
  Member Rule::* member;
  bool required = false;
};

template <class Rule, class Member>
constexpr TableKey<Rule, Member> required(std::string_view name, Member Rule::* member) {
  return {name, member, true};
}
template <class Rule, class Member>
constexpr TableKey<Rule, Member> optional(std::string_view name, Member Rule::* member) {
  return {name, member, false};
}

struct TrackKindName {
  std::string_view name;
  TrackKind kind;
};
inline constexpr auto kTrackKindNames = std::to_array<TrackKindName>({
    {"group", TrackKind::kGroup},
    {"process", TrackKind::kProcess},
    {"thread", TrackKind::kThread},
    {"cpu", TrackKind::kCpu},
    {"task", TrackKind::kTask},
    {"lanes", TrackKind::kLanes},
    {"state", TrackKind::kState},
    {"counter", TrackKind::kCounter},
    {"plain", TrackKind::kPlain},
});

struct AgainName {
  std::string_view name;
  SliceRule::Again again;
};
inline constexpr auto kAgainNames = std::to_array<AgainName>({
    {"replace", SliceRule::Again::kReplace},
    {"ignore", SliceRule::Again::kIgnore},
    {"nest", SliceRule::Again::kNest},
    {"own", SliceRule::Again::kOwn},
    {"doubt", SliceRule::Again::kDoubt},
    {"mix", SliceRule::Again::kMix},
});

struct UnmatchedName {
  std::string_view name;
  SliceRule::Unmatched unmatched;
};
inline constexpr auto kUnmatchedNames = std::to_array<UnmatchedName>({
    {"before", SliceRule::Unmatched::kBefore},
    {"named", SliceRule::Unmatched::kNamed},
    {"instant", SliceRule::Unmatched::kInstant},
    {"ignore", SliceRule::Unmatched::kIgnore},
});

template <class Rule>
constexpr auto keys_of();

template <>
constexpr auto keys_of<TrackRule>() {
  return std::tuple{required("id", &TrackRule::id),         optional("kind", &TrackRule::kind),
                    required("name", &TrackRule::name),     optional("key", &TrackRule::key),
                    optional("parent", &TrackRule::parent), optional("shared", &TrackRule::shared),
                    optional("join", &TrackRule::join),     optional("pid", &TrackRule::pid),
                    optional("tid", &TrackRule::tid),       optional("unit", &TrackRule::unit),
                    optional("ends", &TrackRule::ends),     optional("reused", &TrackRule::reused)};
}

template <>
constexpr auto keys_of<SliceRule>() {
  return std::tuple{optional("id", &SliceRule::id),
                    required("begin", &SliceRule::begin),
                    optional("end", &SliceRule::end),
                    optional("when", &SliceRule::when),
                    optional("end_when", &SliceRule::end_when),
                    required("track", &SliceRule::track),
                    optional("match", &SliceRule::match),
                    optional("check", &SliceRule::check),
                    optional("again", &SliceRule::again),
                    optional("unmatched", &SliceRule::unmatched),
                    optional("by_stream", &SliceRule::by_stream),
                    optional("by_track", &SliceRule::by_track),
                    optional("state", &SliceRule::state),
                    optional("begun", &SliceRule::begun),
                    optional("by_name", &SliceRule::by_name),
                    optional("category", &SliceRule::category),
                    required("name", &SliceRule::name),
                    optional("args", &SliceRule::args),
                    optional("end_args", &SliceRule::end_args),
                    optional("marked", &SliceRule::marked),
                    optional("ends_with", &SliceRule::ends_with),
                    optional("born", &SliceRule::born),
                    optional("born_key", &SliceRule::born_key),
                    optional("inherited", &SliceRule::inherited),
                    optional("start", &SliceRule::start),
                    optional("duration", &SliceRule::duration),
                    optional("otherwise", &SliceRule::otherwise),
                    optional("during", &SliceRule::during),
                    optional("who", &SliceRule::who),
                    optional("thread", &SliceRule::thread),
                    optional("elsewhere", &SliceRule::elsewhere)};
}

template <>
constexpr auto keys_of<InstantRule>() {
  return std::tuple{
      required("event", &InstantRule::event),        optional("when", &InstantRule::when),
      required("track", &InstantRule::track),        optional("category", &InstantRule::category),
      required("name", &InstantRule::name),          optional("args", &InstantRule::args),
      optional("otherwise", &InstantRule::otherwise)};
}

template <>
constexpr auto keys_of<CounterRule>() {
  return std::tuple{required("event", &CounterRule::event), optional("when", &CounterRule::when),
                    required("track", &CounterRule::track), required("value", &CounterRule::value),
                    optional("sum", &CounterRule::sum),     optional("until", &CounterRule::until),
                    optional("match", &CounterRule::match)};
}

template <>
constexpr auto keys_of<FieldsRule>() {
  return std::tuple{required("event", &FieldsRule::event),
                    required("attribute", &FieldsRule::attribute)};
}

template <>
constexpr auto keys_of<StateRule>() {
  return std::tuple{required("event", &StateRule::event),
                    optional("when", &StateRule::when),
                    required("track", &StateRule::track),
                    required("name", &StateRule::name),
                    optional("unless", &StateRule::unless),
                    optional("within", &StateRule::within),
                    optional("not_behind", &StateRule::not_behind),
                    optional("not_before", &StateRule::not_before),
                    optional("made", &StateRule::made),
                    optional("cpu", &StateRule::cpu),
                    optional("spent", &StateRule::spent)};
}

template <>
constexpr auto keys_of<WaitRule>() {
  return std::tuple{
      required("name", &WaitRule::name),         optional("category", &WaitRule::category),
      required("from", &WaitRule::from),         required("to", &WaitRule::to),
      optional("prefer", &WaitRule::prefer),     optional("beside", &WaitRule::beside),
      optional("when", &WaitRule::when),         optional("to_when", &WaitRule::to_when),
      optional("awaited", &WaitRule::awaited),   optional("match", &WaitRule::match),
      optional("check", &WaitRule::check),       required("track", &WaitRule::track),
      optional("last", &WaitRule::last),         optional("during", &WaitRule::during),
      optional("cancel", &WaitRule::cancel),     optional("born", &WaitRule::born),
      optional("state", &WaitRule::state),       optional("unless", &WaitRule::unless),
      optional("asked", &WaitRule::asked),       optional("served", &WaitRule::served),
      optional("over", &WaitRule::over),         optional("unasked", &WaitRule::unasked),
      optional("args", &WaitRule::args),         optional("flow_track", &WaitRule::flow_track),
      optional("flow_key", &WaitRule::flow_key), optional("flow_minimum", &WaitRule::flow_minimum)};
}

template <>
constexpr auto keys_of<FlowRule>() {
  return std::tuple{
      required("from", &FlowRule::from),         required("to", &FlowRule::to),
      optional("when", &FlowRule::when),         required("match", &FlowRule::match),
      optional("check", &FlowRule::check),       required("from_track", &FlowRule::from_track),
      required("to_track", &FlowRule::to_track), optional("minimum", &FlowRule::minimum)};
}

template <>
constexpr auto keys_of<ScheduleRule>() {
  return std::tuple{required("event", &ScheduleRule::event),
                    optional("when", &ScheduleRule::when),
                    required("cpu", &ScheduleRule::cpu),
                    required("next", &ScheduleRule::next),
                    optional("previous", &ScheduleRule::previous),
                    required("next_name", &ScheduleRule::next_name),
                    optional("previous_name", &ScheduleRule::previous_name),
                    optional("previous_state", &ScheduleRule::previous_state),
                    optional("unclear", &ScheduleRule::unclear),
                    optional("idle", &ScheduleRule::idle),
                    required("track", &ScheduleRule::track)};
}

template <>
constexpr auto keys_of<PendingRule>() {
  return std::tuple{
      required("event", &PendingRule::event), optional("when", &PendingRule::when),
      required("cpu", &PendingRule::cpu),     optional("task", &PendingRule::task),
      required("state", &PendingRule::state), optional("lasting", &PendingRule::lasting)};
}

template <>
constexpr auto keys_of<CurrentRule>() {
  return std::tuple{
      required("event", &CurrentRule::event), optional("when", &CurrentRule::when),
      optional("id", &CurrentRule::id),       optional("of", &CurrentRule::of),
      required("set", &CurrentRule::set),     optional("lasting", &CurrentRule::lasting)};
}

template <>
constexpr auto keys_of<LookupRule>() {
  return std::tuple{required("id", &LookupRule::id),       required("event", &LookupRule::event),
                    optional("when", &LookupRule::when),   required("key", &LookupRule::key),
                    required("value", &LookupRule::value), optional("first", &LookupRule::first),
                    optional("range", &LookupRule::range)};
}

template <>
constexpr auto keys_of<HostRule>() {
  return std::tuple{required("event", &HostRule::event), required("value", &HostRule::value),
                    optional("process", &HostRule::process)};
}

// The lists of rules of a table, by what they are called in its file.
template <class Visit>
void for_each_rule_list(const Visit& visit) {
  visit("host", &Table::hosts);
  visit("track", &Table::tracks);
  visit("slice", &Table::slices);
  visit("instant", &Table::instants);
  visit("counter", &Table::counters);
  visit("fields", &Table::fields);
  visit("state", &Table::states);
  visit("wait", &Table::waits);
  visit("flow", &Table::flows);
  visit("schedule", &Table::schedules);
  visit("pending", &Table::pendings);
  visit("current", &Table::currents);
  visit("lookup", &Table::lookups);
}

}  // namespace tracedeck::timeline
