#include "tracedeck/timeline/rule_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/parser.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/text_filters.hpp"

namespace tracedeck::timeline {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::unexpected<Error> wrong(std::string sentence) {
  return fail(ErrorCode::kInvalidArgument, std::move(sentence));
}

// What stands between `separator`s outside of brackets.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == ')') --depth;
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      i += separator.size() - 1;
      begin = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

constexpr std::string_view kProcessorName = "processor";

// As the query language says it.
std::string path_of_field(std::string_view name) {
  std::string path = "fields[\"";
  for (const char each : name) {
    if (each == '"' || each == '\\') path += '\\';
    path += each;
  }
  return path + "\"]";
}

// "tid" of "common.tid".
std::string_view last_name(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::optional<std::uint64_t> OddValues::find_or_add(std::string key) {
  const auto found = words_.find(key);
  if (found != words_.end()) return found->second;
  if (words_.size() >= kMost) return std::nullopt;
  const std::uint64_t word = kFirst + words_.size();
  words_.emplace(std::move(key), word);
  return word;
}

std::optional<std::uint64_t> OddValues::word_of(const query::Value& value) {
  if (value.kind == query::Value::Kind::kInteger) {
    const auto bits = static_cast<std::uint64_t>(value.integer);
    const bool fits = value.integer.to_unsigned() || value.integer.to_signed();
    if (fits && bits < kFirst) return bits;
  }
  std::string key;
  if (!query::encode_equal(key, value)) return std::nullopt;
  return find_or_add(std::move(key));
}

std::optional<std::uint64_t> OddValues::word_of_text(std::string_view text) {
  return word_of(query::Value::of(text));
}

std::uint64_t trace_of(const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  return stream_class == nullptr || stream_class->trace == nullptr
             ? 0
             : stream_class->trace->same_trace();
}

std::optional<std::string> RuleMemory::Lookup::find(const std::uint64_t* key) const {
  const std::uint32_t number = keys.find(key);
  if (number == 0) return std::nullopt;
  if (!has_ranges) return texts[number - 1];
  const std::uint64_t place = key[keys.words()];
  const std::deque<Range>& known = ranges[number - 1];
  const auto found = std::find_if(known.rbegin(), known.rend(), [&](const Range& range) {
    return place >= range.begin && place - range.begin < range.size;
  });
  if (found == known.rend()) return std::nullopt;
  return fmt::format("{}+{:#x}", found->text, place - found->begin);
}

Result<RuleValue> RuleValue::parse(const std::string& text, const RuleNames& names) {
  RuleValue value;
  value.text_ = text;
  if (text.starts_with("env.") && text.find("??") == std::string::npos) {
    value.kind_ = Kind::kEnvironment;
    value.environment_ = text.substr(4);
    return value;
  }
  if (text == "stream.file") {
    value.kind_ = Kind::kStreamFile;
    return value;
  }
  if (text.starts_with('@')) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos)
      return wrong(fmt::format("`{}` is to be like @KEY=VALUE, an attribute of a field", text));
    value.kind_ = Kind::kAnnotated;
    value.annotation_ = {.key = text.substr(1, equal - 1), .value = text.substr(equal + 1)};
    return value;
  }
  if (text == kProcessorName && !names.processor.empty()) {
    auto said = parse(names.processor, {});
    if (!said) return said;
    value.kind_ = Kind::kProcessor;
    value.of_.push_back(*std::move(said));
    return value;
  }
  if (text.starts_with("current.") && text.find("??") == std::string::npos) {
    const auto found = names.currents.find(text.substr(8));
    if (found == names.currents.end())
      return wrong(fmt::format("no [[current]] sets `{}`", text.substr(8)));
    value.kind_ = Kind::kCurrent;
    value.current_ = found->second;
    for (const std::string& each : *found->second.of) {
      auto of = parse(each, names);
      if (!of) return of;
      value.of_.push_back(*std::move(of));
    }
    return value;
  }
  if (text.find("current.") != std::string::npos && text.find("??") != std::string::npos) {
    value.kind_ = Kind::kFirstKnown;
    const std::vector<std::string_view> parts = split(text, "??");
    if (parts.size() == 1)
      return wrong(fmt::format("`{}`: current.NAME stands alone, or beside ??", text));
    for (const std::string_view each : parts) {
      auto of = parse(std::string(each), names);
      if (!of) return of;
      value.of_.push_back(*std::move(of));
      if (value.of_.size() <= 64 && last_name(each) == last_name(value.of_.front().text_))
        value.like_first_ |= std::uint64_t{1} << (value.of_.size() - 1);
    }
    return value;
  }
  auto parsed = query::parse_expression(text);
  if (!parsed) return std::unexpected(parsed.error());
  auto matchers = std::make_shared<query::Matchers>();
  if (auto added = matchers->add(**parsed, text); !added) return std::unexpected(added.error());
  value.expression_ = *std::move(parsed);
  value.matchers_ = std::move(matchers);
  return value;
}

