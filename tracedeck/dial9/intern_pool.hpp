// Finds the pool id of content that was interned before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::dial9 {

// The contents of one pool of one segment. Looking up does not allocate.
class InternPool {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view content) const {
    const auto found = ids_.find(content);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  // Ids count from 0, or on from the highest one taken over; empty when all are used up.
  [[nodiscard]] std::optional<std::uint32_t> next_id() const {
    if (next_ > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(next_);
  }

  // If the content has an id already, it keeps that one.
  void add(std::string_view content, std::uint32_t id) {
    ids_.try_emplace(std::string(content), id);
    if (id >= next_) next_ = std::uint64_t{id} + 1;
  }

  void clear() {
    ids_.clear();
    next_ = 0;
  }

 private:
  TextMap<std::uint32_t> ids_;
  std::uint64_t next_ = 0;
};

}  // namespace tracedeck::dial9
