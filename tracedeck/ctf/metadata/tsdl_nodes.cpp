#include "tracedeck/ctf/metadata/tsdl_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tracedeck/ctf/class_nesting.hpp"
#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf::tsdl {

FieldClassPtr NodeTable::add(FieldClass field_class, NodeInfo info) {
  std::size_t inner = 0;
  const auto contain = [&](const FieldClassPtr& part) {
    inner = std::max(inner, infos_.at(part.get()).nesting);
  };
  for_each_child(field_class, contain);
  if (inner + 1 > kClassNesting) {
    findings_.report(TsdlRule::kNesting, info.place,
                     fmt::format("this type is nested deeper than {}", kClassNesting));
    return nullptr;
  }
  info.nesting = inner + 1;
  info.node = std::make_shared<const FieldClass>(std::move(field_class));
  FieldClassPtr node = info.node;
  infos_.emplace(node.get(), std::move(info));
  return node;
}

Place NodeTable::place(const FieldClass* node) const {
  const auto found = infos_.find(node);
  return found == infos_.end() ? Place{} : found->second.place;
}

const NodeTable::Index& NodeTable::names(const FieldClass* node) {
  const auto [found, is_new] = names_.try_emplace(node);
  Index& index = found->second;
  if (!is_new) return index;
  const auto add_names = [&](const auto& parts, auto name) {
    for (std::size_t i = 0; i < parts.size(); ++i) index.emplace(parts[i].*name, i);
  };
  if (const auto* const structure = node->as<StructureClass>())
    add_names(structure->members, &Member::name);
  if (const auto* const variant = node->as<VariantClass>())
    add_names(variant->options, &VariantOption::name);
  if (const auto* const integer = node->as<IntegerClass>())
    add_names(integer->mappings, &Mapping::label);
  return index;
}

std::size_t NodeTable::find_member(const FieldClass* node, const std::string& name) {
  const Index& index = names(node);
  const auto found = index.find(name);
  return found == index.end() ? std::string::npos : found->second;
}

const Mapping* NodeTable::find_mapping(const FieldClass* node, const std::string& label) {
  const std::size_t index = find_member(node, label);
  return index == std::string::npos ? nullptr : &node->as<IntegerClass>()->mappings[index];
}

}  // namespace tracedeck::ctf::tsdl
