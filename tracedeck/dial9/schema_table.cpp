#include "tracedeck/dial9/schema_table.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

namespace tracedeck::dial9 {
namespace {

// Annotations are left out, for they may grow.
std::size_t hash_of(const Schema& schema) {
  std::size_t hash = std::hash<std::string_view>{}(schema.name);
  const auto mix = [&hash](std::size_t value) {
    hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15U + (hash >> 29);
  };
  mix(schema.has_timestamp ? 1 : 0);
  for (const FieldDefinition& field : schema.fields) {
    mix(std::hash<std::string_view>{}(field.name));
    mix(2 * std::size_t{std::to_underlying(field.type)} + (field.optional ? 1 : 0));
  }
  return hash;
}

}  // namespace

std::optional<std::uint16_t> SchemaTable::find(const Schema& schema) const {
  std::optional<std::uint16_t> first;
  const auto [begin, end] = by_content_.equal_range(hash_of(schema));
  for (auto it = begin; it != end; ++it) {
    if (*by_id_[it->second] == schema && (!first || it->second < *first)) first = it->second;
  }
  return first;
}

std::optional<std::uint16_t> SchemaTable::next_id() const {
  if (by_id_.size() < kMaxTypeCount) return static_cast<std::uint16_t>(by_id_.size());
  if (schemas_.size() == kMaxTypeCount) return std::nullopt;
  const auto free = std::ranges::find(by_id_, nullptr);
  return static_cast<std::uint16_t>(free - by_id_.begin());
}

void SchemaTable::add(std::uint16_t type_id, const Schema& schema) {
  if (type_id >= by_id_.size()) by_id_.resize(std::size_t{type_id} + 1);
  by_id_[type_id] = &schemas_.emplace_back(schema);
  by_content_.emplace(hash_of(schema), type_id);
}

void SchemaTable::annotate(std::uint16_t type_id, std::span<const Annotation> annotations) {
  auto& all = by_id_[type_id]->annotations;
  all.insert(all.end(), annotations.begin(), annotations.end());
}

void SchemaTable::clear() {
  schemas_.clear();
  by_id_.clear();
  by_content_.clear();
}

}  // namespace tracedeck::dial9
