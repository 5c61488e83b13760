// What events bring along beside their class, on which depends how they are lowered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracedeck::lower {

struct Shape {
  std::vector<std::string> stream_keys = {};  // of all keys of the data stream, or of none
  bool stream_number = false;   // by its number, where its keys do not tell it from others
  bool packet_context = false;  // the events are in packets, which have one
  bool any_integer = false;     // integers of variable length may have more than 64 bits
  bool lists = false;           // arrays are lists, structures maps, of values that say their kinds

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace tracedeck::lower
