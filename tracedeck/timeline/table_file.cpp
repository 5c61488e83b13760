// Tables as TOML: read with toml++, written by hand.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// What it asserts of a key without a first character (`[[= "a"`) is an error that it reports.
#define TOML_ASSERT(holds) static_cast<void>(0)
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/timeline/key_depth.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/timeline/table_keys.hpp"
#include "tracedeck/timeline/table_texts.hpp"

namespace tracedeck::timeline {
namespace {

// Reads values of rules; the first thing wrong is kept.
class TableReader {
 public:
  // `lines_before`: of the file, before the text that is parsed.
  TableReader(std::string_view where, std::size_t lines_before)
      : where_(where), lines_before_(lines_before) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void wrong(const toml::source_region& place, std::string_view sentence) {
    wrong(place.begin, sentence);
  }
  void wrong(const toml::source_position& place, std::string_view sentence) {
    if (error_) return;
    error_ = Error{.code = ErrorCode::kInvalidArgument,
                   .message = fmt::format("{}:{}:{}: {}", where_, lines_before_ + place.line,
                                          place.column, sentence)};
  }

  template <class Rule>
  Rule read_rule(const toml::table& from, std::string_view list) {
    Rule rule;
    const auto keys = keys_of<Rule>();
    std::vector<std::string_view> names;
    std::apply(
        [&](const auto&... key) {
          (names.push_back(key.name), ...);
          // A key that is misspelt is one that is missing too.
          check_keys(from, fmt::format("[[{}]]", list), names);
          (read_key(from, list, rule, key), ...);
        },
        keys);
    return rule;
  }

  void check_keys(const toml::table& from, const std::string& what,
                  const std::vector<std::string_view>& names) {
    for (const auto& [key, value] : from) {
      if (std::ranges::find(names, key.str()) != names.end()) continue;
      const std::string_view near = nearest(key.str(), names);
      wrong(key.source(),
            fmt::format("{} has no key `{}`{}", what, key.str(),
                        near.empty() ? fmt::format("; its keys are {}", fmt::join(names, ", "))
                                     : fmt::format("; is `{}` meant?", near)));
    }
  }

  void read(const toml::node& node, std::string_view key, std::string& into) {
    const auto text = node.value_exact<std::string>();
    if (!text) return wrong(node.source(), fmt::format("`{}` is to be a text", key));
    into = *text;
  }

  void read(const toml::node& node, std::string_view key, bool& into) {
    const auto value = node.value_exact<bool>();
    if (!value) return wrong(node.source(), fmt::format("`{}` is to be true or false", key));
    into = *value;
  }

  void wrong_choice(const toml::node& node, std::string_view key, std::string_view text,
                    const std::vector<std::string_view>& names) {
    const std::string_view near = nearest(text, names);
    wrong(node.source(), fmt::format("`{}` is to be one of {}{}", key, fmt::join(names, ", "),
                                     near.empty() ? "" : fmt::format("; is `{}` meant?", near)));
  }

 private:
  template <class Rule, class Member>
  void read_key(const toml::table& from, std::string_view list, Rule& rule,
                const TableKey<Rule, Member>& key) {
    const toml::node* const node = from.get(key.name);
    if (node != nullptr) return read(*node, key.name, rule.*key.member);
    if (key.required)
      wrong(from.source(), fmt::format("[[{}]] needs the key `{}`", list, key.name));
  }

  void read(const toml::node& node, std::string_view key, std::vector<std::string>& into) {
    if (node.is_string()) return read(node, key, into.emplace_back());
    const toml::array* const list = node.as_array();
    if (list == nullptr)
      return wrong(node.source(), fmt::format("`{}` is to be a text or a list of texts", key));
    for (const toml::node& each : *list) read(each, key, into.emplace_back());
  }

  void read(const toml::node& node, std::string_view key, std::vector<KeyPair>& into) {
    std::vector<std::string> texts;
    read(node, key, texts);
    for (const std::string& text : texts) {
      const std::size_t equal = text.find("==");
      if (equal == std::string::npos) {
        into.push_back({text, text});
        continue;
      }
      const std::string a = without_spaces(text.substr(0, equal));
      const std::string b = without_spaces(text.substr(equal + 2));
      if (!a.starts_with("a.") || !b.starts_with("b."))
        return wrong(node.source(),
                     fmt::format("`{}` is to be a field of both events, \"id\", or one of each, "
                                 "\"a.tid == b.next_tid\"",
                                 key));
      into.push_back({a.substr(2), b.substr(2)});
    }
  }

