#include "tracedeck/timeline/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/rule_parts.hpp"
#include "tracedeck/timeline/table_keys.hpp"

namespace tracedeck::timeline {
namespace {

// What begins a pair, and what may end it.
struct Endings {
  std::string_view begin;
  std::array<std::string_view, 3> ends;  // as many as are not empty
};
constexpr auto kEndings = std::to_array<Endings>({
    {"_begin", {"_end"}},
    {"_start", {"_stop", "_end", "_done"}},
    {"_enter", {"_exit"}},
    {"_entry", {"_exit"}},
    {":begin", {":end"}},
    {":start", {":stop", ":end", ":done"}},
    {":enter", {":exit"}},
    {":entry", {":exit"}},
    {"Begin", {"End"}},
    {"Start", {"Stop", "End", "Done"}},
    {"Enter", {"Exit"}},
});

// What stands before an ending; empty: it has not that ending.
std::string_view prefix_of(std::string_view name, std::string_view ending) {
  if (ending.empty() || !name.ends_with(ending)) return {};
  return name.substr(0, name.size() - ending.size());
}

const StructureClass* structure(const FieldClassPtr& field_class) {
  return field_class == nullptr ? nullptr : field_class->as<StructureClass>();
}

bool has_member(const FieldClassPtr& field_class, std::string_view name) {
  const StructureClass* const members = structure(field_class);
  return members != nullptr && std::ranges::any_of(members->members, [&](const Member& member) {
           return member.name.view() == name;
         });
}

bool has_context(const EventClass& event_class, std::string_view name) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  return has_member(event_class.specific_context, name) ||
         (stream_class != nullptr && has_member(stream_class->common_context, name));
}

// Whether a field says which of several things it is about.
bool identifies(std::string_view name) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"id", "Id", "ID", "handle", "Handle", "ptr", "Ptr"});
  return std::ranges::any_of(kWords, [&](std::string_view word) { return name.ends_with(word); });
}

bool is_simple(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char byte) {
    return std::isalnum(byte) != 0 || byte == '_';
  });
}

// The track of the thread that an event is of, as far as its contexts or its stream say.
TrackRule thread_track(const Event& event) {
  const EventClass& event_class = *event.event_class;
  TrackRule track{.id = "thread", .kind = TrackKind::kThread};
  const bool has_vtid = has_context(event_class, "vtid");
  const bool has_tid = has_context(event_class, "tid");
  if (has_vtid || has_tid) {
    const std::string tid = has_vtid ? "vtid" : "tid";
    const std::string pid = has_vtid ? "vpid" : "pid";
    const std::string process = has_context(event_class, "procname") ? "{procname} " : "thread ";
    if (has_context(event_class, pid)) {
      track.key.push_back(pid);
      track.pid = pid;
    }
    track.key.push_back(tid);
    track.tid = tid;
    track.name = fmt::format("{}{{{}}}", process, tid);
    return track;
  }
  track.kind = TrackKind::kLanes;
  track.name = "events";
  const DataStream* const stream = event.stream;
  if (stream == nullptr || stream->stream_class == nullptr) return track;
  if (has_member(stream->stream_class->packet_context, "cpu_id")) {
    track.name = "cpu {packet.cpu_id}";
    track.key = {"packet.cpu_id"};
    track.kind = TrackKind::kCpu;
    return track;
  }
  if (stream->stream_class->streams_are_parts) return track;
  std::vector<std::string> shown;
  for (const StreamKey& key : stream->keys) {
    if (!is_simple(key.name) || key.name == "class") continue;
    track.key.push_back("stream." + key.name);
    shown.push_back(fmt::format("{{stream.{}}}", key.name));
  }
  if (shown.empty() && !stream->file.empty()) {
    track.key.emplace_back("stream.file");
    shown.emplace_back("{stream.file|file}");
  }
  if (!shown.empty()) {
    track.kind = TrackKind::kPlain;
    track.name = fmt::format("stream {}", fmt::join(shown, "/"));
  }
  return track;
}

// What says in all classes of a pairing which of several things they are about.
std::vector<std::string> common_keys(const Pairing& pairing) {
  std::vector<std::string> keys;
  const StructureClass* const members = structure(pairing.begins.front()->payload);
  if (members == nullptr) return keys;
  for (const Member& member : members->members) {
    const std::string name(member.name.view());
    const auto has = [&](const EventClass* each) { return has_member(each->payload, name); };
    if (is_simple(name) && identifies(name) && std::ranges::all_of(pairing.begins, has) &&
        std::ranges::all_of(pairing.ends, has))
      keys.push_back("." + name);
  }
  return keys;
}

std::string escaped_glob(std::string_view name) {
  std::string glob;
  for (const char character : name) {
    if (character == '*' || character == '?' || character == '\\' || character == '[') glob += '\\';
    glob += character;
  }
  return glob;
}

void append_value(std::string& out, const std::string& text) {
  out += '"';
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += character;
    }
  }
  out += '"';
}

void append_value(std::string& out, const std::vector<std::string>& texts) {
  if (texts.size() == 1) return append_value(out, texts.front());
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) out += ", ";
    append_value(out, texts[i]);
  }
  out += ']';
}

