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

namespace tracedeck::timeline {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The part of a path behind its first "src/" directory; all of it where there is none.
std::string_view behind_source(std::string_view path) {
  if (path.starts_with("src/")) return path.substr(4);
  const std::size_t source = path.find("/src/");
  return source == std::string_view::npos ? path : path.substr(source + 5);
}

// A package as directories of Cargo call it, without "-1.2.3" or "-0a1b2c".
std::string_view without_version(std::string_view package, bool is_hash) {
  if (is_hash) return package.substr(0, package.rfind('-'));
  for (std::size_t dash = package.find('-'); dash != std::string_view::npos;
       dash = package.find('-', dash + 1)) {
    if (dash + 1 < package.size() && package[dash + 1] >= '0' && package[dash + 1] <= '9')
      return package.substr(0, dash);
  }
  return package;
}

// Where the sources of packages lie: behind `root` so many directories, then that of the package.
struct SourceRoot {
  std::string_view root;
  int above;   // directories before the package's
  int within;  // directories in it before its own
  bool is_hash;
};
constexpr auto kSourceRoots = std::to_array<SourceRoot>({
    {"/registry/src/", 1, 0, false},
    {"/git/checkouts/", 0, 1, true},
});

std::string_view take_directory(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view directory = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return directory;
}

// A line of source for people: "examples/app/src/main.rs:220:14" is "main.rs:220", and of what is
// not of the program itself the package is named before it: "hyper-util rt/tokio.rs:115".
std::string short_source(std::string_view location) {
  std::string text(location);
  std::ranges::replace(text, '\\', '/');
  std::string_view path = text;
  const std::size_t column = path.rfind(':');
  if (column != std::string_view::npos && is_number(path.substr(column + 1))) {
    const std::size_t line = path.rfind(':', column - 1);
    if (column != 0 && line != std::string_view::npos &&
        is_number(path.substr(line + 1, column - line - 1)))
      path = path.substr(0, column);
  }
  for (const SourceRoot& each : kSourceRoots) {
    const std::size_t root = path.find(each.root);
    if (root == std::string_view::npos) continue;
    std::string_view rest = path.substr(root + each.root.size());
    for (int i = 0; i < each.above; ++i) take_directory(rest);
    const std::string_view package = take_directory(rest);
    for (int i = 0; i < each.within; ++i) take_directory(rest);
    if (!rest.empty())
      return fmt::format("{} {}", without_version(package, each.is_hash), behind_source(rest));
  }
  if (const std::size_t library = path.find("/library/");
      library != std::string_view::npos && path.substr(0, library).contains("/rustc/")) {
    std::string_view rest = path.substr(library + 9);
    const std::string_view package = take_directory(rest);
    return fmt::format("{} {}", package, behind_source(rest));
  }
  const std::size_t source = path.rfind("/src/");
  if (source != std::string_view::npos) return std::string(path.substr(source + 5));
  return std::string(path.starts_with("src/") ? path.substr(4) : last_component(path));
}

// Of "SpanEnter:app::module::function:src/file.rs:26" what is called "function".
std::string span_name(std::string_view name) {
  for (const std::string_view prefix : {"SpanEnter:", "SpanExit:"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  // A single colon ends the path of the function.
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] != ':') continue;
    if (name[i + 1] == ':') {
      ++i;
      continue;
    }
    name = name.substr(0, i);
    break;
  }
  const std::size_t last = name.rfind("::");
  return std::string(last == std::string_view::npos ? name : name.substr(last + 2));
}

std::string hexadecimal(std::string_view number) {
  std::uint64_t value = 0;
  for (const char digit : number) {
    if (digit < '0' || digit > '9') return std::string(number);
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return fmt::format("{:#x}", value);
}

// Workers of Tokio by their numbers, two of which stand for something else.
std::string worker_name(std::string_view number) {
  if (number == "254") return "blocking pool";
  return number == "255" ? "no worker" : fmt::format("worker {}", number);
}

// What a thread of Linux does that does not run, by `prev_state`.
std::string linux_state(std::string_view number) {
  struct State {
    unsigned bit;
    std::string_view name;
  };
  static constexpr auto kStates = std::to_array<State>({{1, "sleeping"},
                                                        {2, "uninterruptible"},
                                                        {4, "stopped"},
                                                        {8, "stopped"},
                                                        {16, "dead"},
                                                        {32, "dead"},
                                                        {64, "sleeping"}});
  std::uint64_t bits = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, bits).ptr != end) return std::string(number);
  // What is none of these still wants to run.
  const auto found =
      std::ranges::find_if(kStates, [&](const State& each) { return (bits & each.bit) != 0; });
  return std::string(found == kStates.end() ? "runnable" : found->name);
}

