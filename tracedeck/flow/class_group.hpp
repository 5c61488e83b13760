// Event classes that look alike.
//
// A trace may describe the same class many times (each segment of a dial9 trace registers its
// schemas anew). Summaries and statistics show such classes as one line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// Classes with the same name (or, without a name, the same id), stream class and members.
struct ClassGroup {
  // The first of them that says units, or else the first, which stands for all.
  const EventClass* event_class = nullptr;
  std::size_t classes = 0;               // how many there are
  std::optional<std::uint64_t> id = {};  // their id on the wire, when all have the same
};

// Whether classes are alike whose fields count different units. A format that says units behind a
// class describes it once without and once with them.
enum class Units : std::uint8_t { kAside, kCount };

// What makes two classes alike, as text: equal exactly for classes of one group.
[[nodiscard]] std::string signature(const EventClass& event_class, Units units = Units::kAside);

// Who keeps the class, where a shared pointer does.
[[nodiscard]] std::shared_ptr<const TraceDescription> description_of(const EventClass& event_class);

// Adds `event_class` to the group, which may be new.
void join(ClassGroup& group, const EventClass& event_class);

// Numbers groups in the order of their first classes, which must outlive it.
class GroupNumbers {
 public:
  explicit GroupNumbers(Units units = Units::kAside) : units_(units) {}

  // The number of the group of a class; the number of groups before, if it is the first of one.
  [[nodiscard]] std::size_t operator[](const EventClass& event_class);

 private:
  // The first class of a group and a hash of its signature, which is too long to be kept for each.
  struct First {
    const EventClass* event_class;
    std::size_t hash;
  };
  Units units_;
  std::vector<First> first_;
  NameIndex by_hash_;
};

}  // namespace tracedeck::flow