  void read(const toml::node& node, std::string_view key, TrackKind& into) {
    read_choice(node, key, kTrackKindNames, &TrackKindName::kind, into);
  }
  void read(const toml::node& node, std::string_view key, SliceRule::Again& into) {
    read_choice(node, key, kAgainNames, &AgainName::again, into);
  }
  void read(const toml::node& node, std::string_view key, SliceRule::Unmatched& into) {
    read_choice(node, key, kUnmatchedNames, &UnmatchedName::unmatched, into);
  }

  void read(const toml::node& node, std::string_view key, std::vector<CurrentRule::Value>& into) {
    const toml::table* const values = node.as_table();
    if (values == nullptr || values->empty())
      return wrong(node.source(), fmt::format("`{}` is to be like {{ tid = \"next_tid\" }}", key));
    for (const auto& [name, value] : *values) {
      CurrentRule::Value& each = into.emplace_back();
      each.name = name.str();
      read(value, name.str(), each.value);
    }
  }

  template <class Choices, class Value>
  void read_choice(const toml::node& node, std::string_view key, const Choices& choices,
                   Value Choices::value_type::* member, Value& into) {
    std::string text;
    read(node, key, text);
    const auto found = std::ranges::find(choices, text, &Choices::value_type::name);
    if (found != choices.end()) {
      into = (*found).*member;
      return;
    }
    std::vector<std::string_view> names;
    for (const auto& choice : choices) names.push_back(choice.name);
    wrong_choice(node, key, text, names);
  }

  static std::string without_spaces(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.find_last_not_of(' ');
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
  }

  std::string where_;
  std::size_t lines_before_;
  std::optional<Error> error_;
};

void read_applies(TableReader& reader, const toml::node& node, Table& table) {
  const toml::table* const applies = node.as_table();
  if (applies == nullptr)
    return reader.wrong(node.source(),
                        "`applies` is to be like { format = \"ctf\", class = \"my_app:*\" }");
  reader.check_keys(*applies, "`applies`", {"format", "class"});
  if (const toml::node* const format = applies->get("format")) {
    reader.read(*format, "format", table.format);
    if (!table.format.empty() && find_format(table.format) == nullptr) {
      std::vector<std::string_view> names;
      for (const Format* const each : formats()) names.push_back(each->info().name);
      reader.wrong_choice(*format, "format", table.format, names);
    }
  }
  const toml::node* const classes = applies->get("class");
  if (classes == nullptr) return;
  if (classes->is_string()) return reader.read(*classes, "class", table.applies_to.emplace_back());
  if (!classes->is_array())
    return reader.wrong(classes->source(), "`class` is to be a list of texts");
  for (const toml::node& each : *classes->as_array())
    reader.read(each, "class", table.applies_to.emplace_back());
}

// Where a key of a rule is, or the rule that lacks it.
const toml::source_region& source_of(const toml::table& document, std::string_view list,
                                     std::size_t index, std::string_view key) {
  const toml::node* node = document.get(list);
  if (node == nullptr || !node->is_array() || index >= node->as_array()->size())
    return document.source();
  node = node->as_array()->get(index);
  const toml::node* const value = node->is_table() ? node->as_table()->get(key) : nullptr;
  return (value != nullptr ? value : node)->source();
}

// What rules call tracks has to be there.
class TrackCheck {
 public:
  TrackCheck(TableReader& reader, const toml::table& document, const Table& table)
      : reader_(reader), document_(document) {
    for (const TrackRule& track : table.tracks) tracks_.emplace(track.id, &track);
  }

