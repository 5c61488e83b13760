#include "tracedeck/columns/flat_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tracedeck::columns {
namespace {

std::string lower_case(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  });
  return text;
}

class Flattener {
 public:
  Flattener(std::span<const std::string_view> keys, FlatLists lists) : keys_(keys), lists_(lists) {}

  void members(const Column& group, const std::string& before, bool nullable, bool in_list) {
    for (const Column& child : group.children) {
      const std::string name = before.empty() ? child.name : before + "." + child.name;
      value(child, name, nullable, in_list);
    }
  }
  std::vector<FlatColumn> take() && { return std::move(columns_); }

 private:
  // `nullable`: what is around it within the innermost list may be null.
  void value(const Column& column, std::string name, bool nullable, bool in_list) {
    path_.push_back(&column);
    if (column.is_leaf()) {
      const bool is_key = path_.size() == 1 && std::ranges::find(keys_, column.name) != keys_.end();
      add(unused(name), (nullable || column.nullable) && !is_key);
      if (is_key && column.nullable) add_presence(name);
    } else if (column.type == ColumnType::kGroup) {
      if (column.nullable) add_presence(name);
      members(column, name, nullable || column.nullable, in_list);
    } else if (lists_ == FlatLists::kWhole) {
      add(unused(name), nullable || column.nullable);
    } else {
      if (!in_list) std::ranges::replace(name, '.', '_');
      list(column, unused(name));
    }
    path_.pop_back();
  }

  // `name`: its own. Elements that are no groups have it too. The column is in the path.
  void list(const Column& column, const std::string& name) {
    if (column.nullable) add_presence(name);
    const Column& element = column.children.front();
    path_.push_back(&element);
    if (element.is_leaf()) {
      add(name, element.nullable);
    } else if (element.type == ColumnType::kList) {
      list(element, name);
    } else {
      if (element.nullable) add_presence(name);
      members(element, name, element.nullable, true);
    }
    path_.pop_back();
  }

  void add_presence(const std::string& name) {
    add(unused(name + ".present"), false);
    columns_.back().presence = true;
  }

  void add(std::string name, bool nullable) {
    columns_.push_back({.name = std::move(name), .path = path_, .nullable = nullable});
  }

  // Upper and lower case are one.
  std::string unused(const std::string& wanted) {
    std::string name = wanted;
    for (unsigned i = 2; !taken_.insert(lower_case(name)).second; ++i)
      name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  std::span<const std::string_view> keys_;
  FlatLists lists_;
  std::vector<const Column*> path_;
  std::unordered_set<std::string> taken_;
  std::vector<FlatColumn> columns_;
};

}  // namespace

std::vector<FlatColumn> flat_columns(const Column& root, std::span<const std::string_view> keys,
                                     FlatLists lists) {
  Flattener flattener(keys, lists);
  flattener.members(root, {}, false, false);
  return std::move(flattener).take();
}

}  // namespace tracedeck::columns