// Softirqs of Linux by their vectors.
std::string softirq_name(std::string_view vector) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
                                       "TASKLET", "SCHED", "HRTIMER", "RCU"});
  if (vector.size() != 1 || vector[0] < '0' || vector[0] > '9') return std::string(vector);
  return std::string(kNames[static_cast<std::size_t>(vector[0] - '0')]);
}

// A number of nanoseconds with the largest unit that it is whole in.
std::string plain_duration(std::string_view number) {
  for (const auto& [zeros, unit] :
       {std::pair<std::size_t, std::string_view>{9, "s"}, {6, "ms"}, {3, "us"}}) {
    if (number.size() > zeros && number.ends_with(std::string(zeros, '0')))
      return fmt::format("{}{}", number.substr(0, number.size() - zeros), unit);
  }
  return fmt::format("{}ns", number);
}

// The beginning of a text, without half a character at its end.
std::string beginning(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end));
}

// What has a number and no name is called after its kind.
std::string numbered(std::string_view kind, std::string_view name) {
  return is_number(name) ? fmt::format("{} {}", kind, name) : std::string(name);
}

std::string before_enter(std::string_view name) {
  for (const std::string_view ending : {"_enter", "_exit", "_blocking"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name);
}

struct NamedFilter {
  std::string_view name;
  std::string (*apply)(std::string_view);
};
constexpr auto kFilters = std::to_array<NamedFilter>({
    {"source", short_source},
    {"span", span_name},
    {"file", [](std::string_view path) { return std::string(last_component(path)); }},
    {"hex", hexadecimal},
    {"worker", worker_name},
    {"linux_state", linux_state},
    {"softirq", softirq_name},
    {"duration", plain_duration},
    {"first80", beginning},
    {"named", [](std::string_view name) { return is_number(name) ? "" : std::string(name); }},
    {"linux_thread",
     [](std::string_view tid) {
       return tid == "0" ? std::string("idle") : fmt::format("thread {}", tid);
     }},
    {"task", [](std::string_view name) { return numbered("task", name); }},
    {"queue", [](std::string_view name) { return numbered("queue", name); }},
    {"before_enter", before_enter},
    {"syscall",
     [](std::string_view text) {
       for (const std::string_view prefix :
            {"syscall_entry_", "syscall_exit_", "compat_syscall_entry_", "compat_syscall_exit_"}) {
         if (text.starts_with(prefix)) return std::string(text.substr(prefix.size()));
       }
       return std::string(text);
     }},
});

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
    for (const std::string_view each : split(text, "??")) {
      auto of = parse(std::string(each), names);
      if (!of) return of;
      value.of_.push_back(*std::move(of));
    }
    return value;
  }
  auto parsed = query::parse_expression(text);
  if (!parsed) return std::unexpected(parsed.error());
  auto matchers = query::make_matchers(**parsed, text);
  if (!matchers) return std::unexpected(matchers.error());
  value.expression_ = *std::move(parsed);
  value.matchers_ = std::make_shared<const query::Matchers>(*std::move(matchers));
  return value;
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
    case RuleValue::Kind::kCurrent:
      kind_ = Kind::kCurrent;
      current_ = value.current_;
      for (const RuleValue& each : value.of_) {
        of_.emplace_back(each, event_class);
        if (!of_.back().possible()) kind_ = Kind::kNever;
      }
      return;
    case RuleValue::Kind::kFirstKnown:
      for (const RuleValue& each : value.of_) {
        of_.emplace_back(each, event_class);
        if (of_.back().possible()) kind_ = Kind::kFirstKnown;
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
    case Kind::kFirstKnown:
      for (const BoundValue& each : of_) {
        if (const query::Value value = each.read(event, scope); value.known()) return value;
      }
      return {};
    case Kind::kConstant:
      return query::Value::of(std::string_view(constant_));
  }
  return {};
}

