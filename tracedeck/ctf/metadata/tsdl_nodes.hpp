// The field class nodes made of TSDL types, and what is known of them beyond the model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/metadata/tsdl_text.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf::tsdl {

struct NodeInfo {
  FieldClassPtr node = nullptr;  // keeps it, so that its address stays its own
  Place place = {};              // of its type in the text
  std::size_t nesting = 1;       // of itself
  bool is_character = false;     // an integer with an encoding
  std::string clock = {};        // that an integer is mapped to; empty: none
};

using NodeSet = std::unordered_set<const FieldClass*>;

class NodeTable {
 public:
  explicit NodeTable(TextFindings& findings) : findings_(findings) {}

  // Makes a node; null, with a finding, when it is nested too deep. `info.node` and `info.nesting`
  // are set here.
  [[nodiscard]] FieldClassPtr add(FieldClass field_class, NodeInfo info);

  // Of a node made here.
  [[nodiscard]] const NodeInfo& info(const FieldClass* node) const { return infos_.at(node); }
  // Where a node stands; the begin of the text for one that was not made here.
  [[nodiscard]] Place place(const FieldClass* node) const;

  // The index of a member of a structure or option of a variant, as the model calls it; npos: none.
  [[nodiscard]] std::size_t find_member(const FieldClass* node, std::string_view name);
  // The ranges of an enumeration with a label; null: none.
  [[nodiscard]] const Mapping* find_mapping(const FieldClass* node, std::string_view label);

  // From now on it is remembered which nodes are made.
  void watch() { is_watching_ = true; }
  [[nodiscard]] const NodeSet& recent() const { return recent_; }
  // Ends that. Nothing refers to those nodes any more, but for `kept`.
  void forget_recent(const NodeSet& kept);

 private:
  TextFindings& findings_;
  std::unordered_map<const FieldClass*, NodeInfo> infos_;
  std::unordered_map<const FieldClass*, NameIndex> names_;
  bool is_watching_ = false;
  NodeSet recent_;
};

}  // namespace tracedeck::ctf::tsdl
