// The meaning of TSDL's reserved field names, as roles (CTF 1.8.3, sections 5, 6.1 and 8).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tracedeck/ctf/metadata/tsdl_nodes.hpp"
#include "tracedeck/ctf/roles.hpp"

namespace tracedeck::ctf::tsdl {

struct ClockUse {
  std::string clock;  // name
  Place place = {};   // of an integer that is mapped to it
};

// A class with its roles.
struct RoledClass {
  FieldClassPtr field_class = nullptr;
  std::vector<ClockUse> clocks = {};          // the first two that its integers are mapped to
  std::optional<Place> plain_timestamp = {};  // an integer that by its name is mapped to the clock
};

// Gives roles. What is shared stays so: a class in the same root gets its roles once.
class RoleGiver {
 public:
  RoleGiver(TextFindings& findings, NodeTable& nodes) : findings_(findings), nodes_(nodes) {}

  // `field_class`: of root field `root`, or null.
  [[nodiscard]] RoledClass give(const FieldClassPtr& field_class, FieldLocation::Root root);
  // Before the recent nodes of the table go: forgets what it knows of them. Returns those that are
  // the classes, with roles, of older ones.
  [[nodiscard]] NodeSet forget_recent();

 private:
  // Where a class is used, as far as that matters for its role.
  struct Use {
    FieldLocation::Root root;
    std::string_view name = {};  // of the member; empty: none, or one that means nothing there
    bool is_root = false;
    bool is_first_of_root = false;
  };
  using Key = std::tuple<FieldLocation::Root, const FieldClass*, std::string_view, bool>;

  [[nodiscard]] const RoledClass& visit(const FieldClassPtr& field_class, const Use& use);
  [[nodiscard]] RoledClass visit_integer(const FieldClassPtr& field_class, const Use& use);
  [[nodiscard]] RoledClass visit_array(const FieldClassPtr& field_class, const Use& use);
  [[nodiscard]] RoledClass visit_structure(const FieldClassPtr& field_class, const Use& use);
  [[nodiscard]] RoledClass visit_variant(const FieldClassPtr& field_class, const Use& use);
  // Takes over what was found in a part of a class; returns the part with its roles.
  [[nodiscard]] FieldClassPtr include(RoledClass& whole, const FieldClassPtr& part, const Use& use);
  [[nodiscard]] FieldClassPtr copy(const FieldClassPtr& of, FieldClass changed);
  void blame(const FieldClassPtr& field_class, std::string_view name, std::string_view expected);

  TextFindings& findings_;
  NodeTable& nodes_;
  std::map<Key, RoledClass> known_;
  std::vector<std::map<Key, RoledClass>::const_iterator> recent_;  // since `forget_recent`
};

}  // namespace tracedeck::ctf::tsdl