void append_value(std::string& out, const std::vector<KeyPair>& pairs) {
  std::vector<std::string> texts;
  for (const KeyPair& pair : pairs)
    texts.push_back(pair.a == pair.b ? pair.a : fmt::format("a.{} == b.{}", pair.a, pair.b));
  append_value(out, texts);
}

void append_value(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_value(std::string& out, TrackKind kind) {
  append_value(out,
               std::string(std::ranges::find(kTrackKindNames, kind, &TrackKindName::kind)->name));
}
void append_value(std::string& out, SliceRule::Again again) {
  append_value(out, std::string(std::ranges::find(kAgainNames, again, &AgainName::again)->name));
}
void append_value(std::string& out, SliceRule::Unmatched unmatched) {
  append_value(
      out,
      std::string(std::ranges::find(kUnmatchedNames, unmatched, &UnmatchedName::unmatched)->name));
}
void append_value(std::string& out, const std::vector<CurrentRule::Value>& values) {
  out += "{ ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    out += values[i].name + " = ";
    append_value(out, values[i].value);
  }
  out += " }";
}

bool is_default(const auto& value) { return value == std::remove_cvref_t<decltype(value)>(); }
bool is_default(const std::vector<CurrentRule::Value>& values) { return values.empty(); }
bool is_default(const TrackKind& kind) { return kind == TrackKind::kPlain; }

Pairing pairing_of(const TraceDescription& trace, std::string_view prefix) {
  Pairing pairing{.prefix = std::string(prefix)};
  const auto find = [&](std::string_view ending, std::vector<const EventClass*>& into) {
    if (ending.empty()) return;
    const std::string wanted = pairing.prefix + std::string(ending);
    for (const EventClass& each : trace.event_classes()) {
      if (name_of(each) == wanted && std::ranges::find(into, &each) == into.end())
        into.push_back(&each);
    }
  };
  for (const Endings& each : kEndings) {
    std::vector<const EventClass*> begins;
    find(each.begin, begins);
    if (begins.empty()) continue;
    const std::size_t before = pairing.ends.size();
    for (const std::string_view end : each.ends) find(end, pairing.ends);
    if (pairing.ends.size() != before)
      pairing.begins.insert(pairing.begins.end(), begins.begin(), begins.end());
  }
  return pairing;
}

}  // namespace

bool Pairing::has(const EventClass& event_class) const {
  return std::ranges::find(begins, &event_class) != begins.end() ||
         std::ranges::find(ends, &event_class) != ends.end();
}

Pairing find_pairing(const EventClass& event_class) {
  const std::string_view name = name_of(event_class);
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr) return {};
  const auto with = [&](std::string_view ending) -> Pairing {
    const std::string_view prefix = prefix_of(name, ending);
    if (prefix.empty()) return {};
    Pairing pairing = pairing_of(*stream_class->trace, prefix);
    return pairing.has(event_class) ? std::move(pairing) : Pairing();
  };
  for (const Endings& each : kEndings) {
    if (Pairing found = with(each.begin); !found.begins.empty()) return found;
    for (const std::string_view end : each.ends) {
      if (Pairing found = with(end); !found.begins.empty()) return found;
    }
  }
  return {};
}

Table infer_table(const Event& event, const Pairing& pairing) {
  const EventClass& event_class = *event.event_class;
  Table table{.name = "inferred"};
  const TrackRule track = thread_track(event);
  table.tracks.push_back(track);
  if (event_class.has_duration) {
    table.slices.push_back({.begin = {"*"}, .track = track.id, .name = "{name}", .args = {"*"}});
    return table;
  }
  if (pairing.begins.empty()) {
    table.instants.push_back({.event = {"*"}, .track = track.id, .name = "{name}", .args = {"*"}});
    return table;
  }
  SliceRule slice{.track = track.id};
  for (const std::string& key : track.key) slice.match.push_back({key, key});
  for (const std::string& key : common_keys(pairing)) {
    if (slice.match.size() + 2 < KeyTable::kMostWords) slice.match.push_back({key, key});
  }
  const auto add_globs = [](const std::vector<const EventClass*>& classes, ClassGlobs& into) {
    for (const EventClass* const each : classes) {
      std::string glob = escaped_glob(name_of(*each));
      if (std::ranges::find(into, glob) == into.end()) into.push_back(std::move(glob));
    }
  };
  add_globs(pairing.begins, slice.begin);
  add_globs(pairing.ends, slice.end);
  std::ranges::copy_if(pairing.prefix, std::back_inserter(slice.name),
                       [](char character) { return character != '{' && character != '}'; });
  slice.args = {"*"};
  slice.end_args = {"*"};
  table.slices.push_back(std::move(slice));
  return table;
}

std::string to_toml(const Table& table) {
  std::string out = "table = ";
  append_value(out, table.name);
  out += '\n';
  for_each_rule_list([&]<class Rule>(std::string_view list, std::vector<Rule> Table::* member) {
    for (const Rule& rule : table.*member) {
      out += fmt::format("\n[[{}]]\n", list);
      std::apply(
          [&](const auto&... key) {
            const auto append = [&](const auto& each) {
              const auto& value = rule.*each.member;
              if (is_default(value) && !each.required) return;
              out += fmt::format("{} = ", each.name);
              append_value(out, value);
              out += '\n';
            };
            (append(key), ...);
          },
          keys_of<Rule>());
    }
  });
  return out;
}

}  // namespace tracedeck::timeline
