// Lengths that events have in the headers of their packets and event records.
//
// Headers are not among the values of an event, and ours are our own. What a trace keeps there for
// strings, BLOBs and arrays of its events stands behind the id and time of our event record header,
// a member for each field that is referred to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

class HeaderLengths {
 public:
  // Adds those that a class and what is inside refer to. Null is no class.
  void collect(const FieldClassPtr& field_class);

  [[nodiscard]] std::size_t size() const { return indexes_.size(); }
  [[nodiscard]] std::optional<std::size_t> find(const FieldLocation& location) const;

 private:
  void collect(const FieldClass& field_class, std::size_t depth);

  std::unordered_map<std::string, std::size_t> indexes_;
  std::unordered_set<const FieldClass*> seen_;
  std::unordered_set<FieldClassPtr> held_;  // whose insides have been seen
};

// The member of the event record header.
[[nodiscard]] std::string header_length_name(std::size_t index);

}  // namespace tracedeck::ctf
