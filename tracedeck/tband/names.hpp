// The names that a trace gives to interrupts, tasks, queues and markers (notes, "Meaning").
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/tband/event_table.hpp"

namespace tracedeck::tband {

// Cores that are known at the same time; no device has so many.
inline constexpr std::size_t kMostCores = 4096;

// Where an event stands.
struct NamingPlace {
  std::uint32_t core = 0;
  std::uint32_t task = 0;  // the current one of the core, 0: not known
};

// What a name is given to, or asked for. Ids of interrupts count per core, those of task markers
// per task: the core, or the task, is their `scope`; all others are of the scope 0.
struct NameKey {
  Naming naming = Naming::kNone;
  std::uint32_t scope = 0;
  std::uint32_t id = 0;

  friend auto operator<=>(const NameKey&, const NameKey&) = default;
};
// What an event that gives names gives one to. `numbers`: the values of its fields.
[[nodiscard]] NameKey named_by(const EventFacts& facts, std::span<const std::uint64_t> numbers,
                               std::uint32_t core);

// Numbers of names in a description by what they name.
class Names {
 public:
  // `limit`: bytes that the names may take.
  Names(const TraceDescription& description, std::uint64_t limit)
      : description_(description), limit_(limit) {}

  // From now on it has that name. False: there is no room for another.
  [[nodiscard]] bool define(const NameKey& key, std::string_view name);
  // The name of a value of a field; 0: it has none.
  [[nodiscard]] std::uint32_t of(const EventFacts& facts, std::size_t field, std::uint64_t value,
                                 const NamingPlace& place) {
    const Naming naming = facts.fields[field].naming;
    // What names the id has the name beside it.
    if (naming == Naming::kNone || naming == facts.names) return 0;
    return find(naming, scope_of(naming, place), static_cast<std::uint32_t>(value));
  }

 private:
  // Of an id that is used, not named.
  [[nodiscard]] static std::uint32_t scope_of(Naming naming, const NamingPlace& place) {
    switch (naming) {
      case Naming::kIsr:
        return place.core;
      case Naming::kTaskEventMarker:
      case Naming::kTaskValueMarker:
        return place.task;
      default:
        return 0;
    }
  }

  [[nodiscard]] std::uint32_t find(Naming naming, std::uint32_t scope, std::uint32_t id) {
    const auto kind = static_cast<std::size_t>(naming);
    if (kinds_[kind].empty()) return 0;
    const std::uint64_t key = std::uint64_t{scope} << 32 | id;
    const Found& found = found_[kind][id % kFound];
    if (found.key == key && found.known) [[likely]]
      return found.number;
    return look_up(kind, key);
  }

  static constexpr std::size_t kNamings = static_cast<std::size_t>(Naming::kTaskValueMarker) + 1;
  static constexpr std::size_t kFound = 64;
  // What was found last, by the low bits of the id.
  struct Found {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
    bool known = false;
  };

  std::uint32_t look_up(std::size_t kind, std::uint64_t key);

  const TraceDescription& description_;
  std::uint64_t limit_;
  std::uint64_t memory_ = 0;
  std::array<NumberMap<std::uint64_t, std::uint32_t>, kNamings> kinds_;
  std::array<std::array<Found, kFound>, kNamings> found_ = {};
};

// The first name of each, of a trace that is looked through before it is read: it holds until the
// reading comes to another.
class FirstNames {
 public:
  // `limit`: bytes that they may take; what is beyond is left out.
  explicit FirstNames(std::uint64_t limit) : limit_(limit) {}

  void see(const NameKey& of, std::string_view name);
  void define_in(Names& names) const;

 private:
  std::uint64_t limit_;
  std::uint64_t memory_ = 0;
  std::map<NameKey, std::string> names_;
};

}  // namespace tracedeck::tband
