#include "tracedeck/dial9/schema_table.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace tracedeck::dial9 {

std::size_t SchemaTable::hash_of(const Schema& schema) const {
  std::size_t hash = hash_(hash_(schema.name), schema.has_timestamp ? 1 : 0);
  for (const FieldDefinition& field : schema.fields) {
    hash = hash_(hash, hash_(field.name));
    hash =
        hash_(hash, 2 * std::uint64_t{std::to_underlying(field.type)} + (field.optional ? 1 : 0));
  }
  return hash;
}

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
