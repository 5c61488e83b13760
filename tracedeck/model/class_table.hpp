// Tables with one entry for each event class, found by the class's id in a few instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck {

// `Entry` is made from the class (`Entry(const EventClass&)`) when the class is first asked for.
// Entries keep their address and the order in which they were made. Classes of several traces may
// share one table. One thread at a time.
//
// `kForgets`: entries can be made again at any time, and an entry is valid only until another class
// is asked for. Once there are `kMany`, they are forgotten when a trace comes that is newer than
// all before. So the classes of one trace, or of many that are read at the same time, are all
// remembered, and those of traces that follow one another for months do not add up.
template <class Entry, bool kForgets = false>
class ClassTable {
 public:
  static constexpr std::size_t kMany = 1024;

  [[nodiscard]] Entry& operator[](const EventClass& event_class) {
    Line& line = lines_[index_of(event_class.entity)];
    if (line.entity != event_class.entity) [[unlikely]]
      line = {event_class.entity, &find_or_make(event_class)};
    return *line.entry;
  }

  [[nodiscard]] std::deque<Entry>& entries() { return entries_; }
  [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }

  void clear() {
    lines_.fill({});
    by_class_.clear();
    entries_.clear();
  }

 private:
  // A direct-mapped cache before the hash table: nearly every event is found in it.
  struct Line {
    EntityId entity = EntityId::none();
    Entry* entry = nullptr;
  };
  static constexpr std::size_t kLines = 1024;

  static std::size_t index_of(const EntityId& entity) {
    return (entity.trace * 0x9E3779B1U + entity.ordinal) % kLines;
  }

  Entry& find_or_make(const EventClass& event_class) {
    if (event_class.entity.trace > newest_) {
      newest_ = event_class.entity.trace;
      if (kForgets && entries_.size() >= kMany) clear();
    }
    const auto [place, is_new] = by_class_.try_emplace(event_class.entity, nullptr);
    if (is_new) place->second = &entries_.emplace_back(event_class);
    return *place->second;
  }

  std::array<Line, kLines> lines_{};
  std::deque<Entry> entries_;
  std::unordered_map<EntityId, Entry*, EntityIdHash> by_class_;
  std::uint64_t newest_ = 0;  // number of a trace
};

template <class Entry>
using ClassCache = ClassTable<Entry, true>;

}  // namespace tracedeck
