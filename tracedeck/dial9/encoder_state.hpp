// What a segment has established, as an encoder needs it to continue that segment.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/dial9/schema.hpp"

namespace tracedeck::dial9 {

struct EncoderState {
  using PoolEntry = std::pair<std::uint32_t, std::string>;

  std::vector<std::pair<std::uint16_t, Schema>> schemas = {};  // by type_id, each id once
  std::vector<PoolEntry> strings = {};                         // by pool id, each id once
  std::vector<PoolEntry> stacks = {};  // addresses as they stand on the wire
  std::uint64_t timestamp_base = 0;    // ns
};

}  // namespace tracedeck::dial9
