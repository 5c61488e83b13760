#include "tracedeck/columns/column.hpp"

#include <fmt/format.h>

#include <utility>

namespace tracedeck::columns {

std::uint32_t Words::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

void Words::add(std::string_view text) {
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
}

std::size_t Column::instances() const {
  if (nullable) return valid.size();
  switch (type) {
    case ColumnType::kGroup:
      return children.empty() ? 0 : children.front().instances();
    case ColumnType::kBoolean:
      return bytes.size();
    case ColumnType::kInteger:
      return width == 64 ? words64.size() : words32.size();
    case ColumnType::kDouble:
      return words64.size();
    case ColumnType::kDecimal:
      return decimals.size();
    case ColumnType::kList:
    case ColumnType::kFloat:
    case ColumnType::kText:
    case ColumnType::kBytes:
    case ColumnType::kWord:
      return words32.size();
  }
  return 0;
}

void append_nothing(Column& column) {
  if (column.nullable) return column.valid.push_back(0);
  append_zero(column);
}

void append_zero(Column& column) {
  switch (column.type) {
    case ColumnType::kGroup:
      for (Column& child : column.children) append_nothing(child);
      return;
    case ColumnType::kBoolean:
      return column.bytes.push_back(0);
    case ColumnType::kInteger:
      return column.width == 64 ? column.words64.push_back(0) : column.words32.push_back(0);
    case ColumnType::kDouble:
      return column.words64.push_back(0);
    case ColumnType::kDecimal:
      return column.decimals.push_back(0);
    case ColumnType::kWord:
      return column.words32.push_back(column.words->number(""));
    case ColumnType::kList:
    case ColumnType::kFloat:
    case ColumnType::kText:
    case ColumnType::kBytes:
      return column.words32.push_back(0);
  }
}

void repeat_last(Column& column, std::size_t count) {
  if (column.nullable) {
    column.valid.append(count, column.valid.back());
    if (column.valid.back() == 0) return;
  }
  switch (column.type) {
    case ColumnType::kGroup:
      for (Column& child : column.children) repeat_last(child, count);
      return;
    case ColumnType::kList:
      return;
    case ColumnType::kBoolean:
      return column.bytes.append(count, column.bytes.back());
    case ColumnType::kInteger:
      return column.width == 64 ? column.words64.append(count, column.words64.back())
                                : column.words32.append(count, column.words32.back());
    case ColumnType::kDouble:
      return column.words64.append(count, column.words64.back());
    case ColumnType::kDecimal:
      return column.decimals.append(count, column.decimals.back());
    case ColumnType::kText:
    case ColumnType::kBytes: {
      const std::uint32_t size = column.words32.back();
      const std::string text = column.characters.substr(column.characters.size() - size);
      for (std::size_t i = 0; i < count; ++i) column.characters += text;
      return column.words32.append(count, size);
    }
    case ColumnType::kFloat:
    case ColumnType::kWord:
      return column.words32.append(count, column.words32.back());
  }
}

void remove_last(Column& column) {
  if (column.nullable) {
    const bool valid = column.valid.back() != 0;
    column.valid.pop_back();
    if (!valid) return;
  }
  switch (column.type) {
    case ColumnType::kGroup:
      for (Column& child : column.children) remove_last(child);
      return;
    case ColumnType::kList: {
      const std::uint32_t length = column.words32.back();
      column.words32.pop_back();
      for (std::uint32_t i = 0; i < length; ++i) remove_last(column.children.front());
      return;
    }
    case ColumnType::kBoolean:
      return column.bytes.pop_back();
    case ColumnType::kInteger:
      return column.width == 64 ? column.words64.pop_back() : column.words32.pop_back();
    case ColumnType::kDouble:
      return column.words64.pop_back();
    case ColumnType::kDecimal:
      return column.decimals.pop_back();
    case ColumnType::kText:
    case ColumnType::kBytes:
      column.characters.erase(column.characters.size() - column.words32.back());
      return column.words32.pop_back();
    case ColumnType::kFloat:
    case ColumnType::kWord:
      return column.words32.pop_back();
  }
}

void clear(Column& column) {
  column.valid = {};
  column.bytes = {};
  column.words32 = {};
  column.words64 = {};
  column.decimals = {};
  std::string().swap(column.characters);
  for (Column& child : column.children) clear(child);
}

namespace {

void add_in_order(Column& column, std::vector<Column*>& all) {
  all.push_back(&column);
  for (Column& child : column.children) add_in_order(child, all);
}

void add_signature(const Column& column, std::string& text) {
  // A word is a text to everybody outside.
  const ColumnType type = column.type == ColumnType::kWord ? ColumnType::kText : column.type;
  text += fmt::format("{}:{}{}{}{}{}", column.name.size(), column.name, std::to_underlying(type),
                      column.nullable ? '?' : '!', column.is_signed ? 's' : 'u', column.width);
  if (column.is_timestamp) text += 't';
  text += '(';
  for (const Column& child : column.children) add_signature(child, text);
  text += ')';
}

}  // namespace

std::vector<Column*> in_order(Column& root) {
  std::vector<Column*> all;
  add_in_order(root, all);
  return all;
}

std::string signature(const Column& root) {
  std::string text;
  add_signature(root, text);
  return text;
}

}  // namespace tracedeck::columns
