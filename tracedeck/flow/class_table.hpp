// A table with one entry for each event class, found by the class's address in a few instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck::flow {

// `Entry` is made from the class (`Entry(const EventClass&)`) when the class is first asked for.
// Entries keep their address and the order in which they were made. Classes of several traces may
// share one table. One thread at a time.
template <class Entry>
class ClassTable {
 public:
  [[nodiscard]] Entry& operator[](const EventClass& event_class) {
    Line& line = lines_[index_of(&event_class)];
    if (line.event_class != &event_class) [[unlikely]]
      line = {&event_class, &find_or_make(event_class)};
    return *line.entry;
  }

  [[nodiscard]] std::deque<Entry>& entries() { return entries_; }
  [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }

 private:
  // A direct-mapped cache before the hash table: nearly every event is found in it.
  struct Line {
    const EventClass* event_class = nullptr;
    Entry* entry = nullptr;
  };
  static constexpr unsigned kLineBits = 10;

  static std::size_t index_of(const EventClass* event_class) {
    return reinterpret_cast<std::uintptr_t>(event_class) * 0x9E3779B97F4A7C15U >> (64U - kLineBits);
  }

  Entry& find_or_make(const EventClass& event_class) {
    const auto [place, is_new] = by_class_.try_emplace(&event_class, nullptr);
    if (is_new) place->second = &entries_.emplace_back(event_class);
    return *place->second;
  }

  std::array<Line, std::size_t{1} << kLineBits> lines_{};
  std::deque<Entry> entries_;
  std::unordered_map<const EventClass*, Entry*> by_class_;
};

}  // namespace tracedeck::flow