std::optional<RuleValue> RuleValue::of_field(std::string_view name) {
  auto made = parse(path_of_field(name), {});
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

const Member* RuleValue::field_in(const EventClass& event_class) const {
  const auto* const payload =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (payload == nullptr) return nullptr;
  const auto only = [&](const auto& is_meant) -> const Member* {
    const auto first = std::ranges::find_if(payload->members, is_meant);
    if (first == payload->members.end()) return nullptr;
    const bool is_only =
        std::find_if(std::next(first), payload->members.end(), is_meant) == payload->members.end();
    return is_only ? &*first : nullptr;
  };
  if (kind_ == Kind::kAnnotated) {
    return only([this](const Member& member) {
      return std::ranges::any_of(member.attributes, [this](const Attribute& each) {
        return each.key == annotation_.key && each.value == annotation_.value;
      });
    });
  }
  if (kind_ != Kind::kExpression || expression_->operation != query::Operator::kPath)
    return nullptr;
  const query::Path& path = expression_->path;
  const bool is_of_payload =
      path.root == query::Root::kAnyField || path.root == query::Root::kPayload;
  if (!is_of_payload || path.steps.size() != 1) return nullptr;
  return only([&](const Member& member) { return member.name == path.steps.front().name; });
}

std::string RuleValue::text_before_last() const {
  const std::string_view text = text_;
  return std::string(trimmed(text.substr(0, text.rfind("??"))));
}

BoundValue::BoundValue(const RuleValue& value, const EventClass& event_class)
    : expression_(value.expression_), matchers_(value.matchers_) {
  const TraceDescription* const trace =
      event_class.stream_class == nullptr ? nullptr : event_class.stream_class->trace;
  if (trace != nullptr) names_ = &trace->value_names();
  switch (value.kind_) {
    case RuleValue::Kind::kEnvironment:
      if (trace == nullptr) return;
      for (const Attribute& entry : trace->environment()) {
        if (entry.key != value.environment_) continue;
        kind_ = Kind::kConstant;
        constant_ = entry.value;
      }
      return;
    case RuleValue::Kind::kStreamFile:
      kind_ = Kind::kStreamFile;
      return;
    case RuleValue::Kind::kCurrent:
      kind_ = Kind::kCurrent;
      current_ = value.current_;
      trace_ = trace_of(event_class);
      for (const RuleValue& each : value.of_) {
        of_.emplace_back(each, event_class);
        if (!of_.back().possible()) kind_ = Kind::kNever;
      }
      return;
    case RuleValue::Kind::kFirstKnown:
      like_first_ = value.like_first_;
      for (const RuleValue& each : value.of_) {
        of_.emplace_back(each, event_class);
        if (of_.back().possible()) kind_ = Kind::kFirstKnown;
      }
      return;
    case RuleValue::Kind::kProcessor:
      kind_ = Kind::kProcessor;
      of_.emplace_back(value.of_.front(), event_class);
      trace_ = trace_of(event_class);
      return;
    case RuleValue::Kind::kAnnotated:
      if (const Member* const field = value.field_in(event_class)) {
        if (const auto named = RuleValue::of_field(field->name))
          *this = BoundValue(*named, event_class);
      }
      return;
    case RuleValue::Kind::kExpression:
      break;
  }
  if (expression_->operation == query::Operator::kPath) {
    const auto field = query::find_field(event_class, expression_->path);
    const auto slot = field ? query::direct_slot(*field, event_class) : std::nullopt;
    if (slot) {
      kind_ = Kind::kSlot;
      slot_ = *slot;
      field_class_ = field->field_class;
      return;
    }
  }
  constants_ = std::make_unique<std::deque<std::string>>();
  node_ = query::bind(*expression_, event_class, {.matchers = *matchers_, .texts = *constants_});
  const bool never = node_.kind == query::BoundNode::Kind::kConstant && !node_.constant.known();
  kind_ = never ? Kind::kNever : Kind::kNode;
}

std::optional<query::Value> BoundValue::constant() const {
  if (kind_ == Kind::kConstant) return query::Value::of(std::string_view(constant_));
  if (kind_ == Kind::kNode && node_.kind == query::BoundNode::Kind::kConstant)
    return node_.constant;
  return std::nullopt;
}

const RuleMemory::Kept* BoundValue::kept(const Event& event, ValueScope& scope) const {
  std::array<std::uint64_t, KeyTable::kMostWords> key = {};
  if (!read_key(of_, event, scope, key.data())) return nullptr;
  key[of_.size()] = trace_;
  RuleMemory::Current& current = scope.memory->currents[current_.current];
  const std::uint32_t number = current.keys.find(key.data());
  if (number == 0) return nullptr;
  const RuleMemory::CurrentValues& found = current.values[number - 1];
  if (!current.lasting && scope.marking->lost_since(found.number, found.stream)) return nullptr;
  return &found.values[current_.member];
}

query::Value BoundValue::read(const Event& event, ValueScope& scope) const {
  switch (kind_) {
    case Kind::kNever:
      return {};
    case Kind::kSlot:
      return query::value_of(&slot_.in(event), field_class_, names_);
    case Kind::kNode:
      return query::evaluate(node_, {.event = &event, .names = names_, .texts = &scope.texts});
    case Kind::kCurrent: {
      const RuleMemory::Kept* const found = kept(event, scope);
      return found == nullptr ? query::Value() : found->value;
    }
    case Kind::kStreamFile:
      if (event.stream == nullptr || event.stream->file.empty()) return {};
      return query::Value::of(std::string_view(event.stream->file));
    case Kind::kFirstKnown:
      for (const BoundValue& each : of_) {
        if (const query::Value value = each.read(event, scope); value.known()) return value;
      }
      return {};
    case Kind::kProcessor: {
      if (const query::Value said = of_.front().read(event, scope); said.known()) return said;
      RuleMemory::Processor& processor = scope.memory->processor(trace_);
      if (processor.are_several) {
        processor.is_unknown = true;
        return {};
      }
      processor.is_assumed = true;
      return query::Value::of(Integer::from(processor.number));
    }
    case Kind::kConstant:
      return query::Value::of(std::string_view(constant_));
  }
  return {};
}

bool BoundValue::odd_word(const Event& event, ValueScope& scope, std::uint64_t& into) const {
  if (kind_ == Kind::kFirstKnown) {
    // Alternatives of other names are of other kinds: their numbers are not those of the first.
    for (std::size_t i = 0; i < of_.size(); ++i) {
      std::uint64_t word = 0;
      if (!of_[i].word(event, scope, word)) continue;
      if (i < 64 && (like_first_ >> i & 1U) != 0) {
        into = word;
        return true;
      }
      const auto mixed = scope.memory->odd.word_of_text(fmt::format("{}: {}", i, word));
      into = mixed.value_or(0);
      return mixed.has_value();
    }
    return false;
  }
  const query::Value value = read(event, scope);
  if (!value.known()) return false;
  const auto word = scope.memory->odd.word_of(value);
  if (!word) return false;
  into = *word;
  return true;
}

// "x|hex" without the filter, which is set. `||` is part of an expression, and `|` in parentheses.
Result<std::string_view> RuleTemplate::take_filter(std::string_view text, Filter& filter) {
  const std::size_t bar = text.rfind('|');
  if (bar == std::string_view::npos || (bar != 0 && text[bar - 1] == '|')) return text;
  const std::string_view name = trimmed(text.substr(bar + 1));
  if (name.find_first_of(")]\"'") != std::string_view::npos) return text;
  filter = {.text = find_text_filter(name), .is_linux_state = name == kLinuxStateFilter};
  if (filter.text == nullptr && !filter.is_linux_state) return wrong(unknown_filter_text(name));
  return trimmed(text.substr(0, bar));
}

Result<RuleTemplate::Alternative> RuleTemplate::parse_alternative(std::string_view text,
                                                                  const RuleNames& names) {
  Alternative alternative;
  const auto unfiltered = take_filter(text, alternative.filter);
  if (!unfiltered) return std::unexpected(unfiltered.error());
  text = *unfiltered;
  alternative.text = text;
  const std::size_t bracket = text.find('[');
  const auto lookup = bracket == std::string_view::npos || !text.ends_with(']')
                          ? names.lookups.end()
                          : names.lookups.find(std::string(trimmed(text.substr(0, bracket))));
  if (lookup == names.lookups.end()) {
    auto value = RuleValue::parse(std::string(text), names);
    if (!value) return std::unexpected(value.error());
    alternative.value = *std::move(value);
    return alternative;
  }
  alternative.lookup = lookup->second.lookup;
  alternative.use = std::make_shared<LookupUse>();
  for (const std::string_view key :
       split(text.substr(bracket + 1, text.size() - bracket - 2), ",")) {
    auto value = RuleValue::parse(std::string(key), names);
    if (!value) return std::unexpected(value.error());
    alternative.keys.push_back(*std::move(value));
  }
  if (alternative.keys.size() != lookup->second.keys)
    return wrong(fmt::format("`{}`: the [[lookup]] has {} keys", text, lookup->second.keys));
  return alternative;
}

Result<RuleTemplate> RuleTemplate::parse(const std::string& text, const RuleNames& names) {
  RuleTemplate result;
  std::string_view rest = text;
  while (!rest.empty()) {
    Part& part = result.parts_.emplace_back();
    const std::size_t open = rest.find('{');
    part.text = rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos)
      return wrong(fmt::format("`{}` has a {{ without its }}", text));
    for (const std::string_view each : split(rest.substr(open + 1, close - open - 1), "??")) {
      auto alternative = parse_alternative(each, names);
      if (!alternative) return std::unexpected(alternative.error());
      part.alternatives.push_back(*std::move(alternative));
    }
    rest.remove_prefix(close + 1);
  }
  return result;
}

