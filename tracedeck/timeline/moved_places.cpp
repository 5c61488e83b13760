#include "tracedeck/timeline/moved_places.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace tracedeck::timeline {
namespace {

using Places = std::vector<const LinedName*>;

// Of more places of one group none are paired: each distance is tried with each of them.
constexpr std::size_t kMostOfGroup = 256;

struct MovedGroup {
  Places a;
  Places b;
};

std::int64_t distance(const LinedName& a, const LinedName& b) {
  return static_cast<std::int64_t>(b.line.line) - static_cast<std::int64_t>(a.line.line);
}

// Whether none of A's places that is in B too gets another one.
bool leaves_unmoved(const MovedGroup& group) {
  for (std::size_t i = 0; i < group.a.size(); ++i) {
    const bool stays = group.a[i]->line == group.b[i]->line;
    const auto is_there = [&](const LinedName* each) { return each->line == group.a[i]->line; };
    if (!stays && std::ranges::any_of(group.b, is_there)) return false;
  }
  return true;
}

bool moves_as_one(const MovedGroup& group) {
  const std::int64_t by = distance(*group.a.front(), *group.b.front());
  for (std::size_t i = 0; i < group.a.size(); ++i) {
    if (distance(*group.a[i], *group.b[i]) != by ||
        group.a[i]->line.column != group.b[i]->line.column)
      return false;
  }
  return true;
}

// The places of `more` that are `by` lines behind those of `fewer`; empty where one is missing.
Places shifted(const Places& fewer, const Places& more, std::int64_t by) {
  Places found;
  for (const LinedName* const each : fewer) {
    const auto place = std::ranges::find_if(more, [&](const LinedName* other) {
      return distance(*each, *other) == by && each->line.column == other->line.column;
    });
    if (place == more.end()) return {};
    found.push_back(*place);
  }
  return found;
}

// The only ones of `more` that `fewer` may have moved to together.
std::optional<Places> only_shift(const Places& fewer, const Places& more) {
  std::optional<Places> only;
  for (const LinedName* const to : more) {
    Places found = shifted(fewer, more, distance(*fewer.front(), *to));
    if (found.empty()) continue;
    if (only && *only != found) return std::nullopt;
    only = std::move(found);
  }
  return only;
}

class MovedPairs {
 public:
  void add(const MovedGroup& group) {
    if (group.a.empty() || group.b.empty() ||
        std::max(group.a.size(), group.b.size()) > kMostOfGroup)
      return;
    if (group.a.size() == group.b.size()) {
      if (leaves_unmoved(group) || moves_as_one(group)) pair(group.a, group.b);
    } else if (group.a.size() < group.b.size()) {
      if (group.a.size() < 2) return;
      if (const auto found = only_shift(group.a, group.b)) pair(group.a, *found);
    } else if (group.b.size() >= 2) {
      if (const auto found = only_shift(group.b, group.a)) pair(*found, group.b);
    }
  }

  TextMap<std::string> keys;

 private:
  void pair(const Places& a, const Places& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i]->key != b[i]->key) keys.emplace(b[i]->key, a[i]->key);
    }
  }
};

}  // namespace

TextMap<std::string> moved_places(const std::vector<LinedName>& a,
                                  const std::vector<LinedName>& b) {
  std::map<std::string_view, MovedGroup> groups;
  for (const LinedName& each : a) groups[each.group].a.push_back(&each);
  for (const LinedName& each : b) groups[each.group].b.push_back(&each);
  MovedPairs pairs;
  for (auto& [name, group] : groups) {
    for (Places* const side : {&group.a, &group.b})
      std::ranges::sort(*side, {}, [](const LinedName* each) { return each->line; });
    pairs.add(group);
  }
  return std::move(pairs.keys);
}

}  // namespace tracedeck::timeline
