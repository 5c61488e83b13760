// Where two field classes differ.
#pragma once

#include <string>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::comparison {

// Adds what two classes, which may be null, differ in, and all that is inside of them, as
// differences of the class `class_name`; `prefix` is put before each path, with a dot unless it is
// "". A class that is shared by several fields is looked at once.
void compare_field_classes(const FieldClass* left, const FieldClass* right,
                           const std::string& class_name, const std::string& prefix,
                           Differences& found);

}  // namespace tracedeck::comparison
