// What can be wrong with a class beyond its own properties.
#pragma once

#include <string>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// A field location that leads nowhere, say. The metadata reader knows where the class stands in its
// text.
struct ClassFault {
  const FieldClass* field_class = nullptr;  // the class to blame
  const Rule* rule = nullptr;
  std::string text;  // what was found and what was expected, a sentence
};

}  // namespace tracedeck::ctf
