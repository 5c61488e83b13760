// What is hidden of field classes and of their values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::flow {

// What becomes of a value, and of what is in it.
struct HiddenField {
  enum class Action : std::uint8_t {
    kKeep,
    kDrop,
    kText,    // a text stands for all of it, also of an array of bytes
    kThread,  // the same if it is the name of a thread that is hidden
    kEnter,   // it is looked into, by `inner`
    kWalk,    // it is looked into, by what the value says of itself
  };

  Action action = Action::kKeep;
  Verdict verdict = {};  // on all that is in it
  std::string path = {};
  // Of a structure the members, of a variant the options; else what is in it.
  std::vector<HiddenField> inner = {};
};

// What becomes of a root field class, a structure.
struct HiddenRoot {
  HiddenField field = {};
  FieldClassPtr field_class = {};
  std::set<std::string, std::less<>> gone = {};  // names of members that are no numbers any more
};

// What members are gone, by the roots that they are in.
using GoneMembers = std::map<FieldLocation::Root, const HiddenRoot*>;

// Makes classes. Parts that several classes share stay shared where nothing of them is hidden.
class HiddenClasses {
 public:
  // `texts_end`: the format's texts end with a NUL byte, else their length is before them.
  HiddenClasses(const Hiding& hiding, bool texts_end) : hiding_(hiding), texts_end_(texts_end) {}

  // `place`: of the root, without a path. `root` may be null.
  [[nodiscard]] HiddenRoot root(const FieldClassPtr& root, const FieldPlace& place);
  // The same class, where what is gone, and what was in heads, is no longer referred to: it is told
  // by its name alone. `own`: the root that it is.
  [[nodiscard]] static FieldClassPtr detached(const FieldClassPtr& root, FieldLocation::Root own,
                                              const GoneMembers& gone);
  [[nodiscard]] Attributes attributes(const Attributes& attributes) const;

 private:
  struct Made {
    HiddenField field = {};
    FieldClassPtr field_class = {};
  };

  [[nodiscard]] Made make(const FieldClassPtr& of, const FieldPlace& place, Verdict outer);
  [[nodiscard]] Made make_text(const FieldClassPtr& of, const FieldPlace& place, Verdict outer);
  template <class Member>
  void make_members(const std::vector<Member>& members, const FieldPlace& place, Verdict outer,
                    bool drops, HiddenField& field, std::vector<Member>& made, bool& is_changed);
  [[nodiscard]] Extent text_extent() const;

  const Hiding& hiding_;
  bool texts_end_;
};

// Puts together the values of one event or packet.
class HiddenValues {
 public:
  HiddenValues(const Hiding& hiding, HidingCounts& counts) : hiding_(hiding), counts_(counts) {}

  // Begins anew. `event_class`: the name, if it is an event's.
  void begin(std::optional<std::string_view> event_class);
  // The values of a root, member after member.
  void add(const HiddenRoot& root, std::string_view scope, std::span<const Slot> slots);
  // Those of an event that says its name and fields itself.
  void add_self_described(Verdict name, std::span<const Slot> slots);
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  // Slots whose names are to be changed.
  [[nodiscard]] std::span<Slot> slots() { return slots_; }
  // Copies the slots; `keep(bytes)` keeps the bytes of a text.
  template <class Keep>
  void copy_to(Slot* to, Keep keep) const {
    std::copy(slots_.begin(), slots_.end(), to);
    for (const auto& [index, text] : texts_)
      to[index].pointer =
          keep(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  }
  // Counts what was done with what was begun last: it is handed on.
  void count();

 private:
  [[nodiscard]] const Slot* add(const HiddenField& field, const Slot* slot);
  void add_thread(const Slot* slot);
  void enter(const HiddenField& field, const Slot* slot);
  void walk(const Slot* slot, const std::string& path, Verdict outer, bool keeps_keys = false);
  void walk_pairs(const Slot* slot, const std::string& path, Verdict outer, bool keeps_keys);
  void add_elements(const Slot* packed, Verdict verdict);
  void copy(const Slot* slot);
  void add_text(std::string_view of, Verdict verdict);
  // Where a head was put; `end_head` says how much belongs to it.
  [[nodiscard]] std::size_t begin_head(const Slot* head);
  void end_head(std::size_t head, std::uint64_t bits);
  void note(Verdict verdict) { done_.push_back(verdict.pattern); }

  const Hiding& hiding_;
  HidingCounts& counts_;
  std::optional<std::string_view> event_class_ = {};
  std::string_view scope_ = {};
  std::vector<Slot> slots_;
  std::vector<std::pair<std::size_t, std::string>> texts_;  // by the index of their slots
  std::vector<std::uint32_t> done_;                         // patterns
};

}  // namespace tracedeck::flow