  template <class Rule>
  void check(std::string_view list, std::string_view key, std::string Rule::* member,
             const std::vector<Rule>& rules, bool may_be_empty = false) {
    for (const Rule& rule : rules) {
      if (reader_.error()) return;
      const std::string& id = rule.*member;
      if (tracks_.contains(id) || (id.empty() && may_be_empty)) continue;
      std::vector<std::string_view> names;
      for (const auto& [name, track] : tracks_) names.push_back(name);
      const std::string_view near = nearest(id, names);
      reader_.wrong(
          source_of(document_, list, static_cast<std::size_t>(&rule - rules.data()), key),
          fmt::format("a [[{}]] is on the track `{}`, and there is no [[track]] of that id{}", list,
                      id, near.empty() ? "" : fmt::format("; is `{}` meant?", near)));
    }
  }

  void check_parents(const std::vector<TrackRule>& tracks) {
    for (const TrackRule& track : tracks) {
      if (track.parent.empty()) continue;
      const auto parent = tracks_.find(track.parent);
      if (parent == tracks_.end() || parent->second >= &track)
        reader_.wrong(source_of(document_, "track",
                                static_cast<std::size_t>(&track - tracks.data()), "parent"),
                      fmt::format("the parent `{}` of the track `{}` is to be a [[track]] before "
                                  "it",
                                  track.parent, track.id));
    }
  }

 private:
  TableReader& reader_;
  const toml::table& document_;
  std::map<std::string_view, const TrackRule*> tracks_;  // by id, the first of each
};

void check_tracks(TableReader& reader, const toml::table& document, const Table& table) {
  TrackCheck check(reader, document, table);
  check.check("slice", "track", &SliceRule::track, table.slices);
  check.check("instant", "track", &InstantRule::track, table.instants);
  check.check("counter", "track", &CounterRule::track, table.counters);
  check.check("state", "track", &StateRule::track, table.states);
  check.check("wait", "track", &WaitRule::track, table.waits);
  check.check("slice", "ends_with", &SliceRule::ends_with, table.slices, true);
  check.check("wait", "state", &WaitRule::state, table.waits, true);
  check.check("wait", "flow_track", &WaitRule::flow_track, table.waits, true);
  check.check("flow", "from_track", &FlowRule::from_track, table.flows);
  check.check("flow", "to_track", &FlowRule::to_track, table.flows);
  check.check("schedule", "track", &ScheduleRule::track, table.schedules);
  check.check_parents(table.tracks);
}

toml::source_position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;
  return {.line = static_cast<toml::source_index>(std::ranges::count(before, '\n') + 1),
          .column = static_cast<toml::source_index>(offset - line_begin + 1)};
}

// A table of a file, behind some lines of others.
Result<Table> read_table(std::string_view text, std::string_view where, std::size_t lines_before) {
  TableReader reader(where, lines_before);
  if (const auto deep = find_deep_key(text, kMostKeyParts)) {
    reader.wrong(position_of(text, *deep),
                 fmt::format("a key has more than {} parts", kMostKeyParts));
    return std::unexpected(*reader.error());
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    reader.wrong(parsed.error().source(), std::string(parsed.error().description()));
    return std::unexpected(*reader.error());
  }
  const toml::table& document = parsed.table();
  Table table;
  table.text = text;
  table.file = where;
  table.lines_before = lines_before;
  std::vector<std::string_view> names = {
      "table",           "title",     "applies", "wide_losses", "streams_end_together",
      "streams_overlap", "processor", "optional"};
  for_each_rule_list([&]<class Rule>(std::string_view list, std::vector<Rule> Table::* member) {
    names.push_back(list);
    const toml::node* const node = document.get(list);
    if (node == nullptr) return;
    if (!node->is_array_of_tables())
      return reader.wrong(node->source(), fmt::format("write [[{}]] for each {}", list, list));
    for (const toml::node& each : *node->as_array())
      (table.*member).push_back(reader.read_rule<Rule>(*each.as_table(), list));
  });
  reader.check_keys(document, "a table", names);
  if (const toml::node* const name = document.get("table")) reader.read(*name, "table", table.name);
  if (const toml::node* const title = document.get("title"))
    reader.read(*title, "title", table.title);
  if (const toml::node* const wide = document.get("wide_losses"))
    reader.read(*wide, "wide_losses", table.wide_losses);
  if (const toml::node* const processor = document.get("processor"))
    reader.read(*processor, "processor", table.processor);
  if (const toml::node* const together = document.get("streams_end_together"))
    reader.read(*together, "streams_end_together", table.streams_end_together);
  if (const toml::node* const overlap = document.get("streams_overlap"))
    reader.read(*overlap, "streams_overlap", table.streams_overlap);
  if (const toml::node* const optional = document.get("optional"))
    reader.read(*optional, "optional", table.optional);
  if (const toml::node* const applies = document.get("applies"))
    read_applies(reader, *applies, table);
  if (table.name.empty())
    reader.wrong(document.source(), "a table begins with its name: table = \"my-app\"");
  check_tracks(reader, document, table);
  if (reader.error()) return std::unexpected(*reader.error());
  return table;
}

Result<void> check_size(std::string_view text, std::string_view where) {
  if (text.size() <= kMostTableBytes) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: a file of tables has at most {} bytes", where, kMostTableBytes));
}

// Whether a line says the name of a table.
bool begins_table(std::string_view line) {
  constexpr std::string_view kKey = "table";
  constexpr std::string_view kSpaces = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  if (!line.starts_with(kKey)) return false;
  line.remove_prefix(kKey.size());
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  return line.starts_with('=');
}

// The node that is `text`, or holds it as a part.
const toml::node* find_text(const toml::node& node, std::string_view text, bool whole) {
  if (const auto value = node.value_exact<std::string_view>())
    return (whole ? *value == text : value->contains(text)) ? &node : nullptr;
  const toml::node* found = nullptr;
  const auto look = [&](const toml::node& each) {
    if (found == nullptr) found = find_text(each, text, whole);
  };
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& each : *list) look(each);
  } else if (const toml::table* const values = node.as_table()) {
    for (const auto& [key, value] : *values) look(value);
  }
  return found;
}

}  // namespace

