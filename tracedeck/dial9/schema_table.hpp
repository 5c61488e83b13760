// The schemas of the segment an encoder is writing: by type_id and by content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/dial9/schema.hpp"

namespace tracedeck::dial9 {

class SchemaTable {
 public:
  // Null when `type_id` is free. The address is stable until `clear`.
  [[nodiscard]] const Schema* find(std::uint16_t type_id) const {
    if (type_id >= by_id_.size()) return nullptr;
    return by_id_[type_id];
  }
  // The first type_id that has exactly this schema, annotations included.
  [[nodiscard]] std::optional<std::uint16_t> find(const Schema& schema) const;

  // Ids count from 0, or on from the highest one taken; then the lowest free one. Empty when all
  // 65,536 are taken.
  [[nodiscard]] std::optional<std::uint16_t> next_id() const;

  // `type_id` must be free.
  void add(std::uint16_t type_id, const Schema& schema);
  // The schema under `type_id`, which must be taken, gets further annotations.
  void annotate(std::uint16_t type_id, std::span<const Annotation> annotations);
  void clear();

 private:
  // Annotations are left out, for they may grow.
  [[nodiscard]] std::size_t hash_of(const Schema& schema) const;

  KeyedHash hash_;
  std::deque<Schema> schemas_;
  std::vector<Schema*> by_id_;                                      // up to the highest id taken
  std::unordered_multimap<std::size_t, std::uint16_t> by_content_;  // by `hash_of`
};

}  // namespace tracedeck::dial9
