// What a trace says about its classes for others to interpret.
#pragma once

#include <string>

#include "tracedeck/base/rare_list.hpp"

namespace tracedeck {

// A user attribute (CTF) or annotation (dial9): a key with a value that readers keep and do not
// interpret.
struct Attribute {
  std::string key = {};
  std::string value = {};
  bool is_json = false;  // `value` is JSON text rather than plain bytes

  friend bool operator==(const Attribute&, const Attribute&) = default;
};
using Attributes = RareList<Attribute>;

}  // namespace tracedeck
