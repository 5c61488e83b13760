#include "tracedeck/timeline/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/rule_parts.hpp"
#include "tracedeck/timeline/table_keys.hpp"

namespace tracedeck::timeline {
namespace {

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

}  // namespace

Table infer_table(const Event& event, const Pairing& pairing) {
  const EventClass& event_class = *event.event_class;
  Table table{.name = "inferred"};
  const TrackRule track = thread_track(event);
  table.tracks.push_back(track);
  if (event_class.has_duration) {
    table.slices.push_back({.begin = {"*"}, .track = track.id, .name = "{name}", .args = {"*"}});
    return table;
  }
  if (pairing.empty()) {
    table.instants.push_back({.event = {"*"}, .track = track.id, .name = "{name}", .args = {"*"}});
    return table;
  }
  SliceRule slice{.track = track.id, .again = SliceRule::Again::kMix};
  for (const std::string_view name : Pairings::common_keys(pairing)) {
    if (slice.match.size() + 2 >= KeyTable::kMostWords) break;
    const std::string key = fmt::format(".{}", name);
    slice.match.push_back({key, key});
  }
  // What has a number may end on another thread than it began on.
  slice.by_track = !slice.match.empty() && !track.key.empty();
  if (slice.match.empty()) {
    for (const std::string& key : track.key) slice.match.push_back({key, key});
  }
  for (const NamedClasses* const each : pairing.begins)
    slice.begin.push_back(escaped_glob(each->name));
  for (const NamedClasses* const each : pairing.ends) slice.end.push_back(escaped_glob(each->name));
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