bool BoundValue::odd_word(const Event& event, ValueScope& scope, std::uint64_t& into) const {
  if (kind_ == Kind::kFirstKnown) {
    // The alternatives are of different kinds: the same number of two of them is not the same.
    for (std::size_t i = 0; i < of_.size(); ++i) {
      std::uint64_t word = 0;
      if (!of_[i].word(event, scope, word)) continue;
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
    for (std::string_view each : split(rest.substr(open + 1, close - open - 1), "??")) {
      Alternative& alternative = part.alternatives.emplace_back();
      const std::size_t bar = each.rfind('|');
      if (bar != std::string_view::npos) {
        const std::string_view name = trimmed(each.substr(bar + 1));
        const auto filter = std::ranges::find(kFilters, name, &NamedFilter::name);
        if (filter != kFilters.end()) {
          alternative.filter = filter->apply;
          each = trimmed(each.substr(0, bar));
        }
      }
      const std::size_t bracket = each.find('[');
      const auto lookup = bracket == std::string_view::npos || !each.ends_with(']')
                              ? names.lookups.end()
                              : names.lookups.find(std::string(trimmed(each.substr(0, bracket))));
      if (lookup == names.lookups.end()) {
        auto value = RuleValue::parse(std::string(each), names);
        if (!value) return std::unexpected(value.error());
        alternative.value = *std::move(value);
        continue;
      }
      alternative.lookup = lookup->second.lookup;
      for (const std::string_view key :
           split(each.substr(bracket + 1, each.size() - bracket - 2), ",")) {
        auto value = RuleValue::parse(std::string(key), names);
        if (!value) return std::unexpected(value.error());
        alternative.keys.push_back(*std::move(value));
      }
      if (alternative.keys.size() != lookup->second.keys)
        return wrong(fmt::format("`{}`: the [[lookup]] has {} keys", each, lookup->second.keys));
    }
    rest.remove_prefix(close + 1);
  }
  return result;
}

BoundTemplate::BoundTemplate(const RuleTemplate& from, const EventClass& event_class) {
  const auto append_text = [&](std::string_view text) {
    if (parts_.empty() || !parts_.back().fixed) parts_.emplace_back();
    parts_.back().text += text;
  };
  for (const RuleTemplate::Part& part : from.parts_) {
    append_text(part.text);
    if (part.alternatives.empty()) continue;
    Part bound{.text = {}, .alternatives = {}, .fixed = false};
    for (const RuleTemplate::Alternative& each : part.alternatives) {
      Alternative alternative;
      alternative.filter = each.filter;
      alternative.lookup = each.lookup;
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
      append_text(*constant);
    } else {
      parts_.push_back(std::move(bound));
    }
  }
  if (parts_.empty()) parts_.emplace_back();
}

std::optional<std::string> BoundTemplate::constant_of(const Alternative& alternative) {
  const auto value = alternative.lookup ? std::nullopt : alternative.value.constant();
  if (!value) return std::nullopt;
  return alternative.filter == nullptr ? to_text(*value) : alternative.filter(to_text(*value));
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
  return only.lookup ? nullptr : &only.value;
}

std::optional<std::string> BoundTemplate::text_of(const Alternative& alternative,
                                                  const Event& event, ValueScope& scope) const {
  std::optional<std::string> text;
  if (alternative.lookup) {
    std::array<std::uint64_t, KeyTable::kMostWords> key = {};
    if (!read_key(alternative.keys, event, scope, key.data())) return std::nullopt;
    text = scope.memory->lookups[*alternative.lookup].find(key.data());
    if (!text) return std::nullopt;
  } else {
    const query::Value value = alternative.value.read(event, scope);
    if (!value.known()) return std::nullopt;
    text = to_text(value);
  }
  if (alternative.filter == nullptr) return text;
  std::string filtered = alternative.filter(*text);
  if (filtered.empty() && !text->empty()) return std::nullopt;
  return filtered;
}

std::string BoundTemplate::text(const Event& event, ValueScope& scope) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.text;
    if (part.fixed) continue;
    std::optional<std::string> value;
    for (const Alternative& each : part.alternatives) {
      value = text_of(each, event, scope);
      if (value) break;
    }
    text += value.value_or("?");
  }
  return text;
}

bool BoundTemplate::is_known(const Event& event, ValueScope& scope) const {
  return !lacks_ && std::ranges::all_of(parts_, [&](const Part& part) {
    return part.fixed || std::ranges::any_of(part.alternatives, [&](const Alternative& each) {
             return text_of(each, event, scope).has_value();
           });
  });
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