Result<Table> parse_table(std::string_view text, std::string_view where) {
  if (const auto fits = check_size(text, where); !fits) return std::unexpected(fits.error());
  return read_table(text, where, 0);
}

Result<std::vector<Table>> parse_tables(std::string_view text, std::string_view where) {
  if (const auto fits = check_size(text, where); !fits) return std::unexpected(fits.error());
  std::vector<Table> tables;
  std::size_t begin = 0;
  std::size_t lines_before = 0;
  std::size_t line = 0;
  bool named = false;
  const auto read = [&](std::size_t end) -> Result<void> {
    auto table = read_table(text.substr(begin, end - begin), where, lines_before);
    if (!table) return std::unexpected(table.error());
    tables.push_back(*std::move(table));
    begin = end;
    lines_before = line;
    return {};
  };
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (begins_table(text.substr(at, end - at)) && std::exchange(named, true)) {
      if (const auto done = read(at); !done) return std::unexpected(done.error());
    }
    at = end;
  }
  if (const auto done = read(text.size()); !done) return std::unexpected(done.error());
  return tables;
}

std::string place_in_table(const Table& table, std::string_view list, std::size_t index,
                           std::string_view text) {
  if (table.built_in || table.file.empty()) return {};
  const toml::parse_result parsed = toml::parse(table.text);
  if (!parsed) return {};
  const toml::node* rules = parsed.table().get(list);
  const toml::node* place = &parsed.table();
  if (rules != nullptr && rules->is_array() && index < rules->as_array()->size())
    place = rules->as_array()->get(index);
  for (const bool whole : {true, false}) {
    const toml::node* const found = text.empty() ? nullptr : find_text(*place, text, whole);
    if (found == nullptr) continue;
    place = found;
    break;
  }
  return fmt::format("{}:{}:{}", table.file, table.lines_before + place->source().begin.line,
                     place->source().begin.column);
}

const std::vector<Table>& built_in_tables() {
  static const std::vector<Table> kTables = [] {
    std::vector<Table> tables;
    for (const std::string_view text : table_texts()) {
      auto table = parse_table(text, "built-in table");
      if (!table) continue;  // which a test would find
      table->built_in = true;
      tables.push_back(*std::move(table));
    }
    return tables;
  }();
  return kTables;
}

}  // namespace tracedeck::timeline
