#include "tracedeck/timeline/rule_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/base/nearest.hpp"

namespace tracedeck::timeline {
namespace {

std::string meant(std::string_view word, const std::set<std::string, std::less<>>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view near = nearest(word, words);
  return near.empty() ? std::string() : fmt::format("; is `{}` meant?", near);
}

}  // namespace

void RuleUse::add_classes(const ClassGlobs& globs, const ClassMatcher& matcher) {
  if (!rules_.empty() && !globs.empty())
    rules_.back().classes.push_back({.globs = globs, .matcher = matcher});
}

void RuleUse::add_value(const RuleValue& value) {
  if (!rules_.empty()) rules_.back().values.push_back({.value = value});
}

void RuleUse::see(const EventClass& event_class) {
  const std::string_view name = timeline::name_of(event_class);
  if (names_.size() < kMostNames) names_.emplace(name);
  for (Rule& rule : rules_) {
    bool met = false;
    for (Classes& each : rule.classes) {
      if (!each.matcher.matches(name)) continue;
      each.met = true;
      met = true;
    }
    if (met) see(rule, event_class);
  }
}

void RuleUse::see(Rule& rule, const EventClass& event_class) const {
  for (Value& each : rule.values)
    each.known = each.known || BoundValue(each.value, event_class).possible();
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr) return;
  for (const Member& member : structure->members) {
    if (rule.fields.size() < kMostNames) rule.fields.emplace(member.name.view());
  }
}

std::vector<std::string> RuleUse::sentences() const {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> all;
  for (const Rule& rule : rules_) {
    bool any_met = false;
    for (const Classes& each : rule.classes) {
      any_met = any_met || each.met;
      if (each.met) continue;
      const std::string text = fmt::format("{}", fmt::join(each.globs, "` or `"));
      all.push_back(fmt::format("{}: no event is called `{}`{}", rule.name, text,
                                each.globs.size() == 1 ? meant(text, names_) : ""));
    }
    for (const Value& each : rule.values) {
      if (each.known || !any_met) continue;
      all.push_back(fmt::format("{}: none of its events has `{}`{}", rule.name, each.value.text(),
                                meant(each.value.text(), rule.fields)));
    }
  }
  if (all.size() <= kShown) return all;
  const std::size_t more = all.size() - (kShown - 1);
  all.resize(kShown - 1);
  all.push_back(fmt::format("and {} more that met nothing", more));
  return all;
}

}  // namespace tracedeck::timeline