std::vector<std::vector<RuleTemplate::Need>> RuleTemplate::needs() const {
  std::vector<std::vector<Need>> all;
  for (const Part& part : parts_) {
    std::vector<Need> ways;
    for (const Alternative& each : part.alternatives) {
      Need need{.text = each.text, .values = each.keys, .lookup = each.use};
      if (each.value) need.values.push_back(*each.value);
      ways.push_back(std::move(need));
    }
    if (!ways.empty()) all.push_back(std::move(ways));
  }
  return all;
}

namespace {

PlaceRange range_behind(std::string_view before, std::string_view place) {
  return {.begin = static_cast<std::uint32_t>(before.size()),
          .size = static_cast<std::uint32_t>(place.size())};
}

}  // namespace

BoundTemplate::BoundTemplate(const RuleTemplate& from, const EventClass& event_class)
    : trace_(trace_of(event_class)) {
  const auto append_text = [&](std::string_view text, bool is_place = false) {
    if (parts_.empty() || !parts_.back().fixed) parts_.emplace_back();
    Part& part = parts_.back();
    if (is_place && part.place.size == 0) part.place = range_behind(part.text, text);
    part.text += text;
  };
  for (const RuleTemplate::Part& part : from.parts_) {
    append_text(part.text);
    if (part.alternatives.empty()) continue;
    Part bound{.text = {}, .alternatives = {}, .fixed = false};
    for (const RuleTemplate::Alternative& each : part.alternatives) {
      Alternative alternative;
      alternative.filter = each.filter.text;
      if (each.filter.is_linux_state)
        alternative.states = std::make_unique<LinuxStates>(
            event_class.stream_class == nullptr ? nullptr : event_class.stream_class->trace);
      alternative.lookup = each.lookup;
      alternative.use = each.use;
      if (each.value) alternative.value = BoundValue(*each.value, event_class);
      bool possible = each.lookup || alternative.value.possible();
      for (const RuleValue& key : each.keys) {
        alternative.keys.emplace_back(key, event_class);
        possible = possible && alternative.keys.back().possible();
      }
      if (possible) bound.alternatives.push_back(std::move(alternative));
    }
    if (bound.alternatives.empty()) {
      append_text("?");
      lacks_ = true;
    } else if (const auto constant = constant_of(bound.alternatives.front())) {
      const TextFilter* const filter = bound.alternatives.front().filter;
      append_text(*constant, filter != nullptr && filter->is_place);
    } else {
      parts_.push_back(std::move(bound));
    }
  }
  if (parts_.empty()) parts_.emplace_back();
}

