// Tables with one entry for each event class, found by the class's id in a few instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck {

// `Entry` is made from the class (`Entry(const EventClass&)`) when the class is first asked for.
// Entries keep their address and the order in which they were made. Classes of several traces may
// share one table. One thread at a time.
//
// `kForgets`: entries can be made again at any time, and an entry is valid only until another class
// is asked for. Once there are `kMany`, they are forgotten when a trace comes that is newer than
// all before. So the classes of one trace, or of many that are read at the same time, are all
// remembered, and those of traces that follow one another for months do not add up. Beyond `kMost`
// they are forgotten too: a trace may have classes without end.
template <class Entry, bool kForgets = false>
class ClassTable {
 public:
  static constexpr std::size_t kMany = 1024;
  static constexpr std::size_t kMost = 16'384;

  [[nodiscard]] Entry& operator[](const EventClass& event_class) {
    Entry* const entry = at_hand_.find(event_class);
    return entry != nullptr ? *entry : find_or_make(event_class);
  }

  // The entries of the trace that was asked for last. A loop that keeps this in its registers needs
  // to get it anew when it asks the table, which may have moved them.
  class AtHand {
   public:
    // Null: it is not among them.
    [[nodiscard]] Entry* find(const EventClass& event_class) const {
      const EntityId& entity = event_class.entity;
      if (entity.trace != trace_ || entity.ordinal >= count_) [[unlikely]]
        return nullptr;
      return classes_[entity.ordinal];
    }

   private:
    friend ClassTable;
    std::uint64_t trace_ = EntityId::none().trace;
    Entry** classes_ = nullptr;
    std::size_t count_ = 0;
  };
  [[nodiscard]] AtHand at_hand() const { return at_hand_; }

  [[nodiscard]] std::deque<Entry>& entries() { return entries_; }
  [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }

  void clear() {
    at_hand_ = {};
    by_trace_.clear();
    entries_.clear();
  }

 private:
  // The entries of a trace by the ordinals of its classes.
  using Classes = std::vector<Entry*>;

  [[gnu::noinline]] Entry& find_or_make(const EventClass& event_class) {
    const EntityId& entity = event_class.entity;
    if (entity.trace > newest_) {
      newest_ = entity.trace;
      if (kForgets && entries_.size() >= kMany) clear();
    }
    Classes& classes = by_trace_[entity.trace];
    if (entity.ordinal >= classes.size())
      classes.resize(std::max<std::size_t>(entity.ordinal + 1, classes.size() * 3 / 2));
    Entry*& entry = classes[entity.ordinal];
    if (entry == nullptr) {
      if (kForgets && entries_.size() >= kMost) {
        clear();
        return find_or_make(event_class);
      }
      entry = &entries_.emplace_back(event_class);
    }
    at_hand_.trace_ = entity.trace;
    at_hand_.classes_ = classes.data();
    at_hand_.count_ = classes.size();
    return *entry;
  }

  AtHand at_hand_;
  std::deque<Entry> entries_;
  std::unordered_map<std::uint64_t, Classes> by_trace_;
  std::uint64_t newest_ = 0;  // number of a trace
};

template <class Entry>
using ClassCache = ClassTable<Entry, true>;

}  // namespace tracedeck
