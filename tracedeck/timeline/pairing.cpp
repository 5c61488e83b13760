#include "tracedeck/timeline/pairing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "tracedeck/timeline/rule_parts.hpp"

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

bool has_ending(std::string_view name) {
  return std::ranges::any_of(kEndings, [&](const Endings& each) {
    return !prefix_of(name, each.begin).empty() ||
           std::ranges::any_of(each.ends,
                               [&](std::string_view end) { return !prefix_of(name, end).empty(); });
  });
}

// Whether a field says which of several things it is about.
bool identifies(std::string_view name) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"id", "Id", "ID", "handle", "Handle", "ptr", "Ptr"});
  // Who begins something on one processor may end it on another.
  constexpr auto kPlaces = std::to_array<std::string_view>(
      {"cpu_id", "cpuId", "cpuid", "CpuId", "core_id", "coreId", "processor_id", "processorId"});
  const auto ends = [&](std::string_view word) { return name.ends_with(word); };
  return is_simple(name) && std::ranges::any_of(kWords, ends) &&
         std::ranges::none_of(kPlaces, ends);
}

bool is_letter_alike(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Whether what a class begins or ends is called as the field: "job" of JobStart, "request" of
// http_request_done.
bool is_called(std::string_view event_name, std::string_view field) {
  const auto is_last_word = [&](std::string_view ending) {
    const std::string_view prefix = prefix_of(event_name, ending);
    if (field.empty() || prefix.size() < field.size()) return false;
    const std::size_t at = prefix.size() - field.size();
    if (!std::ranges::equal(prefix.substr(at), field, is_letter_alike)) return false;
    const auto first = static_cast<unsigned char>(prefix[at]);
    return at == 0 || std::isupper(first) != 0 ||
           std::isalnum(static_cast<unsigned char>(prefix[at - 1])) == 0;
  };
  return std::ranges::any_of(kEndings, [&](const Endings& each) {
    return is_last_word(each.begin) || std::ranges::any_of(each.ends, is_last_word);
  });
}

// The fields of a class that say so, in their order.
std::vector<std::string_view> keys_of(const EventClass& event_class) {
  std::vector<std::string_view> keys;
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr) return keys;
  for (const Member& member : structure->members) {
    const std::string_view field = member.name.view();
    if (identifies(field) || (is_simple(field) && is_called(timeline::name_of(event_class), field)))
      keys.push_back(field);
  }
  return keys;
}

void keep_common(std::vector<std::string_view>& keys, const std::vector<std::string_view>& others) {
  const std::set<std::string_view> known(others.begin(), others.end());
  std::erase_if(keys, [&](std::string_view key) { return !known.contains(key); });
}

// Of classes that came since, too.
const std::vector<std::string_view>& keys_of(NamedClasses& named) {
  for (; named.keyed < named.classes.size(); ++named.keyed) {
    const EventClass& event_class = *named.classes[named.keyed];
    if (named.keyed == 0)
      named.keys = keys_of(event_class);
    else if (!named.keys.empty())
      keep_common(named.keys, keys_of(event_class));
  }
  return named.keys;
}

}  // namespace

bool is_simple(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char byte) {
    return std::isalnum(byte) != 0 || byte == '_';
  });
}

bool Pairing::has(std::string_view name) const {
  const auto is_of = [&](const NamedClasses* each) { return each->name == name; };
  return std::ranges::any_of(begins, is_of) || std::ranges::any_of(ends, is_of);
}

Pairing Pairings::find(const EventClass& event_class) {
  const std::string_view name = timeline::name_of(event_class);
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr || !has_ending(name)) return {};
  Trace& trace = trace_of(*stream_class->trace);
  const auto with = [&](std::string_view ending) -> Pairing {
    const std::string_view prefix = prefix_of(name, ending);
    if (prefix.empty()) return {};
    Pairing pairing = with_prefix(trace, prefix);
    return pairing.has(name) ? std::move(pairing) : Pairing();
  };
  for (const Endings& each : kEndings) {
    if (Pairing found = with(each.begin); !found.empty()) return found;
    for (const std::string_view end : each.ends) {
      if (Pairing found = with(end); !found.empty()) return found;
    }
  }
  return {};
}

std::vector<std::string_view> Pairings::common_keys(const Pairing& pairing) {
  std::vector<std::string_view> keys = keys_of(*pairing.begins.front());
  for (const auto* const all : {&pairing.begins, &pairing.ends}) {
    for (NamedClasses* const each : *all) {
      if (!keys.empty() && each != pairing.begins.front()) keep_common(keys, keys_of(*each));
    }
  }
  return keys;
}

Pairings::Trace& Pairings::trace_of(const TraceDescription& description) {
  const auto [place, is_new] = traces_.try_emplace(description.number());
  Trace& trace = place->second;
  if (is_new) {
    trace.description = description.weak_from_this();
    if (traces_.size() > many_) {
      std::erase_if(traces_, [&](const auto& each) {
        return each.first != description.number() && each.second.description.expired();
      });
      many_ = std::max(many_, 2 * traces_.size());
    }
  }
  const auto& classes = description.event_classes();
  for (; trace.seen < classes.size(); ++trace.seen) {
    const std::string_view name = timeline::name_of(classes[trace.seen]);
    if (!has_ending(name)) continue;
    NamedClasses& named = trace.by_name[name];
    named.name = name;
    named.classes.push_back(&classes[trace.seen]);
  }
  return trace;
}

Pairing Pairings::with_prefix(Trace& trace, std::string_view prefix) {
  Pairing pairing{.prefix = std::string(prefix)};
  const auto find = [&](std::string_view ending) -> NamedClasses* {
    if (ending.empty()) return nullptr;
    const auto found = trace.by_name.find(pairing.prefix + std::string(ending));
    return found == trace.by_name.end() ? nullptr : &found->second;
  };
  for (const Endings& each : kEndings) {
    NamedClasses* const begins = find(each.begin);
    if (begins == nullptr) continue;
    const std::size_t before = pairing.ends.size();
    for (const std::string_view end : each.ends) {
      NamedClasses* const ends = find(end);
      if (ends != nullptr && std::ranges::find(pairing.ends, ends) == pairing.ends.end())
        pairing.ends.push_back(ends);
    }
    if (pairing.ends.size() != before) pairing.begins.push_back(begins);
  }
  return pairing;
}

}  // namespace tracedeck::timeline