std::optional<std::string> BoundTemplate::constant_of(const Alternative& alternative) {
  const auto value = alternative.lookup ? std::nullopt : alternative.value.constant();
  if (!value || alternative.states != nullptr) return std::nullopt;
  return alternative.filter == nullptr ? to_text(*value)
                                       : alternative.filter->apply(to_text(*value));
}

const BoundValue* BoundTemplate::only_value() const {
  const Part* varying = nullptr;
  for (const Part& part : parts_) {
    if (part.fixed) continue;
    if (varying != nullptr) return nullptr;
    varying = &part;
  }
  if (varying == nullptr || varying->alternatives.size() != 1) return nullptr;
  const Alternative& only = varying->alternatives.front();
  return only.lookup || only.states != nullptr ? nullptr : &only.value;
}

std::optional<RuleText> BoundTemplate::text_of(const Alternative& alternative, const Event& event,
                                               ValueScope& scope) const {
  const TextFilter* const filter = alternative.filter;
  std::string text;
  if (alternative.lookup) {
    const RuleMemory::Lookup& lookup = scope.memory->lookups[*alternative.lookup];
    // The key, the trace, and the place where there are ranges.
    std::array<std::uint64_t, KeyTable::kMostWords + 1> key = {};
    if (!read_key(alternative.keys, event, scope, key.data())) return std::nullopt;
    const std::size_t last = lookup.keys.words() - 1;
    if (lookup.has_ranges) key[last + 1] = key[last];
    key[last] = trace_;
    auto found = lookup.find(key.data());
    alternative.use->was_asked = true;
    alternative.use->has_found = alternative.use->has_found || found.has_value();
    if (!found) return std::nullopt;
    text = *std::move(found);
  } else {
    const query::Value value = alternative.value.read(event, scope);
    if (!value.known()) return std::nullopt;
    text = to_text(value);
    if (filter != nullptr && filter->is_numbered && value.has_name) {
      text = numbered_place(text, value.integer.to_string());
      return RuleText{.text = text, .place = range_behind({}, text)};
    }
  }
  if (alternative.states != nullptr) return RuleText{.text = alternative.states->name(text)};
  if (filter == nullptr) return RuleText{.text = std::move(text)};
  std::string filtered = filter->apply(text);
  if (filtered.empty() && (!text.empty() || filter->is_unknown_if_empty)) return std::nullopt;
  const PlaceRange place = filter->is_place ? range_behind({}, filtered) : PlaceRange();
  return RuleText{.text = std::move(filtered), .place = place};
}

