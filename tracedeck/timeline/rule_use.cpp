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
  if (rules_.empty()) return;
  Value& added = rules_.back().values.emplace_back();
  added.value = value;
  value.add_to(added.units);
}

void RuleUse::add_text(const RuleTemplate& text, std::size_t classes) {
  if (rules_.empty()) return;
  for (std::vector<RuleTemplate::Need>& ways : text.needs())
    rules_.back().texts.push_back({.ways = std::move(ways), .classes = classes});
}

void RuleUse::add_track(const std::string& id) {
  if (!rules_.empty() && !id.empty()) rules_.back().tracks.push_back(id);
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
    if (!met) continue;
    see(rule, event_class);
    for (const std::string& track : rule.tracks) see_track(track, event_class);
  }
}

// A parent stands before its tracks.
void RuleUse::see_track(std::string_view id, const EventClass& event_class) {
  const auto rule = std::ranges::find(rules_, track_name(id), &Rule::name);
  if (rule == rules_.end()) return;
  see(*rule, event_class);
  for (const std::string& parent : rule->tracks) see_track(parent, event_class);
}

void RuleUse::see(Rule& rule, const EventClass& event_class) const {
  rule.any_met = true;
  const auto is_possible = [&](const RuleValue& value) {
    return BoundValue(value, event_class).possible();
  };
  const std::string_view name = timeline::name_of(event_class);
  for (Value& each : rule.values) {
    each.known = each.known || is_possible(each.value);
    each.units.see(event_class);
    if (each.not_compared.size() < kMostNames && each.units.lacks(event_class))
      each.not_compared.emplace(name);
  }
  for (Text& each : rule.texts) {
    const bool known = std::ranges::any_of(each.ways, [&](const RuleTemplate::Need& way) {
      return std::ranges::all_of(way.values, is_possible);
    });
    each.known = each.known || known;
    const bool is_of_it =
        each.classes < rule.classes.size() && rule.classes[each.classes].matcher.matches(name);
    if (is_of_it && !known && each.lacking.size() < kMostNames) each.lacking.emplace(name);
  }
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr) return;
  for (const Member& member : structure->members) {
    if (rule.fields.size() < kMostNames) rule.fields.emplace(member.name.view());
  }
}

void RuleUse::append_lacking(const Rule& rule, const Text& text, std::vector<std::string>& all) {
  std::vector<std::string_view> ways;
  for (const RuleTemplate::Need& way : text.ways) ways.push_back(way.text);
  const std::string needed = fmt::format("{}", fmt::join(ways, " ?? "));
  const bool is_one = ways.size() == 1 && text.ways.front().values.size() == 1;
  const std::string hint =
      is_one ? meant(text.ways.front().values.front().text(), rule.fields) : "";
  if (rule.is_track && rule.any_met && !text.known)
    all.push_back(fmt::format("{}: none of the events on it has `{}`, which its name needs{}",
                              rule.name, needed, hint));
  for (const std::string& lacking : text.lacking)
    all.push_back(fmt::format("{}: events `{}` have no `{}`, for which `?` stands{}", rule.name,
                              lacking, needed, hint));
}

// What a [[lookup]] was asked for, and never had.
void RuleUse::append_not_found(const Rule& rule, const Text& text, std::vector<std::string>& all) {
  const RuleTemplate::Need& way = text.ways.front();
  if (text.ways.size() != 1 || way.lookup == nullptr) return;
  if (!way.lookup->was_asked || way.lookup->has_found) return;
  std::string hint;
  for (const RuleValue& key : way.values) {
    // `name` is what the event is called, and `.name` a field of it.
    if (hint.empty() && rule.fields.contains(key.text()))
      hint = fmt::format("; is `.{}` meant?", key.text());
  }
  all.push_back(fmt::format("{}: the [[lookup]] never knew `{}`, for which `?` stands{}", rule.name,
                            way.text, hint));
}

// What is compared with a literal of a unit that does not go with it is there all the same.
void RuleUse::append_unknown(const Rule& rule, const Value& value, std::vector<std::string>& all) {
  const std::vector<std::string> units = value.units.sentences();
  for (const std::string& sentence : units)
    all.push_back(fmt::format("{}: {}", rule.name, sentence));
  if (!value.known && units.empty())
    all.push_back(fmt::format("{}: none of its events has `{}`{}", rule.name, value.value.text(),
                              meant(value.value.text(), rule.fields)));
  const auto others = value.units.sentence_of_others();
  if (!others) return;
  for (const std::string& name : value.not_compared)
    all.push_back(
        fmt::format("{}: events `{}` could not be compared: there {}", rule.name, name, *others));
}

std::vector<std::string> RuleUse::sentences() const {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> all;
  for (const Rule& rule : rules_) {
    for (const Classes& each : rule.classes) {
      if (each.met) continue;
      const std::string text = fmt::format("{}", fmt::join(each.globs, "` or `"));
      all.push_back(fmt::format("{}: no event is called `{}`{}", rule.name, text,
                                each.globs.size() == 1 ? meant(text, names_) : ""));
    }
    for (const Value& each : rule.values) {
      if (rule.any_met) append_unknown(rule, each, all);
    }
    for (const Text& each : rule.texts) {
      append_lacking(rule, each, all);
      append_not_found(rule, each, all);
    }
  }
  if (all.size() <= kShown) return all;
  const std::size_t more = all.size() - (kShown - 1);
  all.resize(kShown - 1);
  all.push_back(fmt::format("and {} more that met nothing", more));
  return all;
}

}  // namespace tracedeck::timeline
