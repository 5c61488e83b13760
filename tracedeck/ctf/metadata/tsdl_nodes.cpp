#include "tracedeck/ctf/metadata/tsdl_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"
#include "tracedeck/model/class_nesting.hpp"
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
  if (is_watching_) recent_.insert(node.get());
  return node;
}

void NodeTable::forget_recent(const NodeSet& kept) {
  for (const FieldClass* const node : recent_) {
    if (kept.contains(node)) continue;
    names_.erase(node);
    infos_.erase(node);
  }
  recent_.clear();
  is_watching_ = false;
}

Place NodeTable::place(const FieldClass* node) const {
  const auto found = infos_.find(node);
  return found == infos_.end() ? Place{} : found->second.place;
}

std::size_t NodeTable::find_member(const FieldClass* node, std::string_view name) {
  const auto find_in = [&](const auto& parts, auto name_of_part) {
    const auto name_of = [&](std::size_t i) { return (parts[i].*name_of_part).view(); };
    const auto [found, is_new] = names_.try_emplace(node);
    NameIndex& index = found->second;
    for (std::size_t i = 0; is_new && i < parts.size(); ++i) index.add(i, name_of);
    return index.find(name, name_of);
  };
  std::size_t found = NameIndex::kNone;
  if (const auto* const structure = node->as<StructureClass>())
    found = find_in(structure->members, &Member::name);
  if (const auto* const variant = node->as<VariantClass>())
    found = find_in(variant->options, &VariantOption::name);
  if (const auto* const integer = node->as<IntegerClass>())
    found = find_in(integer->mappings, &Mapping::label);
  return found == NameIndex::kNone ? std::string::npos : found;
}

const Mapping* NodeTable::find_mapping(const FieldClass* node, std::string_view label) {
  const std::size_t index = find_member(node, label);
  return index == std::string::npos ? nullptr : &node->as<IntegerClass>()->mappings[index];
}

}  // namespace tracedeck::ctf::tsdl