RuleText BoundTemplate::text(const Event& event, ValueScope& scope) const {
  RuleText made;
  const auto append = [&made](std::string_view text, PlaceRange place) {
    if (place.size != 0 && made.place.size == 0) {
      made.place = place;
      made.place.begin += static_cast<std::uint32_t>(made.text.size());
    }
    made.text += text;
  };
  for (const Part& part : parts_) {
    append(part.text, part.place);
    if (part.fixed) continue;
    std::optional<RuleText> value;
    for (const Alternative& each : part.alternatives) {
      value = text_of(each, event, scope);
      if (value) break;
    }
    append(value ? value->text : "?", value ? value->place : PlaceRange());
  }
  return made;
}

bool BoundTemplate::is_known(const Event& event, ValueScope& scope) const {
  return !lacks_ && std::ranges::all_of(parts_, [&](const Part& part) {
    return part.fixed || std::ranges::any_of(part.alternatives, [&](const Alternative& each) {
             return text_of(each, event, scope).has_value();
           });
  });
}

bool read_long_key(const std::vector<BoundValue>& values, const Event& event, ValueScope& scope,
                   std::uint64_t* words) {
  for (const BoundValue& value : values) {
    if (!value.word(event, scope, *words++)) return false;
  }
  return true;
}

std::string to_text(const query::Value& value) {
  using Kind = query::Value::Kind;
  if (value.has_name) return std::string(value.text);
  if (value.labels != nullptr) {
    std::string label;
    (void)query::any_text(value, [&](std::string_view text) {
      label = text;
      return true;
    });
    if (!label.empty()) return label;
  }
  switch (value.kind) {
    case Kind::kBoolean:
      return value.boolean ? "true" : "false";
    case Kind::kInteger:
      return value.integer.to_string();
    case Kind::kReal:
      return fmt::format("{}", value.real);
    case Kind::kText:
      return std::string(value.text);
    default:
      return "?";
  }
}

}  // namespace tracedeck::timeline
