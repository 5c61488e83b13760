// What a target format can hold, as data: from it the lowering of foreign classes follows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck {

struct TargetProfile {
  std::string_view format;  // whose traces it has

  // Whether the target holds events of a class as they are, so that they come back equal.
  bool (*holds)(const EventClass& event_class);

  // Widths of unsigned integers, ascending; 0s are none. Wider ones up to 64 bits have a variable
  // length, and signed ones 64 bits.
  std::array<std::uint8_t, 3> unsigned_widths = {};
  std::size_t longest_name = 0;  // bytes, of classes and fields
  std::size_t most_members = 0;  // of a payload
  // The ids of classes that are made here, from the last one down.
  std::uint64_t last_class_id = 0;
};

}  // namespace tracedeck
